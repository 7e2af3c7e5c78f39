import type { Clock } from '@moorage/base';

/**
 * The module's own clock. It starts at the epoch when the module boots, and knows the time only after it has been set
 * by the network or by hand. Reference: network 5.1.
 */
export class Rtc {
  readonly #clock: Clock;
  #bootedAtMs: number;
  #setAtMs: number | undefined;
  /** Epoch time at monotonic zero. */
  #offsetMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#bootedAtMs = clock.monotonic();
    this.#offsetMs = -this.#bootedAtMs;
  }

  /** A boot: the uptime starts again, and the time is lost unless the module has only slept. Reference: network 5.1. */
  restart({ keepTime = false } = {}): void {
    this.#bootedAtMs = this.#clock.monotonic();
    if (keepTime) return;
    this.#offsetMs = -this.#bootedAtMs;
    this.#setAtMs = undefined;
  }

  set(epochMs: number): void {
    this.#setAtMs = this.#clock.monotonic();
    this.#offsetMs = epochMs - this.#setAtMs;
  }

  get isSet(): boolean {
    return this.#setAtMs !== undefined;
  }

  /** Epoch milliseconds, UTC. */
  nowMs(): number {
    return Math.floor(this.#clock.monotonic() + this.#offsetMs);
  }

  /** Milliseconds since boot. */
  uptimeMs(): number {
    return Math.floor(this.#clock.monotonic() - this.#bootedAtMs);
  }

  /** Milliseconds since the clock was set; -1 when it never was. */
  sinceSetMs(): number {
    return this.#setAtMs === undefined ? -1 : Math.floor(this.#clock.monotonic() - this.#setAtMs);
  }
}
