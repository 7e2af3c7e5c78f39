import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { formatVersion } from '@moorage/base';
import { type FileInfo, fileFlags } from '../device/flash.ts';
import type { Flash } from '../device/flash-files.ts';
import type { Client } from './client.ts';
import { builtInPage, offersGzip, type Page } from './pages.ts';
import { Piece, pieceBytes } from './pieces.ts';
import { type Exchange, refuse, send } from './respond.ts';

/** Files that are for the module itself, saved settings with passwords too. Reference: flash 2.2. */
const hiddenFlags = fileFlags.encrypted | fileFlags.executable | fileFlags.system | fileFlags.bootable;

/** What is sent for a name: a file of the flash, or a page that the firmware brings along. */
export interface Found {
  /** The name that was asked for, by which the content type is known. */
  readonly name: string;
  readonly file?: FileInfo;
  readonly page?: Page;
  /** The file is stored packed, and goes out so. */
  readonly gzip: boolean;
}

/** The server's view of the flash: `hidden` is a further file that is never served. */
export interface FileSource {
  readonly flash: Flash;
  readonly hidden: string;
}

/**
 * The file for a path without its first slash: that name, the same with the slash, and both with `.gz` behind them.
 * Files of the module itself are not there. Reference: http-server 2.1.
 */
export function findFile({ flash, hidden }: FileSource, name: string): Found | undefined {
  const bare = name.replace(/^\//, '');
  for (const gzip of [false, true]) {
    for (const candidate of [bare, `/${bare}`]) {
      const file = flash.stat(gzip ? `${candidate}.gz` : candidate);
      if (file && (file.flags & hiddenFlags) === 0 && file.name !== hidden) return { name: bare, file, gzip };
    }
  }
  const page = builtInPage(bare);
  return page && { name: bare, page, gzip: false };
}

/** Spec: MOD-FILE-unprotected, MOD-AUTH-3. */
export const isUnprotected = ({ file }: Found): boolean =>
  file !== undefined && (file.flags & fileFlags.unprotected) !== 0;

/** Changes with the content, as far as the module knows: its CRC, size, version and place. */
const etagOf = ({ crc, size, version, area, unit }: FileInfo): string =>
  `"${crc.toString(16).padStart(4, '0')}-${size}-${formatVersion(version)}-${area}${unit}"`;

/** Reference: http-server 2.2. */
const typesByExtension: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  css: 'text/css',
  js: 'application/javascript',
  json: 'application/json',
  txt: 'text/plain',
  csv: 'text/plain',
  script: 'text/plain',
  xml: 'text/xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
  pem: 'application/x-pem-file',
};

/** For names that say nothing: what the type that the file was stored with stands for. */
const typesByFileType: ReadonlyMap<number, string> = new Map([
  [0x03, 'application/x-pem-file'],
  [0xfa, 'text/plain'],
  [0xfb, 'text/plain'],
  [0xfc, 'application/json'],
  [0xfd, 'text/plain'],
]);

/** Content type of a file under the name by which it is asked for, without an ending `.gz` that stands for its coding. */
function contentType(name: string, file?: Pick<FileInfo, 'type'>): string {
  const extension = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const byName = Object.hasOwn(typesByExtension, extension) ? typesByExtension[extension] : undefined;
  return byName ?? typesByFileType.get(file?.type ?? -1) ?? 'application/octet-stream';
}

function headersOf(found: Omit<Found, 'page'>): Record<string, string> {
  return {
    'Content-Type': contentType(found.name, found.file),
    ...(found.gzip && { 'Content-Encoding': 'gzip' }),
  };
}

/** Part of a file: `start` to `end`, exclusive. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part that a header `Range` asks for. `undefined`: send the whole file, also when the header makes no sense or
 * asks for several parts, as servers may; `'unsatisfiable'`: there is no such part.
 */
function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return undefined;
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/** Whether a header `If-None-Match` names this tag. */
function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Answers with a file: whole, a part, or only that it has not changed. */
export async function sendFile(exchange: Exchange, flash: Flash, found: Found, client: Client): Promise<void> {
  const { request } = exchange;
  const { file } = found;
  const gzip = found.page ? offersGzip(request.headers['accept-encoding']) : found.gzip;
  const page = found.page?.[gzip ? 'packed' : 'plain'];
  const size = file?.size ?? page?.bytes.length ?? 0;
  const etag = file ? etagOf(file) : (page?.etag ?? '');
  // Files may be replaced at any time under the same name: browsers keep them, but ask first.
  const headers = {
    ...headersOf({ ...found, gzip }),
    ...(page && { Vary: 'Accept-Encoding' }),
    ETag: etag,
    'Cache-Control': 'no-cache',
    'Accept-Ranges': 'bytes',
  };
  if (matchesTag(request.headers['if-none-match'], etag)) {
    exchange.response.writeHead(304, { ...exchange.common, ETag: etag, 'Cache-Control': 'no-cache' });
    exchange.response.end();
    return;
  }
  const condition = request.headers['if-range'];
  const range = condition === undefined || condition === etag ? parseRange(request.headers.range, size) : undefined;
  if (range === 'unsatisfiable') {
    refuse(exchange, 416, undefined, { 'Content-Range': `bytes */${size}` });
    return;
  }
  const part = range ?? { start: 0, end: size };
  const partHeaders = range && { 'Content-Range': `bytes ${range.start}-${range.end - 1}/${size}` };
  if (page)
    send(exchange, range ? 206 : 200, { ...headers, ...partHeaders }, page.bytes.subarray(part.start, part.end));
  else if (file) await sendPart(exchange, range ? 206 : 200, { ...headers, ...partHeaders }, flash, file, part, client);
}

async function sendPart(
  exchange: Exchange,
  status: number,
  headers: Record<string, string>,
  flash: Flash,
  file: FileInfo,
  { start, end }: ByteRange,
  client: Client,
): Promise<void> {
  const { request, response, common } = exchange;
  let piece = new Piece();
  const read = (from: number) => flash.read(file, from, Math.min(end, from + pieceBytes), piece.allocate);
  const first = request.method === 'HEAD' ? undefined : await read(start);
  if (first && !first.ok) {
    // Deleted just now.
    refuse(exchange, 404);
    return;
  }
  response.writeHead(status, { ...common, ...headers, 'Content-Length': end - start });
  if (!first) {
    response.end();
    return;
  }
  let sent = piece.write(response, first.value);
  for (let at = start + pieceBytes; at < end; at += pieceBytes) {
    if (!sent && !(await isDrained(response, client))) return;
    piece = new Piece();
    const bytes = await read(at);
    if (!bytes.ok) {
      // Half of a file that is gone: the client must see that it is not whole.
      response.destroy();
      return;
    }
    sent = piece.write(response, bytes.value);
  }
  response.end();
}

/** Waits until the client has taken what was sent; false when it went away, or was too slow. */
async function isDrained(response: ServerResponse, client: Client): Promise<boolean> {
  if (client.socket.destroyed) return false;
  client.waitsForPeer();
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  client.socket.once('close', onClose);
  try {
    await once(response, 'drain', { signal: gone.signal });
    client.works();
    return true;
  } catch {
    return false;
  } finally {
    client.socket.off('close', onClose);
  }
}

/** Sends a status with the content of a file, where one is named and there; with a line of text otherwise. */
export async function sendWithFile(
  exchange: Exchange,
  status: number,
  source: FileSource,
  name: string,
  client: Client,
  headers: Record<string, string> = {},
): Promise<void> {
  const found = name === '' ? undefined : findFile(source, name);
  if (!found?.file) refuse(exchange, status, undefined, headers);
  else {
    const whole = { start: 0, end: found.file.size };
    await sendPart(exchange, status, { ...headersOf(found), ...headers }, source.flash, found.file, whole, client);
  }
}
