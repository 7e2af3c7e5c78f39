import type { ServerResponse } from 'node:http';
import { refusal } from '@moorage/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobStore, ByteRange, OpenBlob, SentAs } from '../blobs/blob-store.ts';
import { StorageError } from '../stores/health.ts';
import { takeOver } from './answer-headers.ts';
import { type Sent, sentOf } from './byte-ranges.ts';
import { etagOf, isAsExpected, isNotModified, rangeApplies, wantedRange } from './conditions.ts';
import { type StatusOf, sendRefusal } from './errors.ts';
import type { BytesReply, FileReply } from './types.ts';

/** Bytes read and sent at a time: with one such buffer for each download, slow readers cost little. */
const chunkBytes = 128 * 1024;
/** A download that moves nothing for this long is given up. */
const stallTimeoutMs = 120_000;
/** Buffers kept for the next download. */
const spareLimit = 64;

const spares: Buffer[] = [];

const takeBuffer = (): Buffer => spares.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);

function returnBuffer(buffer: Buffer): void {
  if (spares.length < spareLimit) spares.push(buffer);
}

/** Whether the client has left. A response over HTTP/2 has no such mark, but its stream has. */
const isGone = (response: ServerResponse & { readonly stream?: { readonly destroyed: boolean } }): boolean =>
  response.stream ? response.stream.destroyed : response.destroyed;

/** Resolves when the bytes are with the system, so that their buffer is free again; false when the client has left. */
function written(response: ServerResponse, bytes: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    response.once('close', gone);
    response.write(bytes, (error) => {
      response.off('close', gone);
      resolve(!error);
    });
  });
}

/** Copies a range of a blob to a response, at the pace of the client. Returns when it is sent or the client left. */
async function copy(
  blob: OpenBlob,
  range: ByteRange,
  response: ServerResponse,
  onProgress: FileReply['onProgress'],
): Promise<void> {
  const buffer = takeBuffer();
  let inUse = false;
  try {
    for (let at = range.start; at < range.end && !isGone(response); ) {
      const count = await blob.read(buffer.subarray(0, Math.min(buffer.length, range.end - at)), at);
      if (count === 0) throw new Error(`A stored file ended at byte ${at} of ${range.end}`);
      at += count;
      if (isGone(response)) return;
      inUse = true;
      if (!(await written(response, buffer.subarray(0, count)))) return;
      inUse = false;
      onProgress?.(at);
    }
  } finally {
    // After a client has left, the system may still hold the bytes: such a buffer is not used again.
    if (!inUse) returnBuffer(buffer);
  }
}

/** A browser that shows such bytes as a page runs nothing in it: they are their uploader's, not ours. */
const contentPolicy = "default-src 'none'; img-src https: data:; style-src 'unsafe-inline'; sandbox";

/** What a browser may show as a page; anything else that is opened by its address is saved, whatever it may do elsewhere. */
const shownTypes = /^(image\/(png|jpeg|gif|webp)|text\/plain|application\/json)(;|$)/i;

const sentAs = ({ mime }: FileReply): SentAs => ({
  ...(!shownTypes.test(mime) && { 'content-disposition': 'attachment' }),
  'content-type': mime,
});

const headersOf = (file: FileReply) => ({
  ...sentAs(file),
  etag: etagOf(file),
  'last-modified': new Date(file.lastModifiedMs).toUTCString(),
  'accept-ranges': 'bytes',
  // With a cookie instead of a bearer header, caches on the way would take it for everybody's.
  'cache-control': 'private, no-cache',
  'content-security-policy': contentPolicy,
});

async function stream(
  blob: OpenBlob,
  file: FileReply,
  { pieces, tail }: Sent,
  response: ServerResponse,
): Promise<void> {
  response.setTimeout(stallTimeoutMs, () => response.destroy());
  await file.onStart?.();
  for (const piece of pieces) {
    if (piece.head !== '') response.write(piece.head);
    await copy(blob, piece, response, file.onProgress);
    if (isGone(response)) return;
  }
  response.end(tail);
}

/** A smaller file comes faster than another connection. */
const redirectFromBytes = 64 * 1024;
/** The client goes where it is sent, and repeats no more than its Range there. Reference: api 3.3. */
const redirectPreference = /(^|,)\s*redirect\s*(,|$)/i;

/** Sends a client that prefers it to the store; false when the bytes are to come from here. */
async function redirect(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  file: FileReply,
  blobs: BlobStore,
): Promise<boolean> {
  if (method !== 'GET' || file.size < redirectFromBytes || !blobs.addressOf) return false;
  if (!redirectPreference.test([headers.prefer].flat().join())) return false;
  // Of a file that has changed all is sent, whatever range was asked for: the store would not know.
  if (headers.range !== undefined && !rangeApplies(headers, file)) return false;
  // Stores send one range.
  if (headers.range?.includes(',')) return false;
  const location = await blobs.addressOf(file.sha256, sentAs(file));
  if (location === undefined) return false;
  await file.onStart?.();
  void reply.code(307).headers({ location, 'preference-applied': 'redirect' }).send();
  return true;
}

/**
 * Answers with a file of the blob store: one range or several (206, 416), If-Range, If-None-Match and If-Modified-Since (304),
 * If-Match and If-Unmodified-Since (412), HEAD, and Prefer (307). Spec: API-ERR-412.
 *
 * @throws when the store has lost the file
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileReply,
  blobs: BlobStore,
  statusOf: StatusOf,
): Promise<FastifyReply> {
  const headers = headersOf(file);
  if (!isAsExpected(request.headers, file)) {
    return sendRefusal(reply, refusal('FILE_CHANGED'), statusOf('FILE_CHANGED'));
  }
  if (isNotModified(request.headers, file)) return reply.code(304).headers(headers).send();
  const wanted = wantedRange(rangeApplies(request.headers, file) ? request.headers.range : undefined, file.size);
  if (wanted === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.size}`);
    return sendRefusal(
      reply,
      refusal('RANGE_NOT_SATISFIABLE', { sizeBytes: file.size }),
      statusOf('RANGE_NOT_SATISFIABLE'),
    );
  }
  if (await redirect(request, reply, file, blobs)) return reply;
  const sent = sentOf(file, wanted);
  const blob = await blobs.open(file.sha256, sent.pieces[0]?.start);
  if (!blob) throw new StorageError({ kind: 'damaged', what: 'file store' }, `Stored file ${file.sha256} is missing`);
  try {
    const response = takeOver(reply);
    response.writeHead(sent.status, { ...headers, ...sent.headers });
    if (request.method === 'HEAD' || isGone(response)) response.end();
    else await stream(blob, file, sent, response);
  } catch (error) {
    // The status is out already: only a broken connection tells the client that the file is not whole.
    request.log.error({ err: error, reqId: request.id }, 'Download failed');
    reply.raw.destroy();
  } finally {
    await blob.close();
  }
  return reply;
}

/** Answers with bytes made on the spot. */
export function sendBytes(reply: FastifyReply, { bytes, mime, filename }: BytesReply): FastifyReply {
  if (filename !== undefined) {
    reply.header('content-disposition', `attachment; filename="${filename.replace(/[^\w.-]/g, '_')}"`);
  }
  return reply
    .header('content-type', mime)
    .header('content-security-policy', contentPolicy)
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
