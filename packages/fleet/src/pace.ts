import { type Clock, sleep } from '@moorage/base';

/**
 * Turns at a rate, in the order in which they are asked for.
 *
 * @param perSecond turns of a second; without it there is no wait
 */
export function turnsOf(clock: Clock, perSecond: number | undefined): () => Promise<void> {
  let nextMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (perSecond === undefined) return;
    const nowMs = clock.monotonic();
    const atMs = Math.max(nowMs, nextMs);
    nextMs = atMs + 1000 / perSecond;
    if (atMs > nowMs) await sleep(clock, Math.ceil(atMs - nowMs));
  };
}
