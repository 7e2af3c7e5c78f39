import type { CancelTimer, Clock } from '@moorage/base';

/** The shortest interval that is kept, and the longest that the host's timers can, in ms. */
const shortestIntervalMs = 100;
const longestIntervalMs = 2_147_483_647;

export interface TelemetryPorts {
  /** Time from one message to the next, in ms; 0 sends none. */
  readonly intervalMs: () => number;
  /** Calls `listener` whenever the interval has changed; returns how to stop. */
  readonly onInterval: (listener: () => void) => () => void;
  /** Sends one message; resolves when it is acknowledged or given up. */
  readonly send: () => Promise<unknown>;
}

/** Sends telemetry at its interval while the channel is open; never one before the last is answered. */
export class TelemetryTimer {
  readonly #clock: Clock;
  readonly #ports: TelemetryPorts;
  readonly #unsubscribe: () => void;
  #open = false;
  #sending = false;
  #cancel: CancelTimer = () => {};

  constructor(clock: Clock, ports: TelemetryPorts) {
    this.#clock = clock;
    this.#ports = ports;
    this.#unsubscribe = ports.onInterval(() => this.#plan());
  }

  /** The channel has opened: the first is sent at once. */
  open(): void {
    this.#open = true;
    if (this.#ports.intervalMs() > 0) void this.#send();
  }

  closed(): void {
    this.#open = false;
    this.#cancel();
  }

  stop(): void {
    this.closed();
    this.#unsubscribe();
  }

  #plan(): void {
    this.#cancel();
    const wantedMs = this.#ports.intervalMs();
    if (!this.#open || this.#sending || wantedMs === 0) return;
    const intervalMs = Math.min(Math.max(wantedMs, shortestIntervalMs), longestIntervalMs);
    this.#cancel = this.#clock.after(intervalMs, () => void this.#send());
  }

  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    await this.#ports.send();
    this.#sending = false;
    this.#plan();
  }
}
