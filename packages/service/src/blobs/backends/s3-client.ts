import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { S3mini } from 's3mini';

/** Where an object store is and how to log in. */
export interface S3Place {
  /** `https://host[:port]`; buckets are its first path segment. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface S3Object {
  readonly key: string;
  /** Epoch ms, by the clock of the store, to the second with most of them. */
  readonly modifiedMs: number;
}

/** A signed address is used at once; a store whose clock is a little off takes it all the same. */
const addressLifeS = 600;
/** A connection on which nothing moves for this long is given up. */
const idleTimeoutMs = 60_000;
const smallRequestTimeoutMs = 30_000;
const pageObjects = 1_000;

/**
 * The few calls of an object store that blobs need. Small ones go through the library; bytes go through Node's own
 * client to addresses that the library has signed, because they are streamed and their number is known.
 */
export class S3Client {
  readonly #s3: S3mini;
  readonly #agent: http.Agent;
  readonly #isTls: boolean;

  constructor({ endpoint, region, bucket, accessKey, secretKey }: S3Place) {
    this.#s3 = new S3mini({
      endpoint: `${endpoint.replace(/\/+$/, '')}/${bucket}`,
      region,
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      requestAbortTimeout: smallRequestTimeoutMs,
    });
    this.#isTls = endpoint.startsWith('https:');
    this.#agent = new (this.#isTls ? https : http).Agent({ keepAlive: true, timeout: idleTimeoutMs });
  }

  bucketExists(): Promise<boolean> {
    return this.#s3.bucketExists();
  }

  #open(url: string, method: 'GET' | 'PUT', headers: Readonly<Record<string, string | number>>): http.ClientRequest {
    const { request } = this.#isTls ? https : http;
    const sent = request(url, { method, headers, agent: this.#agent });
    return sent.setTimeout(idleTimeoutMs, () => sent.destroy(new Error('The object store has stopped answering')));
  }

  /** Stores an object of so many bytes: whole, or not at all. */
  async put(key: string, bytes: Readable, size: number): Promise<void> {
    const request = this.#open(await this.#s3.getPresignedUrl('PUT', key, addressLifeS), 'PUT', {
      'content-length': size,
    });
    // Rejects with the request, whether that fails before the bytes are through or after.
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    const [[response]] = await Promise.all([answered, pipeline(bytes, request)]);
    const status = response.statusCode ?? 0;
    response.resume();
    if (!response.complete) await once(response, 'end');
    if (status !== 200) throw new Error(`The object store answered ${status} to an upload`);
  }

  /** The bytes of an object from a position on; `undefined` when there is no such object. */
  async get(key: string, from = 0): Promise<IncomingMessage | undefined> {
    const headers = from === 0 ? {} : { range: `bytes=${from}-` };
    const request = this.#open(await this.#s3.getPresignedUrl('GET', key, addressLifeS), 'GET', headers);
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    if (response.statusCode === (from === 0 ? 200 : 206)) return response;
    response.resume();
    if (response.statusCode === 404) return undefined;
    throw new Error(`The object store answered ${response.statusCode} to a download`);
  }

  async remove(key: string): Promise<void> {
    await this.#s3.deleteObject(key);
  }

  /** Objects whose keys begin with a prefix, in the order of their keys. */
  async *list(prefix: string): AsyncGenerator<S3Object> {
    let next: string | undefined;
    do {
      const page = await this.#s3.listObjectsPaged('/', prefix, pageObjects, next);
      if (!page) throw new Error('The bucket is gone');
      for (const { Key: key, LastModified } of page.objects ?? []) {
        // Some stores list prefixes as objects.
        if (key.startsWith(prefix)) yield { key, modifiedMs: LastModified.getTime() };
      }
      next = page.nextContinuationToken;
    } while (next);
  }
}
