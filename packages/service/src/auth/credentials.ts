import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Deps } from '../core/types.ts';
import { findAccount } from '../db/accounts.ts';
import { writeLog } from '../db/logs.ts';
import { passwordsAreBusy, verifyPassword } from './passwords.ts';
import type { UserRow } from './queries.ts';

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

/**
 * The account of a user name and password, for login and for the claim of a device. Takes the same time for a name
 * that no account has. Refusals: WRONG_LOGIN, TOO_MANY_LOGINS, BUSY. Spec: API-LIMIT-login.
 */
export async function checkCredentials(
  { storage, clock, logins }: Pick<Deps, 'storage' | 'clock' | 'logins'>,
  { username, password, ip }: Credentials,
): Promise<Result<UserRow, Refusal>> {
  const overload = refuseWhenBusy();
  if (overload) return failure(overload);
  const user = await findAccount(storage.db, username);
  // Its name and its email are one account: a client that knows both gets no more tries.
  const attempt = logins.begin(ip, user?.username ?? username);
  if (!attempt.ok) {
    const { retryAfterS } = attempt.error;
    return failure({ ...refusal('TOO_MANY_LOGINS', { retryAfterS }), retryAfterS });
  }
  const correct = await verifyPassword(password, user?.password_hash);
  if (user && correct) {
    attempt.value.succeeded();
    return success(user);
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
