import { type CancelTimer, type Clock, VirtualClock } from './clock.ts';

/**
 * Turns of the event loop without a new timer after which the program counts as idle. Bytes on a local connection need
 * a few of them to get through.
 */
const idleTurns = 10;

/**
 * A virtual clock that goes on by itself: whenever the program has nothing else to do it jumps to the next timer. So
 * what waits only for time runs as fast as the machine can, and what waits for the world outside sees time rush by.
 *
 * It rests while no timer waits, and keeps the process alive otherwise. `stop` makes it stand still for good.
 */
export class AutoClock implements Clock {
  readonly #clock: VirtualClock;
  #running = false;
  #stopped = false;
  /** Turns that are left before the next jump. */
  #turns = 0;

  constructor(startMs = 0) {
    this.#clock = new VirtualClock(startMs);
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(delayMs: number, task: () => void): CancelTimer {
    this.#turns = idleTurns;
    const cancel = this.#clock.after(delayMs, task);
    if (!this.#running && !this.#stopped) this.#turn();
    return cancel;
  }

  stop(): void {
    this.#stopped = true;
  }

  #turn(): void {
    this.#running = true;
    setImmediate(() => this.#step());
  }

  #step(): void {
    const { nextAtMs } = this.#clock;
    if (this.#stopped || nextAtMs === undefined) {
      this.#running = false;
      return;
    }
    if (this.#turns-- > 0) {
      this.#turn();
      return;
    }
    this.#turns = idleTurns;
    // A task that throws has a defect, which is an unhandled error as any other.
    void this.#clock.advance(nextAtMs - this.#clock.monotonic()).then(() => this.#turn());
  }
}
