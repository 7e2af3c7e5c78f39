import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Clock, realClock } from '@moorage/base';
import { UnusableError, wordsOf } from '../../stores/health.ts';
import type { BlobInfo, BlobSource, BlobStore, OpenBlob, SentAs } from '../blob-store.ts';
import { S3Client, type S3Object, type S3Place } from './s3-client.ts';
import { openSpool, receiveIntoSpool } from './spool.ts';

/** Finds the object of a content that its record names, if it names one. */
export type RecordedObject = (sha256: string) => Promise<string | undefined>;

const namePattern = /^[0-9a-f]{64}$/;
/** Contents whose objects are remembered, about 200 bytes each. */
const rememberedObjects = 10_000;

/** Reads an object front to back on one download; a jump begins another one. */
class S3Blob implements OpenBlob {
  readonly size: number;
  readonly #client: S3Client;
  readonly #key: string;
  #download: IncomingMessage;
  #chunks: AsyncIterator<Buffer>;
  /** Bytes that have come and have not been read. */
  #rest: Buffer = Buffer.alloc(0);
  #position: number;

  /** @param from byte with which the download begins */
  constructor(client: S3Client, key: string, download: IncomingMessage, from: number) {
    this.#client = client;
    this.#key = key;
    this.#position = from;
    this.size = from + Number(download.headers['content-length']);
    this.#download = download;
    this.#chunks = download[Symbol.asyncIterator]();
  }

  async #jump(position: number): Promise<void> {
    this.#download.destroy();
    const download = await this.#client.get(this.#key, position);
    if (!download) throw new Error(`Object ${this.#key} is gone while it is read`);
    this.#download = download;
    this.#chunks = download[Symbol.asyncIterator]();
    this.#rest = Buffer.alloc(0);
    this.#position = position;
  }

  async read(buffer: Uint8Array, position: number): Promise<number> {
    const wanted = Math.min(buffer.length, this.size - position);
    if (wanted <= 0) return 0;
    if (position !== this.#position) await this.#jump(position);
    let filled = 0;
    while (filled < wanted) {
      if (this.#rest.length === 0) this.#rest = await this.#nextChunk();
      const count = Math.min(this.#rest.length, wanted - filled);
      buffer.set(this.#rest.subarray(0, count), filled);
      this.#rest = this.#rest.subarray(count);
      filled += count;
      this.#position += count;
    }
    return filled;
  }

  /** A store may cut a download that its reader has kept waiting: it is taken up again once where it was. */
  async #nextChunk(): Promise<Buffer> {
    const next = await this.#client.next(this.#chunks).catch(() => undefined);
    if (next && !next.done) return next.value;
    await this.#jump(this.#position);
    const again = await this.#client.next(this.#chunks);
    if (again.done) throw new Error(`Object ${this.#key} ended at byte ${this.#position} of ${this.size}`);
    return again.value;
  }

  async close(): Promise<void> {
    this.#download.destroy();
  }
}

/**
 * Blobs in an object store. Each put makes an object of its own below the name of its content, and removes those that
 * came before. So the removal of what is old can never hit what has just been put: no store can delete on condition.
 */
class S3Blobs implements BlobStore {
  readonly #client: S3Client;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #recorded: RecordedObject;
  /** The newest object of a content that this process knows: it is asked for first, and mostly it is there. */
  readonly #known = new Map<string, string>();

  constructor(client: S3Client, prefix: string, clock: Clock, recorded: RecordedObject) {
    this.#client = client;
    this.#prefix = prefix;
    this.#clock = clock;
    this.#recorded = recorded;
  }

  #folder(sha256: string): string {
    if (!namePattern.test(sha256)) throw new Error(`"${sha256}" is not the name of a blob`);
    return `${this.#prefix}${sha256}/`;
  }

  /** The objects of one content, oldest first: their names begin with the time. */
  async #objects(sha256: string): Promise<S3Object[]> {
    const found: S3Object[] = [];
    for await (const object of this.#client.list(this.#folder(sha256))) found.push(object);
    return found.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  async put(source: BlobSource, maxBytes: number): Promise<BlobInfo | undefined> {
    // The name is known when the last byte has come, and a store wants name and number of bytes first.
    const spool = await openSpool();
    try {
      const info = await receiveIntoSpool(spool, source, maxBytes);
      if (!info) return undefined;
      const time = this.#clock.now().toString(36).padStart(9, '0');
      const object = `${time}-${randomUUID()}`;
      const key = `${this.#folder(info.sha256)}${object}`;
      await this.#client.put(key, spool.createReadStream({ start: 0, autoClose: false }), info.size);
      this.#remember(info.sha256, key);
      for (const older of await this.#objects(info.sha256)) if (older.key < key) await this.#client.remove(older.key);
      return { ...info, object };
    } finally {
      await spool.close();
    }
  }

  async open(sha256: string, from = 0): Promise<OpenBlob | undefined> {
    for await (const key of this.#candidates(sha256)) {
      const download = await this.#client.get(key, from);
      if (!download) continue;
      this.#remember(sha256, key);
      return new S3Blob(this.#client, key, download, from);
    }
    this.#known.delete(sha256);
    return undefined;
  }

  async addressOf(sha256: string, as: SentAs): Promise<string | undefined> {
    if (!this.#client.isPublic) return undefined;
    // The record first: nothing is asked here that would show that what this process knows is gone.
    const key = (await this.#recordedKey(sha256)) ?? this.#known.get(sha256);
    return key && this.#client.addressOf(key, as);
  }

  /** Keys at which a content may be, the likeliest first; each is found out when those before it were none. */
  async *#candidates(sha256: string): AsyncGenerator<string> {
    const known = this.#known.get(sha256);
    if (known !== undefined) yield known;
    const recorded = await this.#recordedKey(sha256);
    if (recorded !== undefined && recorded !== known) yield recorded;
    // Newest first: an older one may go at any moment.
    for (const { key } of (await this.#objects(sha256)).reverse()) yield key;
  }

  async #recordedKey(sha256: string): Promise<string | undefined> {
    const object = await this.#recorded(sha256);
    return object === undefined ? undefined : `${this.#folder(sha256)}${object}`;
  }

  #remember(sha256: string, key: string): void {
    if (this.#known.size >= rememberedObjects) this.#known.clear();
    this.#known.set(sha256, key);
  }

  async remove(sha256: string, storedBeforeMs = Number.POSITIVE_INFINITY): Promise<void> {
    for (const { key, modifiedMs } of await this.#objects(sha256)) {
      if (modifiedMs < storedBeforeMs) await this.#client.remove(key);
    }
  }

  async check(): Promise<void> {
    const key = `${this.#prefix}check/${randomUUID()}`;
    const spool = await openSpool();
    try {
      await receiveIntoSpool(spool, Buffer.from('ready'), Number.POSITIVE_INFINITY);
      await this.#client.put(key, spool.createReadStream({ start: 0, autoClose: false }), 'ready'.length);
      await this.#client.remove(key);
    } finally {
      await spool.close();
    }
  }

  async *list(): AsyncGenerator<{ sha256: string; storedAtMs: number }> {
    let last: { sha256: string; storedAtMs: number } | undefined;
    for await (const { key, modifiedMs } of this.#client.list(this.#prefix)) {
      const [sha256 = ''] = key.slice(this.#prefix.length).split('/');
      if (!namePattern.test(sha256)) continue;
      if (last?.sha256 === sha256) {
        last.storedAtMs = Math.max(last.storedAtMs, modifiedMs);
        continue;
      }
      if (last) yield last;
      last = { sha256, storedAtMs: modifiedMs };
    }
    if (last) yield last;
  }
}

/**
 * Opens blobs in a bucket of an S3-compatible object store, which has to be there.
 *
 * @param prefix begins all keys; empty, or ends with a slash
 * @param recorded spares a list of the objects of a content that this process has not read yet
 * @throws an `UnusableError` when there is no such bucket, or it may not be used
 */
export async function s3Blobs(
  place: S3Place,
  prefix: string,
  clock: Clock = realClock,
  recorded: RecordedObject = async () => undefined,
): Promise<BlobStore> {
  const client = new S3Client(place, clock);
  let isThere: boolean;
  try {
    isThere = await client.bucketExists();
  } catch (error) {
    const message = `The object store at ${place.endpoint} (--s3-endpoint) cannot be reached: ${wordsOf(error)}`;
    throw new UnusableError(message, { cause: error });
  }
  if (!isThere) {
    throw new UnusableError(
      `Bucket "${place.bucket}" (--blobs) is not at ${place.endpoint}, or --s3-access-key may not use it`,
    );
  }
  return new S3Blobs(client, prefix, clock, recorded);
}
