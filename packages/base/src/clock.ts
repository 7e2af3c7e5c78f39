import { TimerHeap } from './timer-heap.ts';

/** Cancels a pending timer; harmless when it has already run. */
export type CancelTimer = () => void;

/** All time that the two programs know. Handed in, so that a test owns it. */
export interface Clock {
  /** Wall-clock time in epoch milliseconds (UTC). */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic(): number;
  /** Calls `task` once after at least `delayMs` milliseconds. */
  after(delayMs: number, task: () => void): CancelTimer;
}

/** Resolves after `delayMs` milliseconds of the given clock. */
export const sleep = (clock: Clock, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });

/** The host's own time. Timers do not keep the process alive: listeners and sockets do. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until `advance` is called; timers run in the order of their due times. */
export class VirtualClock implements Clock {
  #elapsedMs = 0;
  readonly #startMs: number;
  readonly #timers = new TimerHeap();

  constructor(startMs = 0) {
    this.#startMs = startMs;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, task: () => void): CancelTimer {
    const timer = this.#timers.add(this.#elapsedMs + Math.max(0, delayMs), task);
    return () => this.#timers.remove(timer);
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Monotonic time at which the next timer is due; `undefined` when none waits. */
  get nextAtMs(): number | undefined {
    return this.#timers.first?.atMs;
  }

  /**
   * Moves time forward by `durationMs`, running what falls due, in order, each at its own due time.
   * Promises that a task settles are followed before the next task runs.
   */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.#elapsedMs + durationMs;
    await settle();
    for (let next = this.#timers.first; next && next.atMs <= endMs; next = this.#timers.first) {
      this.#elapsedMs = Math.max(this.#elapsedMs, next.atMs);
      this.#timers.remove(next);
      next.task();
      await settle();
    }
    this.#elapsedMs = endMs;
  }

  /** Moves time forward at once, as when a machine has slept: what fell due meanwhile runs at the end, once. */
  async skip(durationMs: number): Promise<void> {
    await settle();
    this.#elapsedMs += durationMs;
    await this.advance(0);
  }
}

/** Lets promise chains and stream ticks run to their end before virtual time goes on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
