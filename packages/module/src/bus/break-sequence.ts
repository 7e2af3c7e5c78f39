import type { CancelTimer, Clock } from '@moorage/base';

/** How long the line has to be silent before the sequence, and how long it may be between its characters, in ms. */
export const breakSilenceMs = 3_000;

interface BreakParts {
  readonly clock: Clock;
  /** Value of `bus.stream.cmd_seq` at this moment; empty for none. */
  readonly sequence: () => string;
  /** Takes characters that were held back and turned out to be data. */
  readonly release: (bytes: Uint8Array) => void;
}

/** What bytes came to: data, or data and then the sequence with what stands behind it. */
interface BreakStep {
  readonly data: readonly Uint8Array[];
  /** Bytes behind the sequence; `undefined` while it is not complete. */
  readonly after: Uint8Array | undefined;
}

/**
 * Finds the characters that break into command mode. They count only after a silence; its characters are held back
 * until it is clear that they are none, and are not sent on when they are.
 * Spec: MOD-STATE-1, MOD-BUS-silence, MOD-BUS-held, MOD-VAR-bus.stream.cmd_seq.
 */
export class BreakSequence {
  readonly #parts: BreakParts;
  #lastMs: number;
  /** The beginning of a sequence. */
  #held: Buffer = noBytes;
  #cancel: CancelTimer | undefined;

  /** The silence counts from now on. */
  constructor(parts: BreakParts) {
    this.#parts = parts;
    this.#lastMs = parts.clock.monotonic();
  }

  read(bytes: Uint8Array): BreakStep {
    const nowMs = this.#parts.clock.monotonic();
    const silent = nowMs - this.#lastMs >= breakSilenceMs;
    this.#lastMs = nowMs;
    const sequence: Buffer = Buffer.from(this.#parts.sequence());
    const before = this.#drop();
    if (sequence.length === 0 || (before.length === 0 && !silent)) return { data: [before, bytes], after: undefined };
    const wanted = sequence.subarray(before.length);
    let count = 0;
    while (count < wanted.length && count < bytes.length && bytes[count] === wanted[count]) count++;
    if (count === wanted.length) return { data: [], after: bytes.subarray(count) };
    // Another silence is needed now.
    if (count < bytes.length) return { data: [before, bytes], after: undefined };
    this.#hold(sequence.subarray(0, before.length + count));
    return { data: [], after: undefined };
  }

  /** Forgets a sequence that has begun. */
  close(): void {
    this.#drop();
  }

  #hold(bytes: Buffer): void {
    this.#held = bytes;
    this.#cancel = this.#parts.clock.after(breakSilenceMs, () => this.#parts.release(this.#drop()));
  }

  #drop(): Buffer {
    this.#cancel?.();
    const held = this.#held;
    this.#held = noBytes;
    return held;
  }
}

const noBytes = Buffer.alloc(0);
