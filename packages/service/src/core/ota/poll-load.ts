/** Queries of devices in a second that a process answers without hurry. */
const unhurriedPerSecond = 200;
const periodMs = 10_000;
/** Devices are never asked to wait longer than so many times their interval. */
const longestStretch = 8;

/** How busy queries keep this process: devices are asked to come back later by that. */
export class PollLoad {
  #fromMs = 0;
  #count = 0;
  #before = 0;

  #turn(nowMs: number): void {
    const periods = Math.floor((nowMs - this.#fromMs) / periodMs);
    if (periods === 0) return;
    this.#before = periods === 1 ? this.#count : 0;
    this.#count = 0;
    this.#fromMs += periods * periodMs;
  }

  /** A device has asked, at a time in epoch ms. */
  note(nowMs: number): void {
    this.#turn(nowMs);
    this.#count++;
  }

  /** By how much intervals are longer than they would be, at a time in epoch ms; 1 for not at all. */
  stretch(nowMs: number): number {
    this.#turn(nowMs);
    const queries = Math.max(this.#before, this.#count);
    return Math.min(longestStretch, Math.max(1, queries / ((unhurriedPerSecond * periodMs) / 1000)));
  }
}
