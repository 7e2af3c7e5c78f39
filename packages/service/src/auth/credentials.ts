import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Deps } from '../core/types.ts';
import { findAccount } from '../db/accounts.ts';
import { writeLog } from '../db/logs.ts';
import { passwordsAreBusy, verifyPassword } from './passwords.ts';
import type { UserRow } from './queries.ts';
import { addressKey, limits } from './throttle.ts';

/** Seconds after which a client that was sent away may come back. */
const busyRetryS = 5;

export interface Credentials {
  /** Email or user name, in any letter case. */
  readonly username: string;
  readonly password: string;
  /** Address that they came from. */
  readonly ip: string;
}

/** Refuses new work with passwords while too much of it waits. Refusal: BUSY. */
export const refuseWhenBusy = (): Refusal | undefined =>
  passwordsAreBusy() ? { ...refusal('BUSY', { retryAfterS: busyRetryS }), retryAfterS: busyRetryS } : undefined;

const tooMany = ({ retryAfterS }: { readonly retryAfterS: number }) =>
  failure({ ...refusal('TOO_MANY_LOGINS', { retryAfterS }), retryAfterS });

/**
 * The account of a user name and password, for login and for the claim of a device. Takes the same time for a name
 * that no account has. Refusals: WRONG_LOGIN, ACCOUNT_DISABLED, TOO_MANY_LOGINS,
 * BUSY. Spec: API-LIMIT-login.
 */
export async function checkCredentials(
  { storage, clock, attempts }: Pick<Deps, 'storage' | 'clock' | 'attempts'>,
  { username, password, ip }: Credentials,
): Promise<Result<UserRow, Refusal>> {
  const overload = refuseWhenBusy();
  if (overload) return failure(overload);
  const user = await findAccount(storage.db, username);
  // Its name and its email are one account: a client that knows both gets no more tries.
  const ofName = await attempts.begin(limits.loginOfName, `${addressKey(ip)} ${user?.username ?? username}`);
  if (!ofName.ok) return tooMany(ofName.error);
  const ofAddress = await attempts.begin(limits.loginOfAddress, addressKey(ip));
  if (!ofAddress.ok) {
    await ofName.value.undo();
    return tooMany(ofAddress.error);
  }
  const correct = await verifyPassword(password, user?.password_hash);
  if (user && correct) {
    await Promise.all([ofName.value.clear(), ofAddress.value.undo()]);
    // Only who knows the password learns of it.
    return user.disabled_at === null ? success(user) : failure(refusal('ACCOUNT_DISABLED'));
  }
  await writeLog(storage.db, {
    type: 'user.login_failed',
    level: 'warning',
    message: 'A login failed',
    atMs: clock.now(),
    userId: user?.id ?? null,
    ip,
    data: { username },
  });
  return failure(refusal('WRONG_LOGIN'));
}
