import type { CancelTimer, Clock, Random, Result } from '@moorage/base';
import { isRefusal, type ServiceFailure } from '../failures.ts';
import { backOffMs } from '../pause.ts';

export interface WakePorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Makes one update with its reboot; nothing when its turn comes and it is not wanted any more. */
  readonly update: (isWanted: () => boolean) => Promise<Result<unknown, ServiceFailure>>;
}

/** A fleet that is woken at once spreads its questions over this time, in ms. */
const spreadMs = 30_000;
const firstRetryMs = 10_000;
const longestRetryMs = 600_000;

/**
 * Updates the device when the service says that there is something: after a part of `spreadMs`, and again until the
 * service has answered. Spec: MOD-CHAN-ota.
 */
export class UpdateWake {
  readonly #ports: WakePorts;
  #cancel: CancelTimer | undefined;
  #running = false;
  /** Woken while an update runs: that one may have asked too early. */
  #again = false;
  #stopped = false;
  #failures = 0;
  /** When the service wants to be asked again, in ms after the update that runs. */
  #pollMs: number | undefined;
  /** What is planned is the next query by itself, which a wake replaces. */
  #isPoll = false;

  constructor(ports: WakePorts) {
    this.#ports = ports;
  }

  wake(): void {
    if (this.#stopped) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#failures = 0;
    this.#plan(this.#ports.random.below(spreadMs));
  }

  /** Asks again after a time, in ms, unless the device is woken before. Spec: API-RULE-poll-1. */
  poll(afterMs: number): void {
    if (this.#stopped) return;
    this.#pollMs = afterMs;
    const isFree = this.#cancel === undefined || this.#isPoll;
    if (!this.#running && isFree) this.#planPoll();
  }

  #planPoll(): void {
    if (this.#pollMs === undefined) return;
    this.#plan(this.#pollMs);
    this.#isPoll = true;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #plan(delayMs: number): void {
    this.#cancel?.();
    this.#isPoll = false;
    this.#cancel = this.#ports.clock.after(delayMs, () => {
      this.#cancel = undefined;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    const { random, update } = this.#ports;
    this.#running = true;
    this.#pollMs = undefined;
    const settled = await update(() => !this.#stopped).then(
      // A refusal of the service is an answer, too: there is nothing to try again.
      (updated) => updated.ok || isRefusal(updated.error),
      () => false,
    );
    this.#running = false;
    if (this.#stopped) return;
    if (this.#again) {
      this.#again = false;
      this.wake();
    } else if (!settled) {
      this.#failures++;
      const waitMs = backOffMs(this.#failures, firstRetryMs, longestRetryMs);
      this.#plan(waitMs / 2 + random.below(waitMs / 2));
    } else {
      this.#planPoll();
    }
  }
}
