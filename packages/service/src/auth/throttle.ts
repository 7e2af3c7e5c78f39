import { type Clock, failure, success } from '@moorage/base';
import type { LoginThrottle } from '../core/types.ts';

/** API-LIMIT-login. */
const failureLimit = 10;
const windowMs = 15 * 60_000;
/** Pairs of address and name that are remembered; the ones not tried for longest are forgotten first. */
const pairLimit = 50_000;

/**
 * Counts failed logins for each pair of address and account (or the name that was typed, when no account has it), in this
 * process. An attempt counts from its start, so that many at once do not slip through together; success clears the
 * count.
 */
export function loginThrottle(clock: Clock): LoginThrottle {
  const failures = new Map<string, number[]>();

  return {
    begin(address, username) {
      const pair = `${address} ${username.toLowerCase()}`;
      const now = clock.now();
      const recent = (failures.get(pair) ?? []).filter((at) => now - at < windowMs);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= failureLimit) {
        return failure({ retryAfterS: Math.max(1, Math.ceil((oldest + windowMs - now) / 1000)) });
      }
      // Taken out and put back, so that the map stays in the order of the last attempts.
      failures.delete(pair);
      failures.set(pair, [...recent, now]);
      if (failures.size > pairLimit) {
        const first = failures.keys().next();
        if (!first.done) failures.delete(first.value);
      }
      return success({ succeeded: () => void failures.delete(pair) });
    },
  };
}
