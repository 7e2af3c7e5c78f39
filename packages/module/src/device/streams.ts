import { failure, type Result, success } from '@moorage/base';
import type { Interface } from '@moorage/net';
import { PacketPool, type PoolSettings } from './net-buffers.ts';

/** Kinds of stream, as `stream_list` prints them. Spec: MOD-STREAM-*. */
export type StreamType =
  | 'UDPC'
  | 'UDPS'
  | 'TCPC'
  | 'TCPS'
  | 'TLSC'
  | 'TLSS'
  | 'HTTP'
  | 'HTTPS'
  | 'WEBS'
  | 'FILE'
  | 'CLOUD'
  | 'CMD';

export type StreamError =
  | 'no-handle'
  | 'unknown-handle'
  | 'not-readable'
  | 'not-writable'
  | 'too-large'
  | 'datagram-too-large'
  | 'crc'
  | 'missing'
  | 'not-posted'
  | 'cut'
  | 'failed';

/** Takes the bytes of one write, as a stream has it. */
export interface WriteSink {
  /** Takes the next bytes, which must not change afterwards. */
  append(chunk: Uint8Array): void | Promise<void>;
  /** All announced bytes have come; resolves when the stream has taken them. */
  end(): Result<void, StreamError> | Promise<Result<void, StreamError>>;
  /** The announced bytes stopped coming. */
  abort(): void | Promise<void>;
}

/** A write of the table. */
export interface TableWrite extends WriteSink {
  /** Bytes that the stream has been given, which cannot be taken back. */
  readonly taken: number;
}

/**
 * Up to this size a write is all or nothing: its bytes wait, until all have come. A host whose data was cut can then send
 * the same again. In bytes.
 */
export const maxHeldBytes = 16 * 1024;

/** One entry of the stream table: a connection, a file, or the kept output of a command. */
export interface Stream {
  readonly type: StreamType;
  /** The text after the type in `stream_list`. */
  info(): string;
  /** Bytes that can be read now. */
  available(): number;
  /** No more will come than what is available. */
  readonly remoteClosed: boolean;
  /** The stream has ended by itself and gives up its handle, whatever `stream.auto_close` says. */
  readonly finished?: boolean;
  /** Why no more can be read, when it is not that the end has been reached; asked for when nothing is available. */
  readonly lost?: StreamError | undefined;
  /** Has more to read than its data, such as the status of a response: auto close waits. */
  readonly lingers?: boolean;
  /** Called before data or the state is read: what waits to be sent goes out now. */
  flush?(): void;
  /** Takes up to `max` bytes of what is available. Absent: the stream cannot be read. */
  read?(max: number): Uint8Array | Promise<Uint8Array>;
  /**
   * Begins a write of exactly `size` bytes. Absent: the stream cannot be written. A patient writer is not a command: it
   * waits for a slow peer as long as there is one.
   */
  write?(size: number, patient: boolean): Result<WriteSink, StreamError>;
  /** Bytes that a write can take at once. Absent: as many as it likes. */
  writeRoom?(): number;
  /** The interface that a connection runs on; without it that of the station. */
  readonly iface?: Interface;
  /** Does what the user's closing of the stream stands for, before `close`. */
  complete?(): Promise<Result<void, StreamError>>;
  /** Lets go of everything below; what is queued is sent first. Called once; does not fail. */
  close(): void | Promise<void>;
  /** Called once at opening: `changed` is to be called when data has come or the remote side has closed. */
  watch?(changed: () => void): void;
}

/** Where the table writes its notices to users: the board's log. */
interface StreamNotices {
  opened(handle: number): void;
  closing(handle: number): void;
  closed(handle: number): void;
}

interface StreamTableOptions {
  /** How many streams may be open at once. Spec: MOD-LIMIT-streams. */
  readonly limit?: number;
  /** Value of `stream.auto_close` at this moment. */
  readonly autoClose: () => boolean;
  readonly notices: StreamNotices;
  /** Called after a stream has come, gone, received its first bytes or been read empty. */
  readonly changed?: () => void;
  /** What the network streams share. */
  readonly pool?: PoolSettings;
}

/** What `stream_poll` prints: nothing to read, data to read, the remote side has closed. */
type PollState = 0 | 1 | 2;

interface Slot {
  readonly stream: Stream;
  readonly waiters: Set<() => void>;
  /** Whether it had something to read at the last notice. */
  noticedData: boolean;
}

/** Handles that the board has for streams of all kinds. */
const defaultStreamLimit = 8;

/** Defaults of `network.buffer.size` and `network.buffer.rxtx_ratio`. */
const defaultPool: PoolSettings = { bytes: 30_000, receivePercent: 50 };

/** Streams that are no connections: their opening is not announced, and `network_down` leaves them alone. */
const isLocal = (type: StreamType): boolean => type === 'FILE' || type === 'CMD';

/** The open streams of a board by handle (MOD-STREAM-handle); a new one gets the lowest number that is free. Spec: MOD-STREAM-lowest. */
export class StreamTable {
  readonly #slots: (Slot | undefined)[];
  readonly #autoClose: () => boolean;
  readonly #notices: StreamNotices;
  readonly #notify: () => void;
  /** Where network streams keep what is received and unsent. */
  readonly pool: PacketPool;

  constructor(options: StreamTableOptions) {
    const limit = options.limit ?? defaultStreamLimit;
    this.#slots = Array.from({ length: limit }, () => undefined);
    this.#autoClose = options.autoClose;
    this.#notices = options.notices;
    this.#notify = options.changed ?? (() => {});
    this.pool = new PacketPool(options.pool ?? defaultPool, limit);
  }

  /** A handle is free. Ask before work that cannot be undone. */
  get hasFree(): boolean {
    return this.#slots.includes(undefined);
  }

  /** Puts a stream into the table and announces a connection with the notice `Opened`. */
  open(stream: Stream): Result<number, 'no-handle'> {
    const handle = this.#slots.indexOf(undefined);
    if (handle < 0) return failure('no-handle');
    const slot: Slot = { stream, waiters: new Set(), noticedData: false };
    this.#slots[handle] = slot;
    if (!isLocal(stream.type)) this.#notices.opened(handle);
    stream.watch?.(() => this.#changed(handle, slot));
    this.#notify();
    // A connection may have ended before it was watched.
    if (stream.watch) this.#settle(handle, slot);
    return success(handle);
  }

  get(handle: number): Stream | undefined {
    return this.#slots[handle]?.stream;
  }

  /** Open streams in the order of their handles. */
  list(): readonly { readonly handle: number; readonly stream: Stream }[] {
    return this.#slots.flatMap((slot, handle) => (slot ? [{ handle, stream: slot.stream }] : []));
  }

  /** A closed remote side shows only once all its data has been read. Spec: MOD-STREAM-poll-states. */
  poll(handle: number): Result<PollState, 'unknown-handle'> {
    const stream = this.get(handle);
    if (!stream) return failure('unknown-handle');
    stream.flush?.();
    if (stream.available() > 0) return success(1);
    return success(stream.remoteClosed ? 2 : 0);
  }

  /** Takes up to `max` bytes; the stream may close itself by this. */
  read(handle: number, max: number): Result<Uint8Array, StreamError> | Promise<Result<Uint8Array, StreamError>> {
    const slot = this.#slots[handle];
    if (!slot) return failure('unknown-handle');
    if (!slot.stream.read) return failure('not-readable');
    const bytes = slot.stream.read(max);
    if (!(bytes instanceof Promise)) return this.#afterRead(handle, slot, bytes);
    return bytes.then((read) => this.#afterRead(handle, slot, read));
  }

  /**
   * Begins a write of `size` bytes; the stream may close itself when the sink has ended. A patient writer has all of its
   * bytes already.
   */
  write(handle: number, size: number, patient = false): Result<TableWrite, StreamError> {
    const slot = this.#slots[handle];
    if (!slot) return failure('unknown-handle');
    const begun = slot.stream.write?.(size, patient) ?? failure('not-writable');
    if (!begun.ok) return begun;
    const sink = begun.value;
    const held: Uint8Array[] | undefined = !patient && size <= maxHeldBytes ? [] : undefined;
    let taken = 0;
    const give = (bytes: Uint8Array): void | Promise<void> => {
      taken += bytes.length;
      return sink.append(bytes);
    };
    return success({
      get taken() {
        return taken;
      },
      append: (chunk) => (held ? void held.push(chunk) : give(chunk)),
      end: async () => {
        if (held) await give(Buffer.concat(held));
        const ended = await sink.end();
        this.#settle(handle, slot);
        return ended;
      },
      abort: () => sink.abort(),
    });
  }

  /** Calls `listener` once when the stream next changes or goes away; returns how to stop waiting. */
  onChange(handle: number, listener: () => void): () => void {
    const waiters = this.#slots[handle]?.waiters;
    waiters?.add(listener);
    return () => waiters?.delete(listener);
  }

  /** Closes one stream for a user: with the log line `Closing` and the notice `Closed`. */
  async close(handle: number): Promise<Result<void, StreamError>> {
    const slot = this.#slots[handle];
    if (!slot) return failure('unknown-handle');
    this.#notices.closing(handle);
    const completed = (await slot.stream.complete?.()) ?? success(undefined);
    // The network may have taken it along meanwhile.
    if (this.#slots[handle] !== slot) return completed;
    await this.#take(handle)?.close();
    this.#notices.closed(handle);
    return completed;
  }

  /**
   * Closes every connection of an interface, or of both, as the network goes down. The notices are printed at once, in
   * the order of the handles; resolves when what was queued has been sent. Files and kept output stay.
   */
  closeConnections(iface?: Interface): Promise<void> {
    const runsThere = (stream: Stream) => iface === undefined || (stream.iface ?? 'wlan') === iface;
    return this.#end((stream) => !isLocal(stream.type) && runsThere(stream));
  }

  /** Closes streams for their owner, such as a server that stops: with the notice `Closed`. */
  drop(streams: ReadonlySet<Stream>): Promise<void> {
    return this.#end((stream) => streams.has(stream));
  }

  /** The board has booted: the pool has the size of its variables. Spec: MOD-VAR-network.buffer.size. */
  restart(pool: PoolSettings): void {
    this.pool.resize(pool);
    this.#notify();
  }

  /** Closes everything, as the board restarts; says nothing. Files that are not complete are lost. */
  async reset(): Promise<void> {
    await Promise.all(this.list().map(({ handle }) => this.#take(handle)?.close()));
  }

  async #end(goes: (stream: Stream) => boolean): Promise<void> {
    const ending = this.list().filter(({ stream }) => goes(stream));
    const closing = ending.map(({ handle }) => {
      const stream = this.#take(handle);
      this.#notices.closed(handle);
      return stream?.close();
    });
    await Promise.all(closing);
  }

  #afterRead(handle: number, slot: Slot, bytes: Uint8Array): Result<Uint8Array, StreamError> {
    this.#settle(handle, slot);
    this.#tellData(slot);
    const { lost } = slot.stream;
    return lost && bytes.length === 0 ? failure(lost) : success(bytes);
  }

  #changed(handle: number, slot: Slot): void {
    if (this.#slots[handle] !== slot) return;
    this.#settle(handle, slot);
    this.#tellData(slot);
    wake(slot);
  }

  #tellData(slot: Slot): void {
    const hasData = slot.stream.available() > 0;
    if (hasData === slot.noticedData) return;
    slot.noticedData = hasData;
    this.#notify();
  }

  /** Gives up the handle of a stream that has nothing more to say. Spec: MOD-STREAM-auto-close. */
  #settle(handle: number, slot: Slot): void {
    if (this.#slots[handle] !== slot) return;
    const { stream } = slot;
    const exhausted = stream.remoteClosed && stream.available() === 0 && !stream.lingers && this.#autoClose();
    if (!stream.finished && !exhausted) return;
    this.#take(handle);
    // The notice comes before the response of the command that emptied the stream; what lies below may close later.
    this.#notices.closed(handle);
    void stream.close();
  }

  /** Frees the handle; closing the stream is left to the caller. */
  #take(handle: number): Stream | undefined {
    const slot = this.#slots[handle];
    this.#slots[handle] = undefined;
    if (slot) wake(slot);
    this.#notify();
    return slot?.stream;
  }
}

function wake(slot: Slot): void {
  const waiters = [...slot.waiters];
  slot.waiters.clear();
  for (const waiter of waiters) waiter();
}
