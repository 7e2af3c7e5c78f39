// `node:http` is allowed here although this is not `net/node.ts`: it is handed a stream that the net port has dialled
// and opens nothing by itself; it only speaks the protocol.
import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as startRequest,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, failure, type Result, success } from '@moorage/base';
import type { Net, NetError, NetFailure, TlsClient } from '../ports.ts';

export interface HttpTarget {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsClient | undefined;
  /** Connections that requests may use at the same time; one without it. */
  readonly maxConnections?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the headers of every response. */
  readonly onHeaders?: (headers: IncomingHttpHeaders) => void;
}

/** Why a request came to nothing. */
export type HttpFailure =
  /** No complete answer: not found, refused, TLS, cut, silent. */
  | { readonly kind: 'unreachable'; readonly detail: string; readonly network?: NetFailure }
  /** An answer that is not 200 or 206; `message` and `code` are its body's fields of those names, if both are there. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly message: string;
      readonly code?: string | undefined;
      /** Where the server sends the client. */
      readonly location?: string | undefined;
    }
  /** An answer that breaks the protocol, its own length or our limits. */
  | { readonly kind: 'malformed'; readonly detail: string };

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a request carries. */
export interface SentBody {
  readonly content: Uint8Array;
  readonly mediaType: string;
}

export interface DownloadOptions {
  readonly path: string;
  /** First byte wanted; more than 0 makes it a range request. */
  readonly from: number;
  /** Beside those of the target. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Size of the whole file. */
  readonly size: number;
  /** Takes the bytes in order; the download waits for the promise before it reads on. */
  readonly receive: (chunk: Uint8Array) => Promise<void>;
}

/** Largest JSON reply, in bytes: a manifest of 1000 files fits. */
const maxReplyBytes = 1024 * 1024;

/** Silence after which a request is given up, in ms. */
const silenceTimeoutMs = 30_000;

/** A client of one server, over the net port. Connections are kept for the next request until `close`. */
export class HttpClient {
  readonly #clock: Clock;
  readonly #target: HttpTarget;
  readonly #agent: DialAgent;
  #closed = false;

  constructor(net: Net, clock: Clock, target: HttpTarget) {
    this.#clock = clock;
    this.#target = target;
    this.#agent = new DialAgent(net, target);
  }

  /** Sends a value as JSON, or nothing, and reads a JSON reply. */
  json(method: HttpMethod, path: string, value?: unknown): Promise<Result<unknown, HttpFailure>> {
    const body = value === undefined ? undefined : Buffer.from(JSON.stringify(value));
    return this.send(method, path, body && { content: body, mediaType: 'application/json' });
  }

  /** Sends bytes as they are, or nothing, and reads a JSON reply. */
  send(method: HttpMethod, path: string, sent?: SentBody): Promise<Result<unknown, HttpFailure>> {
    const body = sent && Buffer.from(sent.content.buffer, sent.content.byteOffset, sent.content.byteLength);
    const headers = sent && { 'content-type': sent.mediaType, 'content-length': String(sent.content.length) };
    return this.#exchange({ method, path, headers, body }, async (response, alive) => {
      const text = await readText(response, alive);
      if (!text.ok) return text;
      if (response.statusCode !== 200) return failure(statusFailure(response, text.value));
      try {
        return success(JSON.parse(text.value));
      } catch {
        return failure({ kind: 'malformed', detail: 'The reply is not JSON' });
      }
    });
  }

  /** Fetches bytes of unknown number; more than `maxBytes` of them are malformed. */
  fetch(path: string, maxBytes: number): Promise<Result<Uint8Array, HttpFailure>> {
    return this.#exchange({ method: 'GET', path }, async (response, alive) => {
      const bytes = await readBytes(response, alive, response.statusCode === 200 ? maxBytes : maxReplyBytes);
      if (!bytes.ok || response.statusCode === 200) return bytes;
      return failure(statusFailure(response, bytes.value.toString()));
    });
  }

  /** Fetches a file from a byte on. What was received before a failure counts: go on from there. */
  async download({ path, from, size, receive, headers: own }: DownloadOptions): Promise<Result<void, HttpFailure>> {
    const headers = { ...own, ...(from > 0 && { range: `bytes=${from}-` }) };
    return this.#exchange({ method: 'GET', path, headers }, async (response, alive) => {
      if (response.statusCode !== 200 && response.statusCode !== 206) {
        const text = await readText(response, alive);
        return text.ok ? failure(statusFailure(response, text.value)) : text;
      }
      const start = firstByte(response);
      if (start === undefined || start > from) {
        return failure({ kind: 'malformed', detail: `The reply does not begin at byte ${from}` });
      }
      let at = start;
      for await (const chunk of response as AsyncIterable<Buffer>) {
        alive();
        if (at + chunk.length > size) return failure({ kind: 'malformed', detail: `The file is over ${size} bytes` });
        // A server may ignore the range and begin at the beginning.
        const wanted = chunk.subarray(Math.max(0, from - at));
        at += chunk.length;
        if (wanted.length > 0)
          await receive(wanted).catch((cause: unknown) => Promise.reject(new ReceiverError(cause)));
      }
      return at === size ? success(undefined) : failure({ kind: 'malformed', detail: `The file ends at byte ${at}` });
    });
  }

  /** Ends all connections; requests that run fail, and so do later ones. */
  close(): void {
    this.#closed = true;
    this.#agent.destroy();
  }

  async #exchange<T>(
    options: {
      readonly method: string;
      readonly path: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      readonly body?: Buffer | undefined;
    },
    read: (response: IncomingMessage, alive: () => void) => Promise<Result<T, HttpFailure>>,
    retried = false,
  ): Promise<Result<T, HttpFailure>> {
    if (this.#closed) return failure({ kind: 'unreachable', detail: 'The client has been closed' });
    const { host, port, headers } = this.#target;
    const request = startRequest({
      host,
      port,
      method: options.method,
      path: options.path,
      headers: { ...headers, ...options.headers },
      agent: this.#agent,
    });
    const watchdog = this.#watch(request);
    let answered = false;
    try {
      const response = await responseOf(request, options.body);
      answered = true;
      this.#target.onHeaders?.(response.headers);
      const result = await read(response, watchdog.alive);
      // What is not read to its end would block the connection for the next request.
      if (!response.complete) request.destroy();
      return result;
    } catch (error) {
      request.destroy();
      if (error instanceof ReceiverError) throw error.cause;
      // A kept connection that the server has closed in the meantime says nothing about the server.
      if (request.reusedSocket && !answered && !retried && isReset(error)) return this.#exchange(options, read, true);
      return failure(unreachable(watchdog.expired() ? silent : networkFailure(error)));
    } finally {
      watchdog.stop();
    }
  }

  /** Ends a request that has been silent for too long. */
  #watch(request: ClientRequest): Watchdog {
    let expired = false;
    const giveUp = () => {
      expired = true;
      request.destroy(new Error('The request was silent for too long'));
    };
    let stop = this.#clock.after(silenceTimeoutMs, giveUp);
    const alive = () => {
      stop();
      stop = this.#clock.after(silenceTimeoutMs, giveUp);
    };
    return { alive, stop: () => stop(), expired: () => expired };
  }
}

interface Watchdog {
  readonly alive: () => void;
  readonly stop: () => void;
  readonly expired: () => boolean;
}

/** The taker of the bytes has failed, not the network: its error goes to the caller. */
class ReceiverError extends Error {
  constructor(cause: unknown) {
    super('The receiver of a download failed', { cause });
  }
}

const responseOf = (request: ClientRequest, body: Buffer | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('response', resolve);
    request.end(body);
  });

async function readText(response: IncomingMessage, alive: () => void): Promise<Result<string, HttpFailure>> {
  const bytes = await readBytes(response, alive, maxReplyBytes);
  return bytes.ok ? success(bytes.value.toString()) : bytes;
}

async function readBytes(
  response: IncomingMessage,
  alive: () => void,
  maxBytes: number,
): Promise<Result<Buffer, HttpFailure>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    alive();
    length += chunk.length;
    if (length > maxBytes) return failure({ kind: 'malformed', detail: `The reply is over ${maxBytes} bytes` });
    chunks.push(chunk);
  }
  return success(Buffer.concat(chunks));
}

/** Where the body begins in the file: `undefined` when a partial reply does not say. */
function firstByte(response: IncomingMessage): number | undefined {
  if (response.statusCode === 200) return 0;
  const start = /^bytes (\d+)-/.exec(response.headers['content-range'] ?? '')?.[1];
  return start === undefined ? undefined : Number(start);
}

function statusFailure(response: IncomingMessage, text: string): HttpFailure {
  const status = response.statusCode ?? 0;
  const { location } = response.headers;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body && 'message' in body && 'code' in body) {
      const { message, code } = body;
      if (typeof message === 'string' && typeof code === 'string') return { kind: 'status', status, message, code };
    }
  } catch {
    // A proxy's page instead of our own error body.
  }
  return { kind: 'status', status, message: `The service answered with status ${status}`, location };
}

const silent: NetFailure = { error: 'timeout', detail: `No answer in ${silenceTimeoutMs} ms` };

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const isReset = (error: unknown): boolean => /^(ECONNRESET|EPIPE)$/.test(codeOf(error));

const unreachable = (network: NetFailure | undefined): HttpFailure =>
  network
    ? { kind: 'unreachable', detail: network.detail, network }
    : { kind: 'unreachable', detail: 'The reply is not HTTP' };

/** A dial that has failed, for the library, which takes errors. */
class DialError extends Error {
  readonly network: NetFailure;

  constructor(network: NetFailure) {
    super(`${network.error}: ${network.detail}`);
    this.network = network;
  }
}

/** What has happened to a connection; `undefined` when its bytes were no HTTP. */
function networkFailure(error: unknown): NetFailure | undefined {
  if (error instanceof DialError) return { ...error.network, detail: error.message };
  const code = codeOf(error);
  if (code.startsWith('HPE_')) return undefined;
  // A server may refuse a certificate when the handshake is over.
  const kind: NetError = /^(ERR_SSL_|EPROTO$)/.test(code) ? 'tls' : code === 'ETIMEDOUT' ? 'timeout' : 'reset';
  return { error: kind, detail: error instanceof Error ? error.message : String(error), ...(code !== '' && { code }) };
}

/** Hands `node:http` the streams that the net port dials, and keeps them for the next request. */
class DialAgent extends Agent {
  readonly #net: Net;
  readonly #target: HttpTarget;

  constructor(net: Net, target: HttpTarget) {
    const { maxConnections = 1 } = target;
    super({ keepAlive: true, maxSockets: maxConnections, maxFreeSockets: maxConnections });
    this.#net = net;
    this.#target = target;
  }

  override createConnection(_options: unknown, done: (error: Error | null, stream: Duplex) => void): undefined {
    const { host, port, tls } = this.#target;
    const dialling = this.#net.dial({ host, port, timeoutMs: silenceTimeoutMs, ...(tls && { tls }) });
    void dialling.then((dialled) => {
      if (dialled.ok) done(null, dialled.value.stream);
      // The callback's second parameter is not read when there is an error.
      else (done as (error: Error) => void)(new DialError(dialled.error));
    });
  }

  /** The default sets socket options, which a stream that is no socket does not have. */
  override keepSocketAlive(): boolean {
    return true;
  }

  /** The default also takes off what ends a free connection on which something comes, as the next answer will. */
  override reuseSocket(stream: Duplex, request: ClientRequest): void {
    // A stream that is no socket keeps no process alive.
    if (!('ref' in stream)) Object.assign(stream, { ref: () => {} });
    super.reuseSocket(stream, request);
  }
}
