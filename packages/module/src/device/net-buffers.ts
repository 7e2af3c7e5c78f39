/** The part of a budget that is divided among the streams, so that one that is not read cannot stop the others. */
const dividedPart = 1 / 4;

/** Variables behind the packet pool; they are read at boot. */
export interface PoolSettings {
  /** Bytes of the whole pool. */
  readonly bytes: number;
  /** Percent of it for receiving. */
  readonly receivePercent: number;
}

/**
 * The packet pool: what all network streams of a board may hold of received and of unsent bytes. A stream that finds no
 * room leaves its data to the socket, which holds the sender back. Spec: MOD-VAR-network.buffer.size,
 * MOD-VAR-network.buffer.rxtx_ratio.
 */
export class PacketPool {
  readonly receiving: Budget;
  readonly sending: Budget;

  /** @param streams the most streams that are open at a time */
  constructor({ bytes, receivePercent }: PoolSettings, streams: number) {
    const received = Math.floor((bytes * receivePercent) / 100);
    this.receiving = new Budget(received, streams);
    this.sending = new Budget(bytes - received, streams);
  }

  /** Sizes it anew, as at boot, when no stream is open. */
  resize({ bytes, receivePercent }: PoolSettings): void {
    const received = Math.floor((bytes * receivePercent) / 100);
    this.receiving.resize(received);
    this.sending.resize(bytes - received);
  }

  /** Spec: MOD-VAR-network.buffer.usage. */
  get usage(): string {
    return `rx:${this.receiving.usedPercent},tx:${this.sending.usedPercent}`;
  }
}

/** Bytes for one direction, shared by streams: a small part belongs to each, the rest to the first that needs it. */
class Budget {
  readonly #streams: number;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;
  #own = 0;
  /** Held above the streams' own parts. */
  #commonUsed = 0;
  #used = 0;

  constructor(bytes: number, streams: number) {
    this.#streams = streams;
    this.resize(bytes);
  }

  resize(bytes: number): void {
    this.#bytes = bytes;
    this.#own = Math.max(1, Math.floor((bytes * dividedPart) / this.#streams));
  }

  /** 0 to 100. */
  get usedPercent(): number {
    return Math.min(100, Math.ceil((100 * this.#used) / this.#bytes));
  }

  /** Bytes that a stream which holds `held` may take besides. */
  free(held: number): number {
    const common = Math.max(0, this.#bytes - this.#streams * this.#own - this.#commonUsed);
    return common + Math.max(0, this.#own - held);
  }

  /** A stream that held `before` holds `after` now; waiting writers are notified when there is more. */
  change(before: number, after: number): void {
    this.#used += after - before;
    this.#commonUsed += Math.max(0, after - this.#own) - Math.max(0, before - this.#own);
    if (after >= before || this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const notify of waiting) notify();
  }

  /** Calls `notify` once when room has come back. */
  onRoom(notify: () => void): void {
    this.#waiting.add(notify);
  }

  offRoom(notify: () => void): void {
    this.#waiting.delete(notify);
  }
}

/** What one stream holds of a budget. */
export class Share {
  readonly #budget: Budget;
  #held = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  get held(): number {
    return this.#held;
  }

  get free(): number {
    return this.#budget.free(this.#held);
  }

  take(bytes: number): void {
    this.#set(this.#held + bytes);
  }

  give(bytes: number): void {
    this.#set(Math.max(0, this.#held - bytes));
  }

  /** Holds so much from now on, which may be more than was free. */
  hold(bytes: number): void {
    if (bytes !== this.#held) this.#set(bytes);
  }

  onRoom(notify: () => void): void {
    this.#budget.onRoom(notify);
  }

  offRoom(notify: () => void): void {
    this.#budget.offRoom(notify);
  }

  /** Gives everything back; `notify` is not called any more. */
  close(notify?: () => void): void {
    if (notify) this.#budget.offRoom(notify);
    this.#set(0);
  }

  #set(held: number): void {
    const before = this.#held;
    this.#held = held;
    this.#budget.change(before, held);
  }
}

/** Received bytes of one stream, no more than the pool has room for. */
export class ReceiveQueue {
  readonly share: Share;
  #chunks: Uint8Array[] = [];
  /** Bytes of the first chunk that have been read. */
  #at = 0;

  constructor(pool: PacketPool) {
    this.share = new Share(pool.receiving);
  }

  get length(): number {
    return this.share.held;
  }

  /** Bytes that may be pushed now. */
  get room(): number {
    return this.share.free;
  }

  /** Takes bytes over; the caller has asked for room. */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.share.take(bytes.length);
  }

  /** The oldest bytes, `max` at most; frees their room. */
  read(max: number): Uint8Array {
    const first = this.#chunks[0];
    if (first === undefined || max <= 0) return noBytes;
    const size = Math.min(max, this.length);
    // Most reads want all of the one piece that there is, or a part of it: those are not copied.
    const bytes = first.length - this.#at >= size ? this.#cut(first, size) : this.#gather(size);
    this.share.give(bytes.length);
    return bytes;
  }

  /** Forgets all; `notify` waits for room no more. */
  close(notify?: () => void): void {
    this.#chunks = [];
    this.#at = 0;
    this.share.close(notify);
  }

  #cut(first: Uint8Array, size: number): Uint8Array {
    const bytes = first.subarray(this.#at, this.#at + size);
    this.#at += size;
    if (this.#at === first.length) {
      this.#chunks.shift();
      this.#at = 0;
    }
    return bytes;
  }

  #gather(size: number): Uint8Array {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; ) {
      const first = this.#chunks[0];
      if (first === undefined) throw new Error(`The queue lacks ${size - at} bytes that it counts`);
      const part = this.#cut(first, Math.min(size - at, first.length - this.#at));
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }
}

const noBytes = new Uint8Array();
