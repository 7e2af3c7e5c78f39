import type { Readable } from 'node:stream';
import multipart, { type Multipart } from '@fastify/multipart';
import { type Refusal, refusal } from '@moorage/api';
import { type Clock, failure, type Result, success } from '@moorage/base';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { StoredUpload, Upload } from './types.ts';

/** An upload of which nothing comes for this long is given up; all of it has as long as any request. */
export const stallTimeoutMs = 30_000;

/** A media type with its parameters, which is kept as sent. Reference: api 3.3. */
const mimePattern = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[\x20-\x7e]*)?$/;
const mimeLimit = 127;

/** Carries a refusal out of the stream that the blob store reads: a stream has no other way to end early. */
class RefusedUpload extends Error {
  readonly refusal: Refusal;

  constructor(found: Refusal, cause?: unknown) {
    super(found.message, { cause });
    this.refusal = found;
  }
}

const wrongBody = { source: 'body', keys: [] } as const;
const notOneFile = () =>
  refusal('INVALID_REQUEST', { detail: 'The body is not a form with one part named "file"' }, wrongBody);

/** Makes bodies of the type multipart/form-data readable where every body is handed on unread. */
export function readForms(scope: FastifyInstance): void {
  void scope.register(multipart, {
    // The blob store counts the bytes; a second part of any kind is refused.
    limits: { fileSize: Number.POSITIVE_INFINITY, parts: 1, headerPairs: 32 },
    isPartAFile: () => true,
  });
}

const stalled = () => new RefusedUpload(refusal('UPLOAD_STALLED', { seconds: stallTimeoutMs / 1000 }, wrongBody));

/** Waits for the next piece of an upload, but not for ever. */
function pace<T>(clock: Clock, next: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(stallTimeoutMs, () => reject(stalled()));
    next.then(resolve, reject).finally(cancel);
  });
}

/** The chunks of a stream as they come, asked for one at a time. Stopping before the end leaves the stream open. */
async function* paced(source: Readable, clock: Clock): AsyncGenerator<Uint8Array> {
  // An error of a stream that is no longer read must not end the process.
  source.on('error', () => {});
  const chunks: AsyncIterator<Uint8Array> = source.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await pace(clock, chunks.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not waited for: nothing may come any more.
    void chunks.return?.();
  }
}

interface OpenUpload {
  readonly mime: string | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A form (API-RULE-files-8 holds for its parts too): its first part has to be the file, and there may be no other. */
async function openForm(request: FastifyRequest, clock: Clock): Promise<OpenUpload> {
  const parts: AsyncIterator<Multipart> = request.parts();
  const first = await pace(clock, parts.next());
  if (first.done || first.value.type !== 'file' || first.value.fieldname !== 'file') {
    throw new RefusedUpload(notOneFile());
  }
  const { file, mimetype } = first.value;
  async function* chunks() {
    yield* paced(file, clock);
    if (!(await pace(clock, parts.next())).done) throw new RefusedUpload(notOneFile());
  }
  return { mime: mimetype, chunks: chunks() };
}

function open(request: FastifyRequest, clock: Clock): OpenUpload | Promise<OpenUpload> {
  if (request.isMultipart()) return openForm(request, clock);
  return { mime: request.headers['content-type'], chunks: paced(request.raw, clock) };
}

/** What a failure to read the body means: it was cut, or it is not the form that it says it is. */
function readingFailure(request: FastifyRequest, cause: unknown): RefusedUpload {
  if (cause instanceof RefusedUpload) return cause;
  const isForm = request.isMultipart() && !request.raw.readableAborted;
  return new RefusedUpload(isForm ? notOneFile() : refusal('UPLOAD_CUT', {}, wrongBody), cause);
}

/** The chunks with the first `headBytes` bytes in one; whatever fails in reading them is a refusal. */
async function* inspected(
  request: FastifyRequest,
  chunks: AsyncIterable<Uint8Array>,
  { headBytes = 0, inspect }: Parameters<Upload['store']>[0],
): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = inspect && new Uint8Array();
  const checked = (bytes: Uint8Array): Uint8Array => {
    const refused = inspect?.(bytes.subarray(0, headBytes));
    if (refused) throw new RefusedUpload(refused);
    return bytes;
  };
  try {
    for await (const chunk of chunks) {
      if (!head) {
        yield chunk;
        continue;
      }
      head = Buffer.concat([head, chunk]);
      if (head.length < headBytes) continue;
      yield checked(head);
      head = undefined;
    }
    if (head) yield checked(head);
  } catch (error) {
    throw readingFailure(request, error);
  }
}

async function* tapped(
  chunks: AsyncIterable<Uint8Array>,
  tap: (piece: Uint8Array) => void = () => {},
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    tap(chunk);
    yield chunk;
  }
}

async function store(
  request: FastifyRequest,
  blobs: BlobStore,
  clock: Clock,
  limits: Parameters<Upload['store']>[0],
): Promise<Result<StoredUpload, Refusal>> {
  let isOpen = false;
  try {
    const { mime, chunks } = await open(request, clock);
    if (mime !== undefined && (mime.length > mimeLimit || !mimePattern.test(mime))) {
      return failure(refusal('WRONG_MEDIA_TYPE', { mediaType: mime.slice(0, mimeLimit) }));
    }
    isOpen = true;
    // One chunk at a time: the store asks for the next when it has room for it.
    const body = tapped(inspected(request, chunks, limits), limits.tap);
    const blob = await blobs.put(body, limits.maxBytes);
    if (!blob) return failure(refusal('BODY_TOO_LARGE', { limitBytes: limits.maxBytes }));
    return success({ blob, mime });
  } catch (error) {
    const found = isOpen ? error : readingFailure(request, error);
    if (found instanceof RefusedUpload) return failure(found.refusal);
    throw error;
  }
}

const announced = (request: FastifyRequest): number | undefined => {
  const header = request.headers['content-length'];
  // A form is longer than the file in it.
  return header === undefined || request.isMultipart() ? undefined : Number(header);
};

/** The upload of a request. Nothing is looked at before it is asked for: only where bodies are binary there may be one. */
export const uploadOf = (request: FastifyRequest, blobs: BlobStore, clock: Clock): Upload => ({
  get announcedBytes() {
    return announced(request);
  },
  async store(limits) {
    if ((announced(request) ?? 0) > limits.maxBytes) {
      return failure(refusal('BODY_TOO_LARGE', { limitBytes: limits.maxBytes }));
    }
    return store(request, blobs, clock, limits);
  },
});
