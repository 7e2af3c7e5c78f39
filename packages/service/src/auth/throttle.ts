import { failure, type Result, success, unwrap } from '@moorage/base';
import ipaddr from 'ipaddr.js';
import { hashSecret } from '../core/secrets.ts';
import type { Attempt, Attempts, Deps, Limit } from '../core/types.ts';
import { deleteAttempts, replaceAttempts, timesOf } from './attempt-queries.ts';

const minuteMs = 60_000;

/** API-LIMIT-login, API-LIMIT-factor, API-LIMIT-passkey, API-LIMIT-signup, API-LIMIT-links, API-LIMIT-sso. */
export const limits = {
  loginOfName: { kind: 'login.name', most: 10, windowMs: 15 * minuteMs },
  loginOfAddress: { kind: 'login.address', most: 100, windowMs: 15 * minuteMs },
  factorOfUser: { kind: 'factor.user', most: 10, windowMs: 15 * minuteMs },
  signUpOfAddress: { kind: 'signup.address', most: 20, windowMs: 60 * minuteMs },
  linkOfIp: { kind: 'link.address', most: 20, windowMs: 60 * minuteMs },
  linkOfEmail: { kind: 'link.email', most: 3, windowMs: 60 * minuteMs },
  linkInAll: { kind: 'link', most: 200, windowMs: 60 * minuteMs },
  passkeyOfAddress: { kind: 'passkey.address', most: 300, windowMs: 15 * minuteMs },
  ssoOfAddress: { kind: 'sso.address', most: 100, windowMs: 15 * minuteMs },
  signUpInAll: { kind: 'signup', most: 200, windowMs: 60 * minuteMs },
} as const satisfies Record<string, Limit>;

/** How often a change that lost to others is made again: each time one of the rivals wins. */
const conflictAttempts = 250;

/** An address as attempts are counted: one customer of a provider has at least a /64 of IPv6. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/**
 * Counts attempts for all processes on one database, so that as many as a limit allows get through, however many are
 * made at once and wherever. An attempt counts from its start, also when the process that it was made at is killed.
 */
export function openAttempts({ storage, clock }: Pick<Deps, 'storage' | 'clock'>): Attempts {
  /** Replaces the times of a bucket, unless `next` refuses; another process that was faster is taken into account. */
  async function change<E>(
    bucket: string,
    next: (times: readonly number[]) => Result<readonly number[], E>,
    keepMs: number,
  ) {
    for (let attempt = 1; ; attempt++) {
      const before = await timesOf(storage.db, bucket);
      const wanted = next(before?.times ?? []);
      if (!wanted.ok) return wanted;
      const done = await replaceAttempts(storage.db, bucket, before?.text, wanted.value, clock.now() + keepMs);
      if (done) return success(undefined);
      if (attempt === conflictAttempts) throw new Error('Attempts are made faster than they can be counted');
    }
  }

  return {
    async begin({ kind, most, windowMs }, subject) {
      // Not the subject itself: people type passwords where a name belongs.
      const bucket = `${kind}:${hashSecret(subject.toLowerCase())}`;
      const now = clock.now();
      const begun = await change(
        bucket,
        (times) => {
          const recent = times.filter((at) => now - at < windowMs && at <= now);
          const [oldest] = recent;
          return oldest !== undefined && recent.length >= most
            ? failure({ retryAfterS: Math.max(1, Math.ceil((oldest + windowMs - now) / 1000)) })
            : success([...recent, now]);
        },
        windowMs,
      );
      if (!begun.ok) return begun;
      const undo = async () => {
        const without = (times: readonly number[]) => {
          const at = times.indexOf(now);
          return success(times.filter((_, index) => index !== at));
        };
        unwrap(await change(bucket, without, windowMs));
      };
      const attempt: Attempt = { undo, clear: () => deleteAttempts(storage.db, bucket) };
      return success(attempt);
    },
  };
}
