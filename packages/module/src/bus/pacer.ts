import type { CancelTimer, Clock } from '@moorage/base';
import type { LineSettings } from './line-settings.ts';

/** Bytes that were sent under one setting. */
interface Segment {
  bytes: Uint8Array;
  readonly settings: LineSettings;
  /** Time of one byte, in ms; 0 for none. */
  readonly byteMs: number;
}

/** Least time between two looks at what is due, in ms: at high rates several bytes come at a look. */
const tickMs = 1;

/** One direction of a serial line: each byte takes its time, and everything waits while the line is held. */
export class Pacer {
  readonly #clock: Clock;
  readonly #deliver: (bytes: Uint8Array, settings: LineSettings) => void;
  readonly #segments: Segment[] = [];
  /** How many bytes are on their way. */
  length = 0;
  #held = false;
  /** Until when the bytes that have been delivered took. */
  #atMs = 0;
  #cancel: CancelTimer | undefined;
  #delivering = false;

  /** `deliver` gets bytes that take no time as they came, and others one by one; it may hold the line. */
  constructor(clock: Clock, deliver: (bytes: Uint8Array, settings: LineSettings) => void) {
    this.#clock = clock;
    this.#deliver = deliver;
  }

  /** Sends bytes behind those that are on their way; at once when nothing is in front of them and they take no time. */
  push(bytes: Uint8Array, settings: LineSettings, byteMs: number): void {
    if (bytes.length === 0) return;
    if (byteMs === 0 && this.length === 0 && !this.#held && !this.#delivering) {
      this.#deliver(bytes, settings);
      return;
    }
    if (this.length === 0) this.#atMs = this.#clock.monotonic();
    this.#segments.push({ bytes, settings, byteMs });
    this.length += bytes.length;
    this.#run();
  }

  get held(): boolean {
    return this.#held;
  }

  /** Stops the line, or lets it go on. */
  hold(held: boolean): void {
    if (held === this.#held) return;
    this.#held = held;
    this.#atMs = this.#clock.monotonic();
    this.#cancel?.();
    this.#cancel = undefined;
    this.#run();
  }

  /** Forgets what is on its way. */
  close(): void {
    this.#cancel?.();
    this.#segments.length = 0;
    this.length = 0;
    this.#held = true;
  }

  /** Delivers what is due and plans the next look. */
  #run(): void {
    if (this.#delivering || this.#cancel) return;
    this.#delivering = true;
    const nowMs = this.#clock.monotonic();
    for (let next = this.#segments[0]; next && !this.#held; next = this.#segments[0]) {
      const { byteMs, bytes, settings } = next;
      // A byte is due when the clock shows its end, give or take what adding up loses.
      if (byteMs > 0 && this.#atMs + byteMs > nowMs + 1e-6) break;
      this.#atMs += byteMs;
      const count = byteMs === 0 ? bytes.length : 1;
      next.bytes = bytes.subarray(count);
      if (next.bytes.length === 0) this.#segments.shift();
      this.length -= count;
      this.#deliver(bytes.subarray(0, count), settings);
    }
    this.#delivering = false;
    const next = this.#segments[0];
    if (!next || this.#held) return;
    const count = Math.min(next.bytes.length, Math.max(1, Math.ceil(tickMs / next.byteMs)));
    this.#cancel = this.#clock.after(this.#atMs + count * next.byteMs - nowMs, () => {
      this.#cancel = undefined;
      this.#run();
    });
  }
}
