// `node:http` is allowed here although this is not `net/node.ts`: it is handed a stream that the net port has dialled
// and opens nothing by itself; it only speaks the protocol.
import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, failure, type Result, success } from '@moorage/base';

/** What a request says first. Names of headers keep the spelling they are given. */
export interface RequestHead {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Path and query, as they go into the request line: printable ASCII without spaces. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export type HeaderError = 'sent' | 'malformed' | 'too-large';

/** A body up to this size is kept until the request is sent, which then has a `Content-Length`; in bytes. */
export const maxQueuedBytes = 64 * 1024;

/** All headers of one request together, in bytes. */
const maxHeaderBytes = 8 * 1024;

/** Headers of the answer together, in bytes. */
const maxAnswerHeadBytes = 16 * 1024;

/** How long the answer to a request may take whose stream has been closed; it is thrown away. */
const lingerMs = 2_000;

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers of which a request has one, so that a later one takes the place of the first. */
const single = new Set(['accept', 'connection', 'content-length', 'content-type', 'host', 'user-agent']);

/**
 * One request and its answer over one open connection. Headers and a body can be added until it is sent. A body larger
 * than `maxQueuedBytes` sends the head with `Transfer-Encoding: chunked` and then goes out as it comes. The answer is
 * read no faster than its reader takes it: what waits is bounded by the marks of the streams below.
 * Spec: MOD-RULE-http-client.
 */
export class HttpExchange {
  readonly #stream: Duplex;
  readonly #method: RequestHead['method'];
  readonly #path: string;
  readonly #headers: [name: string, value: string][] = [];
  #headerBytes = 0;
  #queued: Uint8Array[] = [];
  #queuedBytes = 0;
  /** Body bytes of a length that a header has announced and that are still to come. */
  #announcedLeft = Number.POSITIVE_INFINITY;
  #request: ClientRequest | undefined;
  #ended = false;
  /** The request has just gone out because its stream is closed. */
  #lingers = false;
  #response: IncomingMessage | undefined;
  #failure: string | undefined;
  #changed: () => void = () => {};
  readonly #answered = Promise.withResolvers<void>();

  constructor(stream: Duplex, head: RequestHead) {
    this.#stream = stream;
    this.#method = head.method;
    this.#path = head.path;
    for (const [name, value] of head.headers) this.#put(name, value);
    stream.on('error', this.#connectionLost);
    stream.on('close', this.#connectionLost);
  }

  /** The whole request is on its way: nothing can be added. */
  get sent(): boolean {
    return this.#ended;
  }

  /** Status code of the answer; `undefined` until its head has come. */
  get status(): number | undefined {
    return this.#response?.statusCode;
  }

  /** The body of the answer comes in chunks. */
  get chunked(): boolean {
    return /(^|[\s,])chunked\s*$/i.test(this.#response?.headers['transfer-encoding'] ?? '');
  }

  /** Announced size of the answer's body in bytes; `undefined` when the answer does not say. */
  get contentLength(): number | undefined {
    const length = this.#response?.headers['content-length'];
    return length === undefined ? undefined : Number(length);
  }

  /** Why there is no complete answer; `undefined` while there may be one. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** No more bytes will come than are available. */
  get complete(): boolean {
    return this.#failure !== undefined || this.#response?.complete === true;
  }

  /** Bytes of the body that can be read now. */
  get available(): number {
    return this.#response?.readableLength ?? 0;
  }

  /** Resolves when the head of the answer is there or none will come. */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  /** Takes up to `max` bytes of the body, which has no chunk marks any more. */
  read(max: number): Uint8Array {
    const size = Math.min(max, this.available);
    // The answer of a connection that has been cut gives what it still holds, if it is asked for no more.
    const bytes: unknown = size > 0 ? this.#response?.read(size) : undefined;
    // Also pulls what is waiting below.
    if (size === 0 && !this.#response?.destroyed) this.#response?.read(0);
    return bytes instanceof Uint8Array ? bytes : new Uint8Array();
  }

  /** `changed` is called when bytes or the end of the answer have come. */
  watch(changed: () => void): void {
    this.#changed = changed;
  }

  /** Adds a header to a request of which nothing has been sent. */
  addHeader(name: string, value: string): Result<void, HeaderError> {
    if (this.#request || this.#ended || this.#failure !== undefined) return failure('sent');
    if (!headerName.test(name) || !headerValue.test(value)) return failure('malformed');
    if (this.#headerBytes + name.length + value.length + 4 > maxHeaderBytes) return failure('too-large');
    const length = name.toLowerCase() === 'content-length';
    if (length && !/^\d{1,15}$/.test(value)) return failure('malformed');
    this.#put(name, value);
    return success(undefined);
  }

  /** Whether `size` more body bytes can be taken. */
  takes(size: number): boolean {
    return !this.#ended && this.#failure === undefined && size <= this.#announcedLeft;
  }

  /** Adds to the body; the promise resolves when there is room for more. */
  append(chunk: Uint8Array): void | Promise<void> {
    if (this.#ended || this.#failure !== undefined || chunk.length === 0) return;
    if (!this.#request && this.#queuedBytes + chunk.length <= maxQueuedBytes) {
      // The bytes stay here: the caller's may change.
      this.#queued.push(Uint8Array.from(chunk));
      this.#queuedBytes += chunk.length;
      return;
    }
    const request = this.#request ?? this.#start(undefined);
    for (const queued of this.#queued.splice(0)) this.#writeBody(request, queued);
    if (this.#writeBody(request, chunk) || request.destroyed || this.#stream.destroyed) return;
    return new Promise((resolve) => {
      const done = (): void => {
        request.off('drain', done).off('close', done);
        this.#stream.off('close', done);
        resolve();
      };
      request.on('drain', done).on('close', done);
      this.#stream.on('close', done);
    });
  }

  /** Sends what has not been sent, and no more; harmless when it has been done. */
  send(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#failure !== undefined) return;
    const request = this.#request ?? this.#start(this.#queuedBytes);
    for (const queued of this.#queued.splice(0)) request.write(queued);
    // A body that is shorter than its announced length is no request: the server must not wait for the rest.
    if (this.#request && Number.isFinite(this.#announcedLeft) && this.#announcedLeft > 0) {
      this.#fail('The body is shorter than its Content-Length');
      request.destroy();
    } else request.end();
  }

  /** Sends what is queued; resolves when the request is out of the module's hands. */
  async flush(clock: Clock): Promise<void> {
    const unsent = !this.#ended && this.#failure === undefined;
    this.send();
    const request = this.#request;
    if (!unsent || !request || request.destroyed) return;
    this.#lingers = true;
    await new Promise<void>((resolve) => {
      const stop = clock.after(lingerMs, resolve);
      const done = (): void => {
        stop();
        resolve();
      };
      request.once('finish', done).once('close', done);
    });
  }

  /** Lets go of the connection. What is still queued is not sent. */
  close(clock: Clock): void {
    if (!this.#lingers) {
      this.#destroy();
      return;
    }
    // Some servers give a request up when its connection goes before they have answered.
    const stop = clock.after(lingerMs, () => this.#destroy());
    void this.answered.then(() => {
      stop();
      this.#destroy();
    });
  }

  #destroy(): void {
    this.#fail('Closed');
    this.#request?.destroy();
    this.#stream.destroy();
  }

  #put(name: string, value: string): void {
    const known = this.#headers.findIndex(([other]) => other.toLowerCase() === name.toLowerCase());
    if (known >= 0 && single.has(name.toLowerCase())) this.#headers.splice(known, 1);
    this.#headers.push([name, value]);
    this.#headerBytes += name.length + value.length + 4;
  }

  /** Writes the head, with the body's length when that is known. */
  #start(bodyBytes: number | undefined): ClientRequest {
    const given = this.#headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
    const own = this.#headers.filter(([name]) => !/^(content-length|transfer-encoding)$/i.test(name));
    const hasBody = this.#method === 'POST' || bodyBytes !== 0;
    if (bodyBytes !== undefined && hasBody) own.push(['Content-Length', String(bodyBytes)]);
    else if (bodyBytes === undefined && given !== undefined) {
      own.push(['Content-Length', given]);
      this.#announcedLeft = Number(given);
    } else if (hasBody) own.push(['Transfer-Encoding', 'chunked']);
    // One exchange is all that a connection is for.
    if (!own.some(([name]) => name.toLowerCase() === 'connection')) own.push(['Connection', 'close']);
    const request = startRequest({
      createConnection: () => this.#stream,
      method: this.#method,
      path: this.#path,
      headers: own.flat(),
      setHost: false,
      maxHeaderSize: maxAnswerHeadBytes,
      // RFC 9112 2.2: a line may end in LF alone, as it does with small servers. What else this parser forgives decides how one
      // answer of one connection is read, and no other request can come to be answered by it.
      insecureHTTPParser: true,
    });
    this.#request = request;
    request.on('error', (error) => this.#fail(error.message));
    request.once('response', (response) => this.#receive(response));
    // The request was not for another protocol.
    request.once('upgrade', (_response, stream: Duplex) => {
      this.#fail('The server has changed the protocol');
      stream.destroy();
    });
    request.on('close', () => this.#response ?? this.#fail('The connection was closed without an answer'));
    return request;
  }

  #receive(response: IncomingMessage): void {
    this.#response = response;
    response.on('readable', () => this.#changed());
    response.on('end', () => this.#changed());
    response.on('error', (error) => this.#fail(error.message));
    response.on('close', () => response.complete || this.#fail('The connection was closed within the answer'));
    // The body is made by the parser while this listener runs: what belongs to the head is complete by then.
    this.#answered.resolve();
    this.#changed();
  }

  #writeBody(request: ClientRequest, chunk: Uint8Array): boolean {
    this.#announcedLeft -= chunk.length;
    if (this.#announcedLeft >= 0) return request.write(chunk);
    this.#fail('The body is longer than its Content-Length');
    request.destroy();
    return true;
  }

  readonly #connectionLost = (error?: Error | boolean): void => {
    // While a request is out, it reports this itself, after it has read what came before.
    if (!this.#request) this.#fail(error instanceof Error ? error.message : 'The connection was closed');
  };

  #fail(reason: string): void {
    if (this.complete) return;
    this.#failure = reason;
    this.#queued = [];
    this.#answered.resolve();
    this.#changed();
  }
}
