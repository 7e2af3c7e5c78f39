// `nodemailer` is handed a connection that the net port has dialled; it speaks the protocol and opens nothing itself.
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { type Clock, failure, type Result, success } from '@moorage/base';
import type { Connection, Net, NetFailure, TlsClient } from '@moorage/net';
import { createTransport } from 'nodemailer';
import type { Phrase, TextKey } from '../texts/texts.ts';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** Empty for a server without login. */
  readonly username: string;
  readonly password: string;
  /** What the module calls itself in EHLO. */
  readonly ownName: string;
  readonly tls: TlsClient;
  readonly connectTimeoutMs: number;
}

export interface Mail {
  /** An address, or a name with the address in angle brackets. */
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly body: string;
  readonly html: boolean;
  readonly attachment?: { readonly name: string; readonly content: Readable } | undefined;
  /** Epoch ms; the mail has no date while the module does not know it. */
  readonly dateMs: number | undefined;
  /** Part before the `@` of the Message-ID, and of the boundaries. */
  readonly id: string;
  /** Gives the mail up. */
  readonly signal?: AbortSignal;
}

export type MailFailure =
  | { readonly kind: 'open' | 'tls'; readonly failure: NetFailure }
  /** The server said no, with its answer; or something else went wrong. */
  | { readonly kind: 'refused' | 'failed'; readonly reason: Phrase };

/** The port on which TLS begins at once; on others it begins with STARTTLS when the server offers that. */
const tlsPort = 465;

/** The whole of one mail may take this long, in ms. */
const mailTimeoutMs = 120_000;

/** The library's own timers run on the host's clock: they are set to the longest that there is. */
const neverMs = 2 ** 31 - 1;

/** Largest reply of a server, in bytes. */
const maxReplyBytes = 64 * 1024;

/** An address as `name@domain`, without anything that could end it. */
export const mailAddress = /^[^\s@<>,;:"()[\]\\]{1,64}@[^\s@<>,;:"()[\]\\]{1,255}$/;

/** The address part of a sender; `undefined` when there is none. Spec: MOD-VAR-email.name_address. */
export function addressOf(sender: string): string | undefined {
  const address = /<([^<>]*)>\s*$/.exec(sender)?.[1] ?? sender;
  return mailAddress.test(address.trim()) ? address.trim() : undefined;
}

/**
 * Sends one mail: connects, starts TLS, logs in, and hands the message over. `startingTls` is called before a handshake
 * begins. Spec: MOD-RULE-smtp. Reference: network 5.3.
 */
export async function sendMail(
  parts: { readonly net: Net; readonly clock: Clock; readonly startingTls: () => void },
  server: MailServer,
  mail: Mail,
): Promise<Result<void, MailFailure>> {
  const { net, clock } = parts;
  const { host, port, tls, connectTimeoutMs: timeoutMs } = server;
  const dialled = await net.dial({ host, port, timeoutMs });
  if (!dialled.ok) return failure({ kind: 'open', failure: dialled.error });
  let opened: Result<Connection, NetFailure> = dialled;
  if (port === tlsPort) {
    parts.startingTls();
    opened = await net.secure(dialled.value, { host, tls, timeoutMs });
    if (!opened.ok) return failure({ kind: 'tls', failure: opened.error });
  }
  const { stream } = opened.value;
  const abort = (): void => void stream.destroy(new Error('The mail has been given up'));
  mail.signal?.addEventListener('abort', abort);
  if (mail.signal?.aborted) abort();
  let expired = false;
  const stop = clock.after(mailTimeoutMs, () => {
    expired = true;
    stream.destroy(new Error('The mail took too long'));
  });
  let shaking = false;
  /** Called with every command that goes to the server: a handshake is over when the one after STARTTLS goes out. */
  const commanded = (command: string): void => {
    shaking = command === 'STARTTLS';
    if (shaking) parts.startingTls();
  };
  try {
    await deliver(asSocket(stream), server, mail, commanded);
    return success(undefined);
  } catch (error) {
    if (expired) return failure({ kind: 'failed', reason: ['mailTimedOut', { ms: mailTimeoutMs }] });
    return failure(failureOf(error, shaking));
  } finally {
    stop();
    mail.signal?.removeEventListener('abort', abort);
    stream.destroy();
    mail.attachment?.content.destroy();
  }
}

async function deliver(
  connection: Socket,
  server: MailServer,
  mail: Mail,
  commanded: (command: string) => void,
): Promise<void> {
  const { host, port, username, password, ownName, tls } = server;
  const transport = createTransport({
    connection,
    host,
    port,
    name: ownName,
    secure: port === tlsPort,
    secured: port === tlsPort,
    // On a connection that is not secure yet: STARTTLS when it is offered.
    tls: { ...tls },
    ...(username !== '' && { auth: { user: username, pass: password } }),
    connectionTimeout: neverMs,
    greetingTimeout: neverMs,
    socketTimeout: neverMs,
    socketCloseTimeout: 0,
    maxResponseSize: maxReplyBytes,
    transactionLog: true,
    logger: listener(commanded),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { dateMs } = mail;
  transport.use('stream', ({ message }, done) => {
    if (dateMs === undefined) {
      // The library always adds a date, and its date is the host's.
      const headers = message.buildHeaders.bind(message);
      message.buildHeaders = () => headers().replace(/^Date:.*\r\n/m, '');
    }
    done();
  });
  const from = addressOf(mail.from) ?? mail.from;
  await transport.sendMail({
    from: mail.from,
    to: [...mail.to],
    envelope: { from, to: [...mail.to] },
    subject: mail.subject,
    ...(mail.html ? { html: mail.body } : { text: mail.body }),
    ...(mail.attachment && {
      attachments: [{ filename: mail.attachment.name, content: mail.attachment.content }],
    }),
    ...(dateMs !== undefined && { date: new Date(dateMs) }),
    messageId: `<${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    baseBoundary: mail.id,
  });
}

/** A logger for the library that passes on only the commands it sends. */
function listener(commanded: (command: string) => void) {
  const ignore = (): void => {};
  const debug = (entry: unknown, ...words: readonly unknown[]): void => {
    const client = typeof entry === 'object' && entry !== null && 'tnx' in entry && entry.tnx === 'client';
    if (client && typeof words[0] === 'string') commanded(words[0].trim());
  };
  return { level: ignore, trace: ignore, debug, info: ignore, warn: ignore, error: ignore, fatal: ignore };
}

/** The library sets a timeout on what it takes for a socket; a stream of the net port need not have one. */
function asSocket(stream: Duplex): Socket {
  if (!('setTimeout' in stream)) Object.assign(stream, { setTimeout: () => stream });
  // Of a socket's further methods the library calls only those that it finds.
  return stream as Socket;
}

/** What the library adds to an error: the answer that it is about, and the code that its own has replaced. */
type MailError = Error & { readonly code?: unknown; readonly originalCode?: unknown; readonly response?: unknown };

/** How the module says what the library does. */
const mailTexts: Readonly<Record<string, TextKey>> = {
  ECONNECTION: 'openReset',
  ECONNRESET: 'openReset',
  EPIPE: 'openReset',
  ESOCKET: 'openReset',
  ESTREAM: 'mailUnwritten',
  EPROTOCOL: 'mailMalformed',
};

function failureOf(error: unknown, shaking: boolean): MailFailure {
  const { message, code, originalCode, response } = error as MailError;
  // A server that refuses STARTTLS has not begun a handshake.
  if (typeof response === 'string' && /^[2-5]\d\d/.test(response))
    return { kind: 'refused', reason: ['mailAnswer', { text: oneLine(response) }] };
  if (!shaking && code !== 'ETLS') return { kind: 'failed', reason: [mailTexts[String(code)] ?? 'internalError'] };
  const cause = typeof originalCode === 'string' ? { code: originalCode } : {};
  return { kind: 'tls', failure: { error: 'tls', detail: message, ...cause } };
}

/** What may stand in a log line. */
const oneLine = (text: string): string => text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200);
