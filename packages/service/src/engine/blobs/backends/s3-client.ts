import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Clock, realClock } from '@moorage/base';
import { S3mini } from 's3mini';
import { StorageError } from '../../stores/health.ts';
import { ServerWatch } from '../../stores/watch.ts';
import type { SentAs } from '../blob-store.ts';

/** Where an object store is and how to log in. */
export interface S3Place {
  /** `https://host[:port]`; buckets are its first path segment. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Where clients reach the store; they do not without it. */
  readonly publicEndpoint?: string | undefined;
}

export interface S3Object {
  readonly key: string;
  /** Epoch ms, by the clock of the store, to the second with most of them. */
  readonly modifiedMs: number;
}

/** A signed address is used at once; a store whose clock is a little off takes it all the same. What has begun may end. */
const addressLifeS = 600;
/** A connection on which nothing moves for this long is given up, in ms; that the whole store is silent shows earlier. */
const idleTimeoutMs = 20_000;
const smallRequestTimeoutMs = 10_000;
const pageObjects = 1_000;

/** Looks of 350 ms that a store has for a small reply: 5 s at most, since it may be far away. */
const missedLimit = 12;

const what = 'object store';

/** The store does not serve now, or has no room: what its status says, or that there is none. */
function storeTrouble(status: number | undefined, detail: string): Error {
  if (status !== undefined && status < 500) return new Error(`The object store answered ${detail}`);
  return new StorageError(
    { kind: status === 507 ? 'full' : 'away', what },
    `The object store does not serve: ${detail}`,
  );
}

const textOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
};

/** The library's way to the store: it takes a status of 500 for a mistake, and one of the network for its own. */
async function fetchFromStore(...request: Parameters<typeof fetch>): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(...request);
  } catch (error) {
    throw storeTrouble(undefined, textOf(error));
  }
  if (response.status >= 500) throw storeTrouble(response.status, `${response.status}`);
  return response;
}

const asTrouble = (error: unknown): never => {
  throw error instanceof StorageError ? error : storeTrouble(undefined, textOf(error));
};

/** The response to a request; rejects with what the store's silence or refusal means. */
const responseTo = async (request: http.ClientRequest): Promise<IncomingMessage> => {
  const [response] = (await once(request, 'response').catch(asTrouble)) as [IncomingMessage];
  return response;
};

const libraryFor = ({ region, bucket, accessKey, secretKey }: S3Place, endpoint: string): S3mini =>
  new S3mini({
    endpoint: `${endpoint.replace(/\/+$/, '')}/${bucket}`,
    region,
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    requestAbortTimeout: smallRequestTimeoutMs,
    fetch: fetchFromStore,
  });

/**
 * The few calls of an object store that blobs need. Small ones go through the library; bytes go through Node's own
 * client to addresses that the library has signed, because they are streamed and their number is known. While any is
 * under way the store is watched: all end with a `StorageError` when it does not reply.
 */
export class S3Client {
  readonly #s3: S3mini;
  /** Signs addresses for clients: the name of the host is signed too. */
  readonly #public: S3mini | undefined;
  readonly #agent: http.Agent;
  readonly #isTls: boolean;
  readonly #watch: ServerWatch;
  /** Requests of bytes that are under way. */
  readonly #open = new Set<http.ClientRequest>();

  constructor(place: S3Place, clock: Clock = realClock) {
    const { endpoint, publicEndpoint } = place;
    this.#s3 = libraryFor(place, endpoint);
    this.#public = publicEndpoint === undefined ? undefined : libraryFor(place, publicEndpoint);
    this.#isTls = endpoint.startsWith('https:');
    this.#agent = new (this.#isTls ? https : http).Agent({ keepAlive: true, timeout: idleTimeoutMs });
    const server = {
      what,
      missedLimit,
      ask: () => this.#s3.bucketExists(),
      // It ends by its own limit.
      giveUp() {},
      cut: () => {
        for (const request of this.#open) request.destroy();
      },
    };
    this.#watch = new ServerWatch(server, clock);
  }

  /** Whether clients reach the store. */
  get isPublic(): boolean {
    return this.#public !== undefined;
  }

  /** A signed address for clients, good for `addressLifeS`; `undefined` when they do not reach the store. */
  async addressOf(key: string, as: SentAs): Promise<string | undefined> {
    const headers = Object.entries(as).map(([name, value]) => [`response-${name}`, value]);
    return this.#public?.getPresignedUrl('GET', key, addressLifeS, Object.fromEntries(headers));
  }

  bucketExists(): Promise<boolean> {
    return this.#watch.call(() => this.#s3.bucketExists());
  }

  #request(url: string, method: 'GET' | 'PUT', headers: Readonly<Record<string, string | number>>): http.ClientRequest {
    const { request } = this.#isTls ? https : http;
    const sent = request(url, { method, headers, agent: this.#agent });
    this.#open.add(sent);
    sent.once('close', () => this.#open.delete(sent));
    return sent.setTimeout(idleTimeoutMs, () => sent.destroy(storeTrouble(undefined, 'it has stopped replying')));
  }

  /** Stores an object of so many bytes: whole, or not at all. */
  async put(key: string, bytes: Readable, size: number): Promise<void> {
    const url = await this.#s3.getPresignedUrl('PUT', key, addressLifeS);
    const status = await this.#watch.call(async () => {
      const request = this.#request(url, 'PUT', { 'content-length': size });
      request.on('drain', () => this.#watch.noteReply());
      // Rejects with the request, whether that fails before the bytes are through or after.
      const answered = responseTo(request);
      const [response] = await Promise.all([answered, pipeline(bytes, request).catch(asTrouble)]);
      response.resume();
      if (!response.complete) await once(response, 'end');
      return response.statusCode;
    });
    if (status !== 200) throw storeTrouble(status, `${status} to an upload`);
  }

  /** The bytes of an object from a position on; `undefined` when there is no such object. */
  async get(key: string, from = 0): Promise<IncomingMessage | undefined> {
    const headers = from === 0 ? {} : { range: `bytes=${from}-` };
    const url = await this.#s3.getPresignedUrl('GET', key, addressLifeS);
    const response = await this.#watch.call(() => {
      const request = this.#request(url, 'GET', headers);
      request.end();
      return responseTo(request);
    });
    if (response.statusCode === (from === 0 ? 200 : 206)) return response;
    response.resume();
    if (response.statusCode === 404) return undefined;
    throw storeTrouble(response.statusCode, `${response.statusCode} to a download`);
  }

  /** The next chunk of a download. */
  next(chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    return this.#watch.call(() => chunks.next());
  }

  async remove(key: string): Promise<void> {
    await this.#watch.call(() => this.#s3.deleteObject(key));
  }

  /** Objects whose keys begin with a prefix, in the order of their keys. */
  async *list(prefix: string): AsyncGenerator<S3Object> {
    let next: string | undefined;
    do {
      const after: string | undefined = next;
      const page = await this.#watch.call(() => this.#s3.listObjectsPaged('/', prefix, pageObjects, after));
      if (!page) throw new Error('The bucket is gone');
      for (const { Key: key, LastModified } of page.objects ?? []) {
        // Some stores list prefixes as objects.
        if (key.startsWith(prefix)) yield { key, modifiedMs: LastModified.getTime() };
      }
      next = page.nextContinuationToken;
    } while (next);
  }
}
