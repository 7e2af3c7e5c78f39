import { type Clock, failure, type Result, success } from '@moorage/base';
import type { HttpExchange } from '../net/http-exchange.ts';
import type { Stream, StreamError, WriteSink } from './streams.ts';

export interface HttpStreamOptions {
  readonly type: 'HTTP' | 'HTTPS';
  /** Host as it was typed. */
  readonly host: string;
  readonly port: number;
  readonly localPort: number;
  readonly clock: Clock;
  /** Hears once of the answer's head, when somebody first asks for the status or the data. */
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

  constructor(exchange: HttpExchange, options: HttpStreamOptions) {
    this.type = options.type;
    this.exchange = exchange;
    this.#options = options;
  }

  info(): string {
    const { host, port, localPort } = this.#options;
    return `${host}:${port} (${localPort})`;
  }

  available(): number {
    return this.exchange.available;
  }

  get remoteClosed(): boolean {
    return this.exchange.complete;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** The status can be asked for even when there is no body: auto close waits until somebody has read to the end. */
  get lingers(): boolean {
    return !this.#readFrom;
  }

  /** Spec: MOD-CMD-http_read_status. Sends a queued request. */
  asked(): void {
    this.exchange.send();
  }

  read(max: number): Uint8Array {
    this.asked();
    this.announce();
    this.#readFrom ||= this.exchange.complete || this.exchange.available > 0;
    return this.exchange.read(max);
  }

  write(size: number): Result<WriteSink, StreamError> {
    const { exchange } = this;
    if (exchange.sent || exchange.failure !== undefined) return failure('not-writable');
    if (!exchange.takes(size)) return failure('too-large');
    return success({
      append: (chunk) => exchange.append(chunk),
      end: () => (exchange.failure === undefined ? success(undefined) : failure('failed')),
      // What came stays in the body, as it does in a file.
      abort: () => {},
    });
  }

  watch(changed: () => void): void {
    this.#changed = changed;
    this.exchange.watch(changed);
  }

  /** Gives the handle back, without the log line of a close that a user asks for. */
  finish(): void {
    this.#finished = true;
    this.#changed();
  }

  close(): Promise<void> {
    return this.exchange.close(this.#options.clock);
  }

  /** Tells of the answer's head, once. */
  announce(): void {
    const { status, chunked } = this.exchange;
    if (status === undefined || this.#announced) return;
    this.#announced = true;
    this.#options.announce({ status, chunked });
  }
}
