import { Readable } from 'node:stream';
import { failure, type Result, success } from '@moorage/base';
import type { Interface } from '@moorage/net';
import { tlsErrorNumber } from '@moorage/net/tls-facts';
import type { FileInfo } from '../device/flash.ts';
import { maxNameLength } from '../device/flash.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, type DataSink, fail, needBytes, ok, type Response } from '../interpreter/reply.ts';
import { sayOpenFailed } from '../services/open-reasons.ts';
import { addressOf, type Mail, type MailFailure, mailAddress, sendMail } from '../services/smtp.ts';
import { tlsSettings } from '../services/tls-settings.ts';
import { type Board, defineCommand } from './board.ts';
import { isSecretFile, refuseFile } from './file-reasons.ts';
import { interfaceOption } from './interface-option.ts';

/** Longest text of a mail, in bytes. */
const maxBodyBytes = 64 * 1024;

/** How much of an attachment is read at a time, in bytes. */
const pieceBytes = 16 * 1024;

const smtpSend = defineCommand({
  name: 'smtp_send',
  shortcut: 'smtp',
  group: 'email',
  spec: 'MOD-CMD-smtp_send',
  evidence: 'inferred',
  summary: 'Send a mail; its text follows the command',
  example: 'smtp_send ada@mail.example Hello 5',
  waitsFor: 'join, mail server',
  announces: ({ words }) => words.slice(2),
  options: {
    iface: interfaceOption,
    html: { kind: 'switch', flag: '-h', help: 'the text is HTML' },
  },
  args: {
    to: { kind: 'word', maxLength: 512, help: 'addresses with commas between them' },
    subject: { kind: 'word', maxLength: 255, help: 'subject' },
    size: { kind: 'int', min: 0, max: maxBodyBytes, help: 'size of the text in bytes' },
    attachment: { kind: 'file', maxLength: maxNameLength, optional: true, help: 'file in flash to send along' },
  },
  run: (board, values, { signal }) => needBytes(values.size, mailSink(board, { ...values, signal })),
});

interface MailRequest {
  readonly iface: Interface | undefined;
  readonly html: boolean;
  readonly to: string;
  readonly subject: string;
  readonly attachment: string | undefined;
  readonly signal: AbortSignal;
}

/** Takes the text; it is taken even for a mail that is refused, or it would be read as commands. */
function mailSink(board: Board, request: MailRequest): DataSink {
  const chunks: Uint8Array[] = [];
  return {
    // The bytes stay here: the caller's may change.
    write: (chunk) => void chunks.push(Uint8Array.from(chunk)),
    end: () => send(board, request, Buffer.concat(chunks).toString()),
    abort: () => {},
  };
}

async function send(board: Board, request: MailRequest, body: string): Promise<Response> {
  const to = request.to.split(',').map((address) => address.trim());
  if (!to.every((address) => mailAddress.test(address))) return fail(codes.INVALID);
  const missing = (['email.smtp.host', 'email.name_address'] as const).find((name) => board.variables.get(name) === '');
  if (missing) return refuse(board, 'mailNotConfigured', { name: missing });
  const from = board.variables.get('email.name_address');
  if (addressOf(from) === undefined) return refuse(board, 'mailNotConfigured', { name: 'email.name_address' });
  const attachment = attachmentOf(board, request.attachment);
  if (!attachment.ok) return refuseFile(board, attachment.error);
  const joined = await board.wlan.ensureUp(board.wlan.interfaceOf(request.iface));
  const tls = await tlsSettings(board, undefined);
  if (!joined.ok || !tls.ok || request.signal.aborted) return fail(codes.FAILED);
  const sent = await deliver(board, tls.value, {
    from,
    to,
    subject: request.subject,
    body,
    html: request.html,
    attachment: attachment.value && { name: attachment.value.name, content: contentOf(board, attachment.value) },
    dateMs: board.rtc.isSet ? board.rtc.nowMs() : undefined,
    id: Buffer.from(board.random.bytes(12)).toString('hex'),
    signal: request.signal,
  });
  if (request.signal.aborted) return fail(codes.FAILED);
  if (!sent.ok) return tellFailure(board, sent.error);
  board.log.say('mailSent');
  return ok(board.personality.text('success'));
}

function deliver(
  board: Board,
  tls: Parameters<typeof sendMail>[1]['tls'],
  mail: Mail,
): Promise<Result<void, MailFailure>> {
  const { log, net, clock, variables, wlan } = board;
  // Spec: MOD-VAR-email.smtp.host, MOD-VAR-email.smtp.port.
  const host = variables.get('email.smtp.host');
  const port = variables.get('email.smtp.port');
  log.notice('stream_opening', { connection: `${host}:${port}` });
  log.say('connectingSmtp', { host, port });
  const server = {
    host,
    port,
    // Spec: MOD-VAR-email.smtp.username, MOD-VAR-email.smtp.password.
    username: variables.get('email.smtp.username'),
    password: variables.get('email.smtp.password'),
    ownName: `[${wlan.addresses.ip}]`,
    tls,
    connectTimeoutMs: variables.get('tcp.client.connect_timeout'),
  };
  return sendMail({ net, clock, startingTls: () => log.say('startingTls') }, server, mail);
}

function tellFailure(board: Board, failed: MailFailure): Response {
  if (failed.kind === 'tls') board.log.say('tlsFailed', { error: tlsErrorNumber(failed.failure) });
  const { log, variables } = board;
  if (failed.kind === 'refused' || failed.kind === 'failed')
    log.say(failed.kind === 'refused' ? 'mailRefused' : 'mailFailed', { reason: failed.reason });
  else sayOpenFailed(log, variables.get('email.smtp.host'), failed.kind === 'open' ? failed.failure.error : undefined);
  return fail(codes.FAILED);
}

function refuse(board: Board, ...why: Parameters<Board['log']['say']>): Response {
  board.log.say(...why);
  return fail(codes.FAILED);
}

function attachmentOf(board: Board, name: string | undefined): Result<FileInfo | undefined, 'missing' | 'protected'> {
  if (name === undefined) return success(undefined);
  const file = board.flash.stat(name);
  if (!file) return failure('missing');
  return isSecretFile(file) ? failure('protected') : success(file);
}

/** The bytes of a file, read as they are sent. */
const contentOf = ({ flash }: Board, file: FileInfo): Readable =>
  Readable.from(
    (async function* () {
      for (let at = 0; at < file.size; at += pieceBytes) {
        const bytes = await flash.read(file, at, at + pieceBytes);
        if (!bytes.ok) throw new Error('The attachment has been deleted');
        yield Buffer.from(bytes.value);
      }
    })(),
    { objectMode: false },
  );

export const smtpCommands: readonly Command<Board>[] = [smtpSend];
