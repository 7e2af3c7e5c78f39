import type { Interface } from '@moorage/net';
import type { FileInfo } from '../device/flash.ts';
import { maxNameLength } from '../device/flash.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, ok } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';
import { isSecretFile, refuseFile } from './file-reasons.ts';
import { type OpenHttp, openHttp, untilAnswered } from './http-open.ts';
import { type HttpUrl, parseHttpUrl } from './http-url.ts';
import { interfaceOption } from './interface-option.ts';

/** How much goes from the flash to the connection at a time, in bytes. */
const pieceBytes = 16 * 1024;

const httpUpload = defineCommand({
  name: 'http_upload',
  shortcut: 'hup',
  group: 'http',
  spec: 'MOD-CMD-http_upload',
  evidence: 'inferred',
  summary: 'Send a file to a server as multipart form data',
  example: 'http_upload http://files.example/up page.html page.html',
  waitsFor: 'join, connection, response',
  options: { iface: interfaceOption },
  args: {
    url: { kind: 'word', help: 'URL; http without a scheme' },
    file: { kind: 'file', maxLength: maxNameLength, help: 'name of the file in flash' },
    remote: { kind: 'word', maxLength: 255, help: 'name that is sent to the server' },
    cert: { kind: 'file', optional: true, help: 'file with CA certificates; network.ca_cert without it' },
  },
  run: async (board, { iface, url: text, file: name, remote, cert }, { signal }) => {
    const url = parseHttpUrl(text);
    if (!url) return fail(codes.INVALID);
    const file = board.flash.stat(name);
    if (!file) {
      board.log.say('fileMissing');
      return fail(codes.FAILED);
    }
    if (isSecretFile(file)) return refuseFile(board, 'protected');
    const sent = await upload(board, { url, iface, cert, file, remote, signal });
    return sent ? ok(board.personality.text('success')) : fail(codes.FAILED);
  },
});

interface Upload {
  readonly url: HttpUrl;
  readonly iface: Interface | undefined;
  readonly cert: string | undefined;
  readonly file: FileInfo;
  readonly remote: string;
  readonly signal: AbortSignal;
}

async function upload(board: Board, { url, iface, cert, file, remote, signal }: Upload): Promise<boolean> {
  const boundary = `--------${Buffer.from(board.random.bytes(12)).toString('hex')}`;
  const { head, tail } = partAround(boundary, remote);
  const headers = [
    ['Content-Type', `multipart/form-data; boundary=${boundary}`],
    ['Content-Length', String(head.length + file.size + tail.length)],
  ] as const;
  const opened = await openHttp(board, { method: 'POST', url, iface, cert, headers, signal });
  if (!opened.ok) return false;
  const { exchange, stream } = opened.value;
  const end = (): void => stream.finish();
  signal.addEventListener('abort', end);
  try {
    await exchange.append(head);
    const whole = await sendFile(board, opened.value, file);
    if (whole) await exchange.append(tail);
    // A server may refuse before it has read everything; its answer says more than the lost connection.
    const isAnswered = whole && (await untilAnswered(board, opened.value));
    if (signal.aborted) return false;
    if (!isAnswered) {
      board.log.say('noHttpResponse');
      return false;
    }
    stream.announce();
    const status = exchange.status ?? 0;
    return status >= 200 && status < 300;
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** False when the file has gone meanwhile. */
async function sendFile(board: Board, { exchange }: OpenHttp, file: FileInfo): Promise<boolean> {
  for (let at = 0; at < file.size && exchange.failure === undefined; at += pieceBytes) {
    const bytes = await board.flash.read(file, at, at + pieceBytes);
    if (!bytes.ok) return false;
    await exchange.append(bytes.value);
  }
  return true;
}

/** What stands around the file. Quotes and line ends in the name are written as browsers write them. */
function partAround(boundary: string, remote: string): { readonly head: Buffer; readonly tail: Buffer } {
  const name = remote.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${name}"`,
    'Content-Type: application/octet-stream',
    '',
    '',
  ];
  return { head: Buffer.from(head.join('\r\n')), tail: Buffer.from(`\r\n--${boundary}--\r\n`) };
}

export const httpUploadCommands: readonly Command<Board>[] = [httpUpload];
