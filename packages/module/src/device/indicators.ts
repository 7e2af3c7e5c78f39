import type { CancelTimer, Clock } from '@moorage/base';
import type { Level } from './pin-table.ts';

/** Parts of the system with an LED. Spec: MOD-VAR-system.indicator.gpio. */
export type Subsystem = 'wlan' | 'network' | 'softap';

export const subsystems: readonly Subsystem[] = ['wlan', 'network', 'softap'];

/** Time of one blink, half of it dark, in ms; 0 does not blink. Reference: variables 3.5. */
const periodsMs: Readonly<Record<string, number>> = {
  static_off: 0,
  static_on: 0,
  slow_blink: 1000,
  medium_blink: 500,
  fast_blink: 200,
};

interface Shown {
  readonly pattern: string;
  /** Half the period; 0 for a steady light. */
  readonly halfMs: number;
  readonly sinceMs: number;
  level: Level;
}

/**
 * Shows the patterns of LEDs. One timer serves all that blink, and there is none while nothing blinks: an idle module
 * costs no time. Spec: MOD-VAR-system.indicator.state.
 */
export class Indicators {
  readonly #clock: Clock;
  readonly #put: (subsystem: Subsystem, level: Level) => void;
  readonly #shown = new Map<Subsystem, Shown>();
  #cancel: CancelTimer | undefined;

  constructor(clock: Clock, put: (subsystem: Subsystem, level: Level) => void) {
    this.#clock = clock;
    this.#put = put;
  }

  /** Shows a pattern from now on; one that is shown already goes on. A blink begins lit. */
  show(subsystem: Subsystem, pattern: string): void {
    if (this.#shown.get(subsystem)?.pattern === pattern) return;
    const halfMs = (periodsMs[pattern] ?? 0) / 2;
    const level = pattern === 'static_off' ? 0 : 1;
    this.#shown.set(subsystem, { pattern, halfMs, sinceMs: this.#clock.monotonic(), level });
    this.#put(subsystem, level);
    this.#schedule();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#shown.clear();
  }

  #schedule(): void {
    this.#cancel?.();
    const now = this.#clock.monotonic();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { halfMs, sinceMs } of this.#shown.values()) {
      if (halfMs > 0) nextMs = Math.min(nextMs, halfMs - ((now - sinceMs) % halfMs));
    }
    this.#cancel = nextMs < Number.POSITIVE_INFINITY ? this.#clock.after(nextMs, () => this.#tick()) : undefined;
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    for (const [subsystem, shown] of this.#shown) {
      if (shown.halfMs === 0) continue;
      const level = Math.floor((now - shown.sinceMs) / shown.halfMs) % 2 === 0 ? 1 : 0;
      if (level === shown.level) continue;
      shown.level = level;
      this.#put(subsystem, level);
    }
    this.#schedule();
  }
}
