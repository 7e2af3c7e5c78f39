import { type Refusal, refusal } from '@moorage/api';
import type { Clock } from '@moorage/base';

const windowMs = 60_000;

/** Counts the requests of each actor in this process, from the first one of a minute on, all together. */
export interface RequestRate {
  /** Counts a request. Refusal: TOO_MANY_REQUESTS, once the actor has made as many as may be made in a minute. */
  count(actorId: string): Refusal | undefined;
}

/**
 * Makes a count of requests a minute. All begin anew at once, so that a request costs one look into a map, and the map
 * never has more actors than a minute had.
 *
 * @param limit requests that an actor may make in a minute; 0 for any number
 */
export function requestRate(clock: Clock, limit: number): RequestRate {
  const counts = new Map<string, number>();
  let beganMs = clock.monotonic();

  return {
    count(actorId) {
      if (limit === 0) return undefined;
      const nowMs = clock.monotonic();
      if (nowMs - beganMs >= windowMs) {
        beganMs = nowMs;
        counts.clear();
      }
      const made = counts.get(actorId) ?? 0;
      if (made < limit) {
        counts.set(actorId, made + 1);
        return undefined;
      }
      const retryAfterS = Math.max(1, Math.ceil((beganMs + windowMs - nowMs) / 1000));
      return { ...refusal('TOO_MANY_REQUESTS', { limit, retryAfterS }), retryAfterS };
    },
  };
}
