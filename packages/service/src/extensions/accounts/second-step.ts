import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { Secret, TOTP } from 'otpauth';
import type { UserRow } from '../../core/auth/queries.ts';
import { trySecret } from '../../core/auth/throttle.ts';
import { writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { insertChallenge, spendChallenge, spendCode, spendStep, totpOf, tryChallenge } from './factor-queries.ts';

type StepDeps = Pick<Deps, 'storage' | 'clock' | 'attempts'>;

/** How long a login may wait for its second factor, in ms. */
export const challengeMs = 300_000;
/** Wrong answers that a challenge takes. Spec: API-LIMIT-factor. */
const answersLimit = 5;

/** The stored form of a recovery code, however it was typed. */
export const recoveryCodeHash = (code: string): string => hashSecret(code.toLowerCase().replace(/[^a-z0-9]/g, ''));

/** A challenge for a user; the value is known this once. */
async function openChallenge({ storage, clock }: Pick<StepDeps, 'storage' | 'clock'>, userId: string): Promise<string> {
  const value = newTokenValue();
  const expires_at = clock.now() + challengeMs;
  await insertChallenge(storage.db, { hash: hashSecret(value), user_id: userId, expires_at });
  return value;
}

/** SECOND_FACTOR_REQUIRED, with a challenge, for an account that has one. Spec: API-RULE-factor-1. */
export async function askFactor(
  deps: Pick<StepDeps, 'storage' | 'clock'>,
  { id, second_factor }: UserRow,
): Promise<Refusal | undefined> {
  if (second_factor === 0) return undefined;
  return { ...refusal('SECOND_FACTOR_REQUIRED'), challenge: await openChallenge(deps, id) };
}

/** Uses up a code of a user's app or a recovery code of theirs; false for a wrong or used one. */
export async function spendAnyCode(trx: Db, userId: string, code: string, nowMs: number): Promise<boolean> {
  if (!/^\d{6}$/.test(code)) return spendCode(trx, userId, recoveryCodeHash(code));
  const secret = (await totpOf(trx, userId))?.secret;
  const step = secret ? totpStep(secret, code, nowMs) : undefined;
  return secret && step !== undefined ? spendStep(trx, userId, secret, step) : false;
}

/**
 * Tries what a user has shown as a factor, as often as the limit allows, wherever it is shown. Refusals:
 * WRONG_SECOND_FACTOR, TOO_MANY_LOGINS, those of `use`. Spec: API-LIMIT-factor.
 */
export async function tryFactor<T>(
  { storage, clock, attempts }: StepDeps,
  { id, username }: Pick<UserRow, 'id' | 'username'>,
  ip: string,
  use: (trx: Db) => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  const used = await trySecret({ attempts }, 'factor', { account: id, ip }, () => storage.transaction(use));
  if (!used.ok && used.error.code !== 'TOO_MANY_LOGINS') {
    const data = { username };
    const message = 'A second factor was wrong';
    const subject = { atMs: clock.now(), userId: id, ip, data };
    await writeLog(storage.db, { ...subject, type: 'user.login_failed', level: 'warning', message });
  }
  return used;
}

/** Looks at what was shown as a factor of an account; then uses it up in a transaction, or refuses it. */
export type ShownFactor = (user: UserRow, nowMs: number) => Promise<(trx: Db) => Promise<Refusal | undefined>>;

/** A code of the app, or a recovery code. */
export const shownCode =
  (code: string): ShownFactor =>
  async ({ id }, nowMs) =>
  async (trx) =>
    (await spendAnyCode(trx, id, code, nowMs)) ? undefined : refusal('WRONG_SECOND_FACTOR');

/** The account whose login a factor finishes. Refusals: WRONG_CHALLENGE, those of `tryFactor` and of the factor. */
export async function finishLogin(
  deps: StepDeps,
  challenge: string,
  ip: string,
  shown: ShownFactor,
): Promise<Result<UserRow, Refusal>> {
  const hash = hashSecret(challenge);
  const now = deps.clock.now();
  const user = await tryChallenge(deps.storage.db, hash, now, answersLimit);
  if (!user) return failure(refusal('WRONG_CHALLENGE'));
  const spend = await shown(user, now);
  return tryFactor(deps, user, ip, async (trx): Promise<Result<UserRow, Refusal>> => {
    const refused = await spend(trx);
    if (refused) return failure(refused);
    // Of many at once with one challenge, one gets through.
    return (await spendChallenge(trx, hash)) ? success(user) : failure(refusal('WRONG_CHALLENGE'));
  });
}

/** What apps assume without a setting: six digits of SHA-1, another code each 30 seconds. */
const form = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Codes before and after the one of now that count: clocks differ, and people type. */
const window = 1;
const secretBytes = 20;

/** A new secret, base32. */
export const newTotpSecret = (): string => new Secret({ size: secretBytes }).base32;

/** The address by which an app takes the secret. */
export const totpUrl = (secret: string, label: string): string =>
  new TOTP({ ...form, issuer: 'Moorage', label, secret }).toString();

/** The step of 30 seconds since 1970 that a code is of; `undefined` for a wrong one. Spec: API-RULE-factor-2. */
export function totpStep(secret: string, code: string, nowMs: number): number | undefined {
  const timestamp = nowMs;
  const delta = new TOTP({ ...form, secret }).validate({ token: code, timestamp, window });
  return delta === null ? undefined : TOTP.counter({ period: form.period, timestamp }) + delta;
}
