import { type CancelTimer, type Clock, ignoreFailure, merged } from '@moorage/base';
import type { Stream, StreamTable, StreamType } from '../device/streams.ts';
import { ByteQueue } from './byte-queue.ts';

/** Kinds of stream that carry the bytes of the serial port. Reference: serial 2.4. */
const bridged: ReadonlySet<StreamType> = new Set(['TCPC', 'TCPS', 'TLSC', 'TLSS', 'UDPC', 'UDPS', 'WEBS']);

/** Kinds whose writes arrive one by one, so that the size of a packet shows. */
const packeted: ReadonlySet<StreamType> = new Set(['UDPC', 'UDPS', 'WEBS']);

/** Read from a stream at a time, in bytes. */
const maxReadBytes = 65_536;

/** When collected bytes become a packet. Spec: MOD-BUS-flush. */
export interface FlushRules {
  /** Bytes of a packet. Spec: MOD-VAR-bus.stream.flush_count. */
  readonly count: number;
  /** Milliseconds; 0 for never. Spec: MOD-VAR-bus.stream.flush_time. */
  readonly timeMs: number;
  /** The time counts from the last byte, not from the first. Spec: MOD-VAR-bus.stream.flush_reset. */
  readonly resets: boolean;
}

interface BridgeParts {
  readonly clock: Clock;
  readonly streams: StreamTable;
  readonly flush: FlushRules;
  /** Bytes that may wait for the network before the serial port has to. */
  readonly waitingBytes: number;
  /** The serial port takes nothing now; `pull` will be called when it does. */
  readonly full: () => boolean;
  readonly write: (bytes: Uint8Array) => void;
  /** Serial input is wanted again. */
  readonly ready: () => void;
}

interface Opened {
  readonly handle: number;
  readonly stream: Stream;
}

/** Which streams could be bridged, in the order in which they were opened. */
export class Candidates {
  readonly #streams: StreamTable;
  // Made when first needed: most modules of a fleet have no stream.
  #opened: readonly Opened[] | undefined;

  constructor(streams: StreamTable) {
    this.#streams = streams;
  }

  /** A stream has been opened. */
  add(handle: number): void {
    const stream = this.#streams.get(handle);
    if (!stream || !bridged.has(stream.type)) return;
    // Those that have gone since need no place any more.
    const earlier = (this.#opened ?? []).filter((entry) => this.#isOpen(entry));
    this.#opened = [...earlier, { handle, stream }];
  }

  /** The first one opened of those that still have something to say. Spec: MOD-BUS-first. */
  first(): Opened | undefined {
    return this.#opened?.find(
      (entry) => this.#isOpen(entry) && (!entry.stream.remoteClosed || entry.stream.available() > 0),
    );
  }

  clear(): void {
    this.#opened = undefined;
  }

  #isOpen({ handle, stream }: Opened): boolean {
    return this.#streams.get(handle) === stream;
  }
}

/**
 * The pipe between the serial port and one network stream, from the moment at which stream mode begins to its end.
 * Without a stream serial bytes are dropped. Spec: MOD-VAR-bus.mode.
 */
export class Bridge {
  readonly #parts: BridgeParts;
  readonly #candidates: Candidates;
  /** Serial bytes that are no packet yet. */
  readonly #collected = new ByteQueue();
  #cancelFlush: CancelTimer | undefined;
  #stopWaiting: (() => void) | undefined;
  /** A packet is on its way into the stream. */
  #sending = false;
  /** All that is collected is due, whatever the rules say. */
  #due = false;
  #pulling = false;
  #closed = false;

  constructor(parts: BridgeParts, candidates: Candidates) {
    this.#parts = parts;
    this.#candidates = candidates;
    void this.pull();
  }

  /** Whether serial bytes can be taken; `ready` is called when they can again. */
  get takes(): boolean {
    return this.#collected.length < this.#parts.waitingBytes;
  }

  /** Takes bytes of the serial port. */
  collect(pieces: readonly Uint8Array[]): void {
    // Spec: MOD-BUS-no-stream.
    if (!this.#candidates.first()) return;
    const wasEmpty = this.#collected.length === 0;
    for (const piece of pieces) this.#collected.push(piece);
    const { flush } = this.#parts;
    if (this.#collected.length === 0) return;
    if (flush.timeMs > 0 && (wasEmpty || flush.resets)) this.#planFlush(flush.timeMs);
    if (this.#collected.length >= flush.count) void this.#send();
  }

  /** Moves what has come from the network to the serial port, as far as that takes it. */
  async pull(): Promise<void> {
    if (this.#pulling) return;
    this.#pulling = true;
    try {
      while (!this.#closed && !this.#parts.full()) {
        const source = this.#candidates.first();
        // The next one to be opened calls again.
        if (!source) return;
        const taken = this.#take(source);
        const pieces = taken instanceof Promise ? await taken : taken;
        if (pieces.length === 0) return this.#wait(source.handle);
        for (const piece of merged(pieces)) this.#parts.write(piece);
      }
    } finally {
      this.#pulling = false;
    }
  }

  /** What there is, again and again: each read makes room for what waits below the stream. */
  #take({ handle, stream }: Opened): readonly Uint8Array[] | Promise<readonly Uint8Array[]> {
    const pieces: Uint8Array[] = [];
    for (let left = maxReadBytes; left > 0; left -= pieces.at(-1)?.length ?? left) {
      // No more than there is: to ask for more would have pieces joined.
      const size = Math.min(stream.available(), left);
      if (size === 0) break;
      const read = this.#parts.streams.read(handle, size);
      if (read instanceof Promise) return read.then((bytes) => (bytes.ok ? [...pieces, bytes.value] : pieces));
      if (!read.ok || read.value.length === 0) break;
      pieces.push(read.value);
    }
    return pieces;
  }

  /** Stream mode ends: what has been collected still goes out, what comes from the network stays where it is. */
  close(): void {
    this.#closed = true;
    this.#stopWaiting?.();
    this.#flush();
  }

  /** The module goes down: nothing goes out any more. */
  abandon(): void {
    this.#collected.clear();
    this.close();
  }

  #planFlush(timeMs: number): void {
    this.#cancelFlush?.();
    this.#cancelFlush = this.#parts.clock.after(timeMs, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#due = this.#collected.length > 0;
    void this.#send();
  }

  /** Sends packets while there are any; one after the other, so that a slow network is waited for. */
  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    const { flush } = this.#parts;
    while (this.#due ? this.#collected.length > 0 : this.#collected.length >= flush.count) {
      const target = this.#candidates.first();
      if (!target) {
        this.#collected.clear();
        break;
      }
      // A stream of bytes shows no packets, so all that is there goes at once.
      const most = packeted.has(target.stream.type) ? flush.count : this.#collected.length;
      await this.#sendTo(target.handle, Math.min(most, this.#collected.length));
    }
    this.#due = false;
    this.#sending = false;
    if (this.#collected.length === 0) this.#cancelFlush?.();
    if (this.takes && !this.#closed) this.#parts.ready();
  }

  async #sendTo(handle: number, size: number): Promise<void> {
    const pieces = this.#collected.take(size);
    const begun = this.#parts.streams.write(handle, size, true);
    if (!begun.ok) return;
    for (const piece of pieces) {
      const taken = begun.value.append(piece);
      if (taken) await taken;
    }
    // What the stream refuses is lost: the bridge has no place to report it.
    ignoreFailure(await begun.value.end());
  }

  #wait(handle: number): void {
    this.#stopWaiting?.();
    this.#stopWaiting = this.#parts.streams.onChange(handle, () => {
      // The stream may be giving up its handle just now.
      queueMicrotask(() => void this.pull());
    });
  }
}
