import { type CancelTimer, type Clock, realClock } from './clock.ts';

/** Slowest and fastest that a `ScaledClock` may go. */
export const minClockRatio = 0.001;
export const maxClockRatio = 1000;

/**
 * A clock that goes `ratio` times as fast as another one, from the moment at which it was made. Both of its times go
 * at that rate: they start at those of the other clock. Throws for a ratio out of its range.
 */
export class ScaledClock implements Clock {
  readonly #base: Clock;
  readonly #ratio: number;
  readonly #startNowMs: number;
  readonly #startMs: number;

  constructor(ratio: number, base: Clock = realClock) {
    if (!(ratio >= minClockRatio && ratio <= maxClockRatio)) {
      throw new Error(`Clock ratio ${ratio} is not between ${minClockRatio} and ${maxClockRatio}`);
    }
    this.#base = base;
    this.#ratio = ratio;
    this.#startNowMs = base.now();
    this.#startMs = base.monotonic();
  }

  now(): number {
    // From the monotonic time, so that both go alike when the host's clock is set.
    return Math.floor(this.#startNowMs + this.#elapsedMs());
  }

  monotonic(): number {
    return this.#startMs + this.#elapsedMs();
  }

  after(delayMs: number, task: () => void): CancelTimer {
    return this.#base.after(delayMs / this.#ratio, task);
  }

  #elapsedMs(): number {
    return (this.#base.monotonic() - this.#startMs) * this.#ratio;
  }
}
