/** How often the devices of one owner on one product have polled within one hour, since the last time it was written. */
export interface PollCount {
  readonly product_id: string;
  /** Empty for devices without an owner. */
  readonly owner_id: string;
  /** Start of the hour, epoch ms. */
  readonly at: number;
  readonly polls: number;
}

export const pollHourMs = 3_600_000;
/** Counts ride with the commits of contacts, but with one a second at most: the row of a large product is a busy one. */
const ridePauseMs = 1_000;
/** Rows of one such commit. */
const rideLimit = 1_000;

/**
 * Counts polls in memory until something is committed anyway: a poll that brings nothing new writes no row of its own.
 * A process that is killed loses those of its last second.
 */
export class PollCounter {
  readonly #counts = new Map<string, { readonly count: Omit<PollCount, 'polls'>; polls: number }>();
  #lastTakenMs = Number.NEGATIVE_INFINITY;

  add(productId: string, ownerId: string | null, atMs: number): void {
    const at = Math.floor(atMs / pollHourMs) * pollHourMs;
    this.#add(productId, ownerId ?? '', at, 1);
  }

  #add(product_id: string, owner_id: string, at: number, polls: number): void {
    const key = `${product_id} ${owner_id} ${at}`;
    const known = this.#counts.get(key);
    if (known) known.polls += polls;
    else this.#counts.set(key, { count: { product_id, owner_id, at }, polls });
  }

  /** What has been counted, if it is time to write it at `nowMs`; ordered, so that processes do not lock crosswise. */
  takeDue(nowMs: number): readonly PollCount[] {
    // A clock that was set back shall not hold them for long.
    if (Math.abs(nowMs - this.#lastTakenMs) < ridePauseMs) return [];
    const taken = this.take(rideLimit);
    if (this.#counts.size === 0) this.#lastTakenMs = nowMs;
    return taken;
  }

  /** The oldest of what has been counted. */
  take(limit = Number.POSITIVE_INFINITY): readonly PollCount[] {
    const taken = [...this.#counts.entries().take(Math.min(limit, this.#counts.size))];
    for (const [key] of taken) this.#counts.delete(key);
    taken.sort(([one], [other]) => (one < other ? -1 : 1));
    return taken.map(([, { count, polls }]) => ({ ...count, polls }));
  }

  /** Takes counts back that could not be written. */
  giveBack(counts: readonly PollCount[]): void {
    for (const { product_id, owner_id, at, polls } of counts) this.#add(product_id, owner_id, at, polls);
  }
}
