import { type Clock, failure, type Result, success } from '@moorage/base';
import type { HttpExchange } from '@moorage/net/http/exchange';
import { type PacketPool, ReceiveQueue } from './net-buffers.ts';
import type { Stream, StreamError, WriteSink } from './streams.ts';

interface HttpStreamOptions {
  readonly type: 'HTTP' | 'HTTPS';
  /** Host as it was typed. */
  readonly host: string;
  readonly port: number;
  readonly localPort: number;
  readonly clock: Clock;
  readonly pool: PacketPool;
  /** Called once with the response's head, when the status or the data is first read. */
  readonly announce: (answer: { readonly status: number; readonly chunked: boolean }) => void;
}

/**
 * A request and its answer as a stream: what is written is the body of the request, what is read is the body of the
 * answer. Whatever asks for the answer sends the request first. Spec: MOD-STREAM-HTTP, MOD-STREAM-HTTPS.
 */
export class HttpStream implements Stream {
  readonly type: 'HTTP' | 'HTTPS';
  readonly exchange: HttpExchange;
  readonly #options: HttpStreamOptions;
  #announced = false;
  #readFrom = false;
  #finished = false;
  #changed: () => void = () => {};
  /** Bytes of the answer in the packet pool; what that has no room for stays with the connection. */
  readonly #queue: ReceiveQueue;
  readonly #takeMore = (): void => {
    this.#pull();
    this.#changed();
  };

  constructor(exchange: HttpExchange, options: HttpStreamOptions) {
    this.#queue = new ReceiveQueue(options.pool);
    this.type = options.type;
    this.exchange = exchange;
    this.#options = options;
  }

  info(): string {
    const { host, port, localPort } = this.#options;
    return `${host}:${port} (${localPort})`;
  }

  available(): number {
    return this.#queue.length;
  }

  get remoteClosed(): boolean {
    return this.exchange.complete && this.exchange.available === 0;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** The answer was cut: what can be read is not all of its body. */
  get lost(): StreamError | undefined {
    const { failure: cut, status } = this.exchange;
    return cut !== undefined && status !== undefined && this.remoteClosed && this.available() === 0 ? 'cut' : undefined;
  }

  /** The status can be asked for even when there is no body: auto close waits until it has been read to the end. */
  get lingers(): boolean {
    return !this.#readFrom;
  }

  /** Spec: MOD-CMD-http_read_status. Sends a queued request. */
  flush(): void {
    this.exchange.send();
  }

  read(max: number): Uint8Array {
    this.flush();
    this.announce();
    this.#readFrom ||= this.exchange.complete || this.available() > 0;
    return this.take(max);
  }

  /** Reads for a command that closes the stream itself: auto close does not hear of it. */
  take(max: number): Uint8Array {
    this.#pull();
    const bytes = this.#queue.read(max);
    if (bytes.length > 0) this.#pull();
    return bytes;
  }

  write(size: number): Result<WriteSink, StreamError> {
    const { exchange } = this;
    if (exchange.sent || exchange.failure !== undefined) return failure('not-writable');
    if (!exchange.takes(size)) return failure('too-large');
    return success({
      append: (chunk) => exchange.append(chunk),
      end: () => (exchange.failure === undefined ? success(undefined) : failure('failed')),
      abort: () => {},
    });
  }

  watch(changed: () => void): void {
    this.#changed = changed;
    this.exchange.watch(this.#takeMore);
  }

  /** Gives the handle back, without the log line of a close that a user asks for. */
  finish(): void {
    this.#finished = true;
    this.#changed();
  }

  /** Spec: MOD-CMD-stream_close. A queued request is sent; when the network or the module goes down it is not. */
  async complete(): Promise<Result<void, never>> {
    await this.exchange.flush(this.#options.clock);
    return success(undefined);
  }

  close(): void {
    this.#queue.close(this.#takeMore);
    this.exchange.close(this.#options.clock);
  }

  /** Announces the response's head, once. */
  announce(): void {
    const { status, chunked } = this.exchange;
    if (status === undefined || this.#announced) return;
    this.#announced = true;
    this.#options.announce({ status, chunked });
  }

  /** Moves what the pool has room for. Spec: MOD-VAR-network.buffer.size. */
  #pull(): void {
    const { exchange } = this;
    while (exchange.available > 0) {
      const { room } = this.#queue;
      if (room <= 0) {
        this.#queue.share.onRoom(this.#takeMore);
        return;
      }
      const bytes = exchange.read(room);
      if (bytes.length === 0) return;
      this.#queue.push(bytes);
    }
    // Reading nothing asks the connection for more.
    exchange.read(0);
  }
}
