import { type Refusal, refusalFor } from '@moorage/api';
import { failure, minuteMs, type Result, success, unwrap } from '@moorage/base';
import { networkShare, networksOf } from '../../engine/http/client-address.ts';
import type { Attempt, Attempts, Deps, Limit } from '../../engine/http/types.ts';
import { hashSecret } from '../../engine/secrets.ts';
import { deleteAttempts, replaceAttempts, timesOf } from './attempt-queries.ts';

/**
 * API-LIMIT-login, API-LIMIT-passkey, API-LIMIT-signup, API-LIMIT-links, API-LIMIT-sso. Limits of an address are those of
 * its network too, see `countsOf`.
 */
export const limits = {
  loginOfName: { kind: 'login.name', most: 10, windowMs: 15 * minuteMs },
  loginOfNetwork: { kind: 'login.network', most: 20, windowMs: 60 * minuteMs },
  loginInAll: { kind: 'login.all', most: 50, windowMs: 60 * minuteMs },
  loginOfAddress: { kind: 'login.address', most: 100, windowMs: 15 * minuteMs },
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

/** What is counted, and against which limit. */
export type Count = readonly [limit: Limit, subject: string];

/** A limit of one address, as it holds for the network of that address. */
export const ofNetwork = ({ kind, most, windowMs }: Limit): Limit => ({
  kind: `${kind}.network`,
  most: most * networkShare,
  windowMs,
});

/** Counts by a limit of an address: for the address, and for its network. */
export function countsOf(limit: Limit, ip: string): readonly Count[] {
  const { address, network } = networksOf(ip);
  return [
    [limit, address],
    [ofNetwork(limit), network],
  ];
}

/** Counts an attempt against all of these limits, or, when one refuses it, against none. */
export async function beginAll(
  { attempts }: Pick<Deps, 'attempts'>,
  counts: readonly Count[],
  isCounted = true,
): Promise<Result<readonly Attempt[], { readonly retryAfterS: number }>> {
  const begun: Attempt[] = [];
  for (const [limit, subject] of counts) {
    const attempt = await attempts.begin(limit, subject, isCounted);
    if (!attempt.ok) {
      for (const one of begun) await one.undo();
      return attempt;
    }
    begun.push(attempt.value);
  }
  return success(begun);
}

/** Counts an attempt against all of these limits, or refuses it by this code. `isCounted`: see `Attempts`. */
export async function refuseOverLimits(
  deps: Pick<Deps, 'attempts'>,
  code: Parameters<typeof refusalFor>[0],
  counts: readonly Count[],
  isCounted?: boolean,
): Promise<Refusal | undefined> {
  const begun = await beginAll(deps, counts, isCounted);
  return begun.ok ? undefined : refusalFor(code, begun.error.retryAfterS);
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

  // Not the subject itself: people type passwords where a name belongs.
  const bucketOf = ({ kind }: Limit, subject: string) => `${kind}:${hashSecret(subject.toLowerCase())}`;

  return {
    async begin(limit, subject, isCounted = true) {
      const { most, windowMs } = limit;
      const bucket = bucketOf(limit, subject);
      const now = clock.now();
      const begun = await change(
        bucket,
        (times) => {
          const recent = times.filter((at) => now - at < windowMs && at <= now);
          const [oldest] = recent;
          return oldest !== undefined && recent.length >= most
            ? failure({ retryAfterS: Math.max(1, Math.ceil((oldest + windowMs - now) / 1000)) })
            : success(isCounted ? [...recent, now] : recent);
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

    async note(limit, subject) {
      unwrap(await change(bucketOf(limit, subject), () => success([clock.now()]), limit.windowMs));
    },

    async isNoted(limit, subject) {
      const [at] = (await timesOf(storage.db, bucketOf(limit, subject)))?.times ?? [];
      return at !== undefined && clock.now() - at < limit.windowMs;
    },
  };
}

/** What people come in with; `secret` is one that names no account: a link, an invitation, a sign-in at the provider. */
type SecretKind = 'password' | 'factor' | 'passkey' | 'secret';

interface Client {
  /** Id of the account, or the name of one that is not there. Every other kind is for an account. */
  readonly account?: string;
  /** Address that the request came from. */
  readonly ip: string;
}

/** Where an account has logged in lately. Spec: API-RULE-known-1. */
const known: Limit = { kind: 'login.known', most: 1, windowMs: 30 * 86_400_000 };

/** Notes that a client has logged in to an account: the address and the network are known for it from now on. */
export async function noteKnown({ attempts }: Pick<Deps, 'attempts'>, account: string, ip: string): Promise<void> {
  const { address, network } = networksOf(ip);
  await attempts.note(known, `${account} ${address}`);
  await attempts.note(known, `${account} ${network}`);
}

/**
 * What a failed try counts against, the narrowest first. What others do does not stop a client that is known: where its
 * address is, its network does not count, and where its network is, all the others do not. Spec: API-LIMIT-login,
 * API-RULE-known-1.
 */
async function countsOfTry({ attempts }: Pick<Deps, 'attempts'>, kind: SecretKind, { account, ip }: Client) {
  if (account === undefined) return countsOf(limits.loginOfAddress, ip);
  const { address, network } = networksOf(ip);
  const tried = `${kind} ${account}`;
  const counts: Count[] = [
    [limits.loginOfName, `${tried} ${address}`],
    [limits.loginOfAddress, address],
  ];
  if (await attempts.isNoted(known, `${account} ${address}`)) return counts;
  counts.push([limits.loginOfNetwork, `${tried} ${network}`], [ofNetwork(limits.loginOfAddress), network]);
  // A passkey cannot be guessed, and is the way in that is left when others try passwords.
  if (kind === 'passkey' || (await attempts.isNoted(known, `${account} ${network}`))) return counts;
  return [...counts, [limits.loginInAll, tried] as const];
}

/**
 * Checks what a client shows to log in, as often as the limits allow: the one way to try a password, a factor or
 * another secret of a person. Refusals: TOO_MANY_LOGINS, those of `show`, which count. Spec: API-LIMIT-login.
 */
export async function trySecret<T>(
  deps: Pick<Deps, 'attempts'>,
  kind: SecretKind,
  client: Client,
  show: () => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  const begun = await beginAll(deps, await countsOfTry(deps, kind, client));
  if (!begun.ok) return failure(refusalFor('TOO_MANY_LOGINS', begun.error.retryAfterS));
  const shown = await show();
  if (!shown.ok) return shown;
  const [first, ...others] = begun.value;
  // What this client has failed before is forgotten, and of what it shares with others this attempt alone.
  await (client.account === undefined ? first?.undo() : first?.clear());
  for (const attempt of others) await attempt.undo();
  return shown;
}
