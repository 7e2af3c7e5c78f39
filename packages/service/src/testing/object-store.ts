import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { S3Place } from '../engine/blobs/backends/s3-client.ts';

interface StoredObject {
  readonly bytes: Buffer;
  /** Epoch ms, to the second as in most stores. */
  readonly modifiedMs: number;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** The access that the store of the tests gives. */
export const objectKeys = { accessKey: 'OBJECTS', secretKey: 'the secret of the objects' };

const refused = (status: number, code: string): Reply => ({ status, body: `<Error><Code>${code}</Code></Error>` });

const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** As the signature wants it: more is escaped than in an address of the web. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * What a request says of its signer, and the signature that it should have, by version 4 of AWS's signatures
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html): in its header or its address.
 */
export function signatureOf(
  { method = '', url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  secretKey: string,
) {
  const [path = '', query = ''] = url.split('?');
  const params = new URLSearchParams(query);
  const inHeader = /Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(headers.authorization ?? '');
  const inAddress = ['Credential', 'SignedHeaders', 'Signature'].map((name) => params.get(`X-Amz-${name}`) ?? '');
  const [credential = '', signedHeaders = '', signature = ''] = inHeader?.slice(1) ?? inAddress;
  const [accessKey = '', ...scope] = credential.split('/');
  const date = params.get('X-Amz-Date') ?? headers['x-amz-date'];
  const sorted = [...params]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort();
  const request = [
    method,
    path,
    sorted.join('&'),
    ...signedHeaders.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signedHeaders,
    headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD',
  ].join('\n');
  const sum = createHash('sha256').update(request).digest('hex');
  const key = scope.reduce<string | Buffer>(
    (parent, part) => createHmac('sha256', parent).update(part).digest(),
    `AWS4${secretKey}`,
  );
  const expected = createHmac('sha256', key).update(`AWS4-HMAC-SHA256\n${date}\n${scope.join('/')}\n${sum}`);
  return { accessKey, signature, expected: expected.digest('hex') };
}

/**
 * The part of an object store of S3 that blobs rely on, in memory, on a free port of loopback: signatures of version 4,
 * a look for a bucket, put, get with a range and with headers that the address names, remove, and lists page by page.
 */
export class ObjectStore {
  readonly server: Server;
  readonly #buckets: ReadonlyMap<string, Map<string, StoredObject>>;

  private constructor(buckets: readonly string[]) {
    this.#buckets = new Map(buckets.map((name) => [name, new Map()]));
    this.server = createServer((request, response) => this.#answer(request, response));
  }

  static async open(...buckets: readonly string[]): Promise<ObjectStore> {
    const store = new ObjectStore(buckets);
    await new Promise<void>((resolve) => store.server.listen(0, '127.0.0.1', resolve));
    return store;
  }

  get endpoint(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : undefined}`;
  }

  /** Where a bucket is, with the keys for it. */
  place(bucket = 'blobs'): S3Place {
    return { endpoint: this.endpoint, region: 'us-east-1', bucket, ...objectKeys };
  }

  /** The flags with which a program keeps its blobs here. */
  flags(bucket = 'blobs'): string[] {
    const { accessKey, secretKey } = objectKeys;
    const keys = ['--s3-access-key', accessKey, '--s3-secret-key', secretKey];
    return ['--blobs', `s3://${bucket}`, '--s3-endpoint', this.endpoint, ...keys];
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    // One that is cut before its end has stored nothing.
    request.on('end', () => {
      const { status, headers, body = '' } = this.#replyTo(request, Buffer.concat(chunks));
      response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
      response.end(request.method === 'HEAD' ? undefined : body);
    });
  }

  #replyTo(request: IncomingMessage, bytes: Buffer): Reply {
    const { accessKey, signature, expected } = signatureOf(request, objectKeys.secretKey);
    if (accessKey !== objectKeys.accessKey) return refused(403, 'InvalidAccessKeyId');
    if (signature !== expected) return refused(403, 'SignatureDoesNotMatch');
    const { pathname, searchParams } = new URL(request.url ?? '', this.endpoint);
    const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
    const objects = this.#buckets.get(bucket);
    if (!objects) return refused(404, 'NoSuchBucket');
    if (key === '') return request.method === 'HEAD' ? { status: 200 } : listed(objects, searchParams);
    if (request.method === 'GET') return part(objects.get(key), searchParams, request.headers.range);
    if (request.method === 'PUT') objects.set(key, { bytes, modifiedMs: Math.floor(Date.now() / 1000) * 1000 });
    else objects.delete(key);
    return { status: request.method === 'PUT' ? 200 : 204 };
  }
}

/** An object, or a part of it, with the headers that the address names. */
function part(object: StoredObject | undefined, params: URLSearchParams, range?: string): Reply {
  if (!object) return refused(404, 'NoSuchKey');
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  const named = [...params].flatMap(([name, value]) =>
    name.startsWith('response-') ? [[name.slice('response-'.length), value] as const] : [],
  );
  const headers = Object.fromEntries(named);
  const { bytes } = object;
  if (from === undefined) return { status: 200, headers, body: bytes };
  if (Number(from) >= bytes.length) return refused(416, 'InvalidRange');
  const body = bytes.subarray(Number(from), to ? Number(to) + 1 : undefined);
  const contentRange = `bytes ${from}-${Number(from) + body.length - 1}/${bytes.length}`;
  return { status: 206, headers: { ...headers, 'content-range': contentRange }, body };
}

/** A page of the objects whose keys begin with a prefix, in the order of their keys; the key before it is its token. */
function listed(objects: ReadonlyMap<string, StoredObject>, params: URLSearchParams): Reply {
  const prefix = params.get('prefix') ?? '';
  const after = params.get('continuation-token') ?? '';
  const rest = [...objects]
    .filter(([key]) => key.startsWith(prefix) && key > after)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const page = rest.slice(0, Number(params.get('max-keys') ?? 1000));
  const rows = page.map(
    ([key, { bytes, modifiedMs }]) =>
      `<Contents><Key>${escaped(key)}</Key><LastModified>${new Date(modifiedMs).toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`,
  );
  const isCut = page.length < rest.length;
  const next = isCut ? `<NextContinuationToken>${escaped(page.at(-1)?.[0] ?? '')}</NextContinuationToken>` : '';
  const body = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${rows.join('')}</ListBucketResult>`;
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}
