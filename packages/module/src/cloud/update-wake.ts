import { otaResults } from '@moorage/api';
import type { CancelTimer, Clock, Random } from '@moorage/base';
import { backOffMs } from './pause.ts';
import { runUpdate, type UpdateBoard } from './run-update.ts';

export interface WakeBoard extends UpdateBoard {
  readonly clock: Clock;
  readonly random: Random;
  /** The turn of the commands of all sessions. */
  readonly queue: { run<T>(task: () => T | Promise<T>): T | Promise<T> | undefined };
  reboot(): Promise<void>;
}

/** A fleet that is woken at once spreads its questions over this time, in ms. */
const spreadMs = 30_000;
const firstRetryMs = 10_000;
const longestRetryMs = 600_000;

/**
 * Updates the module by itself when the service says that there is something: after a part of `spreadMs`, when no command
 * runs, and again until the service has answered. Prints only what an update prints. Spec: MOD-CHAN-ota.
 */
export class UpdateWake {
  readonly #board: WakeBoard;
  #cancel: CancelTimer | undefined;
  #running = false;
  /** Woken while an update runs: that one may have asked too early. */
  #again = false;
  #stopped = false;
  #failures = 0;

  constructor(board: WakeBoard) {
    this.#board = board;
  }

  wake(): void {
    if (this.#stopped) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#failures = 0;
    this.#plan(this.#board.random.below(spreadMs));
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #plan(delayMs: number): void {
    this.#cancel?.();
    this.#cancel = this.#board.clock.after(delayMs, () => void this.#run());
  }

  async #run(): Promise<void> {
    const { queue, random } = this.#board;
    this.#running = true;
    const settled = await Promise.resolve(queue.run(() => this.#update())).catch(() => false);
    this.#running = false;
    if (this.#stopped) return;
    if (this.#again) {
      this.#again = false;
      this.wake();
    } else if (!settled) {
      this.#failures++;
      const waitMs = backOffMs(this.#failures, firstRetryMs, longestRetryMs);
      this.#plan(waitMs / 2 + random.below(waitMs / 2));
    }
  }

  /** True when there is nothing to try again: an answer of the service is one, whatever it says. */
  async #update(): Promise<boolean> {
    if (this.#stopped) return true;
    const updated = await runUpdate(this.#board, {});
    if (!updated.ok) {
      const { result } = updated.error;
      return result === otaResults.unauthorised || result === otaResults.badRequest || result === otaResults.notFound;
    }
    if (updated.value !== 'installed') return true;
    this.#board.log.say('rebooting');
    await this.#board.reboot();
    return true;
  }
}
