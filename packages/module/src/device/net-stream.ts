import { type CancelTimer, type Clock, failure, type Result, success } from '@moorage/base';
import type { Connection, Interface } from '@moorage/net';
import { type PacketPool, ReceiveQueue, Share } from './net-buffers.ts';
import type { Stream, StreamError, StreamType, WriteSink } from './streams.ts';

/** Longest time in which a closed stream sends what is queued, in ms. */
export const drainTimeoutMs = 1_000;

/** How long the other side has to end its direction after ours has ended, in ms; then the connection is dropped. */
export const lingerMs = 2_000;

interface SocketStreamOptions {
  readonly type: StreamType;
  readonly connection: Connection;
  /** The text of `stream_list`. */
  readonly info: () => string;
  readonly pool: PacketPool;
  readonly clock: Clock;
  /** Interface that it runs on. */
  readonly iface: Interface;
  /** Longest wait of a write for a socket that takes nothing, in ms; asked at each write. */
  readonly writeTimeoutMs: () => number;
  /** What has ended its half is still written to. */
  readonly answersHalf?: true;
  /** Without traffic for so long, the stream ends; 0 or nothing for never. */
  readonly idleMs?: number;
  /** Called once when the stream has been closed by either side, with whether the other side had closed before. */
  readonly gone?: (remoteClosed: boolean) => void;
}

/**
 * A connection as a stream of the table: use it for whatever moves bytes over a `Connection` of the net port.
 *
 * - Received bytes wait in the packet pool; what it has no room for stays in the socket, which holds the sender back.
 * - A write waits until the pool has room again, a command no longer than its time; its bytes are with the socket then, not yet with the other side.
 * - When the other side ends its half or is lost, what has come stays readable, `remoteClosed` is true, writes are refused.
 *   Only a client of a server of the module can still be written to until it is lost: it may wait for its answer.
 * - `close` sends what is queued, ends, and drops a connection that the other side does not end.
 *
 * Spec: MOD-RULE-tcp, MOD-RULE-tls, MOD-STREAM-poll-states.
 */
export class SocketStream implements Stream {
  readonly type: StreamType;
  readonly iface: Interface;
  readonly #options: SocketStreamOptions;
  readonly #queue: ReceiveQueue;
  readonly #unsent: Share;
  readonly #takeMore = (): void => this.#receive();
  #changed: () => void = () => {};
  #remoteClosed = false;
  #lost = false;
  #finished = false;
  #closed = false;
  #usedAtMs: number;
  #cancelIdle: CancelTimer | undefined;
  /** Writes that wait for room. */
  readonly #writers = new Set<() => void>();
  readonly #notifyWriters = (): void => {
    for (const notify of this.#writers) notify();
  };

  constructor(options: SocketStreamOptions) {
    this.type = options.type;
    this.iface = options.iface;
    this.#options = options;
    this.#queue = new ReceiveQueue(options.pool);
    this.#unsent = new Share(options.pool.sending);
    this.#usedAtMs = options.clock.monotonic();
    const { stream } = options.connection;
    const lost = (): void => this.#lose();
    stream.on('end', () => this.#endOfPeer());
    stream.on('error', lost);
    stream.on('close', lost);
    stream.on('readable', this.#takeMore);
    this.#watchIdle();
  }

  get connection(): Connection {
    return this.#options.connection;
  }

  info(): string {
    return this.#options.info();
  }

  available(): number {
    return this.#queue.length;
  }

  get remoteClosed(): boolean {
    return this.#remoteClosed;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** Bytes that a write can hand over at once. */
  writeRoom(): number {
    return this.#unsent.free;
  }

  watch(changed: () => void): void {
    this.#changed = changed;
    this.#receive();
  }

  read(max: number): Uint8Array {
    const bytes = this.#queue.read(max);
    // The socket may have more for the room that has come.
    if (bytes.length > 0) this.#pull();
    return bytes;
  }

  write(_size = 0, patient = false): Result<WriteSink, StreamError> {
    if (this.#over) return failure('not-writable');
    let late = false;
    return success({
      append: (chunk) => {
        if (late || this.#over) return;
        this.#send(chunk);
        if (this.#unsent.free > 0) return;
        return this.#roomToSend(patient).then((room) => {
          late = !room;
        });
      },
      end: () => (late || this.#over ? failure('failed') : success(undefined)),
      // What came has been sent.
      abort: () => {},
    });
  }

  /** Resolves when what is queued has been sent, or cannot be. The connection may live a little longer. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelIdle?.();
    this.#queue.close(this.#takeMore);
    this.#unsent.close(this.#notifyWriters);
    this.#notifyWriters();
    this.#options.gone?.(this.#remoteClosed);
    if (!this.connection.stream.destroyed) await this.#end();
  }

  /** Ends without a word to the other side, as when the power goes. */
  destroy(): void {
    this.connection.stream.destroy();
  }

  async #end(): Promise<void> {
    const { clock, connection } = this.#options;
    const { stream } = connection;
    // What still comes is thrown away: unread bytes would turn the end into a reset.
    this.#receive();
    stream.end();
    await new Promise<void>((resolve) => {
      const cancel = clock.after(drainTimeoutMs, () => {
        stream.destroy();
        resolve();
      });
      const done = (): void => {
        cancel();
        resolve();
      };
      stream.once('finish', done);
      stream.once('close', done);
    });
    if (stream.destroyed) return;
    const cancel = clock.after(lingerMs, () => stream.destroy());
    stream.once('close', cancel);
  }

  /** Nothing can be sent any more. The socket may know before its events arrive. */
  get #over(): boolean {
    const isOver = this.#options.answersHalf ? this.#lost : this.#remoteClosed;
    return isOver || this.#closed || !this.connection.stream.writable;
  }

  #receive(): void {
    if (this.#closed) while (this.connection.stream.read() !== null);
    else if (this.#pull()) this.#changed();
  }

  /** Moves what the pool has room for out of the socket. */
  #pull(): boolean {
    const { stream } = this.connection;
    let moved = false;
    while (stream.readableLength > 0) {
      const size = Math.min(stream.readableLength, this.#queue.room);
      const chunk: Uint8Array | null = size > 0 ? stream.read(size) : null;
      if (chunk === null) {
        this.#queue.share.onRoom(this.#takeMore);
        return moved;
      }
      this.#queue.push(chunk);
      this.#use();
      moved = true;
    }
    // Reading nothing asks the socket for more, and lets it report its end.
    stream.read(0);
    return moved;
  }

  /** The connection is lost. */
  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#notifyWriters();
    this.#endOfPeer();
  }

  /** The other side sends no more. */
  #endOfPeer(): void {
    if (this.#remoteClosed) return;
    this.#remoteClosed = true;
    if (this.#over) this.#notifyWriters();
    if (!this.#closed) this.#changed();
  }

  /** Hands over one piece whole: its producer holds it anyway until there is room for the next. */
  #send(bytes: Uint8Array): void {
    const { stream } = this.connection;
    const count = (): void => {
      if (this.#closed) return;
      // What the layer below has taken at once is not the module's any more.
      this.#unsent.hold(stream.writableLength);
      this.#use();
      this.#notifyWriters();
    };
    stream.write(bytes, (error) => (error ? this.#lose() : count()));
    count();
  }

  /** False when the socket took too little for too long, or is gone. */
  #roomToSend(patient: boolean): Promise<boolean> {
    const { clock, writeTimeoutMs } = this.#options;
    return new Promise((resolve) => {
      const finish = (room: boolean) => {
        cancel();
        this.#writers.delete(notify);
        resolve(room);
      };
      const notify = (): void => {
        if (this.#over) finish(false);
        else if (this.#unsent.free > 0) finish(true);
        else this.#unsent.onRoom(this.#notifyWriters);
      };
      const cancel = patient ? () => {} : clock.after(writeTimeoutMs(), () => finish(false));
      this.#writers.add(notify);
      this.#unsent.onRoom(this.#notifyWriters);
    });
  }

  #use(): void {
    this.#usedAtMs = this.#options.clock.monotonic();
  }

  /** One timer that looks when the stream was used last, instead of one for each packet. */
  #watchIdle(): void {
    const { clock, idleMs = 0 } = this.#options;
    if (idleMs === 0) return;
    const leftMs = this.#usedAtMs + idleMs - clock.monotonic();
    this.#cancelIdle = clock.after(leftMs, () => {
      if (clock.monotonic() - this.#usedAtMs < idleMs) return this.#watchIdle();
      this.#finished = true;
      this.#changed();
    });
  }
}
