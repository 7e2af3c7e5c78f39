import { grants, type Refusal, refusal, refusalFor, type TokenScope } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { writeLog } from '../../engine/db/logs.ts';
import type { Caller, Deps } from '../../engine/http/types.ts';
import { hashSecret } from '../../engine/secrets.ts';
import { findAccount } from '../access/accounts.ts';
import type { AuthDeps } from './hooks.ts';
import { passwordsAreBusy, verifyPassword } from './passwords.ts';
import type { UserRow } from './queries.ts';
import { noteKnown, trySecret } from './throttle.ts';

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
  passwordsAreBusy() ? refusalFor('BUSY', busyRetryS) : undefined;

/** A login that is tried. */
interface LoginAttempt {
  /** What they call themselves, for an account that is not there. */
  readonly name: string;
  readonly user: UserRow | undefined;
  /** Address that they came from. */
  readonly ip: string;
}

/**
 * Lets a person in who shows what it takes, as often as the limits allow; what fails is in the log. Refusals:
 * ACCOUNT_DISABLED, TOO_MANY_LOGINS, and `wrong`. Spec: API-LIMIT-login.
 *
 * @param isShown whether they have shown it; asked for unknown names too, so that both take the same time
 */
export async function tryLogin(
  { storage, clock, attempts }: Pick<Deps, 'storage' | 'clock' | 'attempts'>,
  proof: 'password' | 'passkey',
  { name, user, ip }: LoginAttempt,
  wrong: Refusal,
  isShown: () => Promise<boolean>,
): Promise<Result<UserRow, Refusal>> {
  // Its name and its email are one account: a client that knows both gets no more tries.
  const account = user?.id ?? name;
  const tried = await trySecret({ attempts }, proof, { account, ip }, async (): Promise<Result<UserRow, Refusal>> => {
    const correct = await isShown();
    return user && correct ? success(user) : failure(wrong);
  });
  // Only who has shown it learns of it.
  if (tried.ok) return tried.value.disabled_at === null ? tried : failure(refusal('ACCOUNT_DISABLED'));
  if (tried.error !== wrong) return tried;
  await writeLog(storage.db, {
    type: 'user.login_failed',
    level: 'warning',
    message: 'A login failed',
    atMs: clock.now(),
    userId: user?.id ?? null,
    ip,
    data: { username: name },
  });
  return tried;
}

/**
 * The account of a user name and password, for login and for the claim of a device. Takes the same time for a name
 * that no account has. Refusals: WRONG_LOGIN, ACCOUNT_DISABLED, TOO_MANY_LOGINS,
 * BUSY. Spec: API-LIMIT-login.
 */
export async function checkCredentials(
  deps: Pick<Deps, 'storage' | 'clock' | 'attempts'>,
  { username, password, ip }: Credentials,
): Promise<Result<UserRow, Refusal>> {
  const overload = refuseWhenBusy();
  if (overload) return failure(overload);
  const user = await findAccount(deps.storage.db, username);
  return tryLogin(deps, 'password', { name: username, user, ip }, refusal('WRONG_LOGIN'), () =>
    verifyPassword(password, user?.password_hash),
  );
}

/** The account of a login whose password is enough. Refusals: those of the credentials and of extensions. */
export async function checkLogin(
  deps: Pick<AuthDeps, 'storage' | 'clock' | 'attempts' | 'hooks'>,
  credentials: Credentials,
): Promise<Result<UserRow, Refusal>> {
  const found = await checkCredentials(deps, credentials);
  if (!found.ok) return found;
  const refused = await deps.hooks.refuseLogin(deps, found.value);
  return refused ? failure(refused) : found;
}

/** Checks the password of who is signed in, before a change of how they sign in. Refusal, beside others: WRONG_PASSWORD. */
export async function checkOwnPassword(
  deps: Pick<Deps, 'storage' | 'clock' | 'attempts'>,
  { caller, ip }: { readonly caller: Caller; readonly ip: string },
  password: string,
): Promise<Result<UserRow, Refusal>> {
  const found = await checkCredentials(deps, { username: caller.username, password, ip });
  return !found.ok && found.error.code === 'WRONG_LOGIN' ? failure(refusal('WRONG_PASSWORD')) : found;
}

/** The account of a token that a device shows in place of a password: one made by hand that may operate all devices. */
async function accountOfToken(
  { storage, clock }: Pick<Deps, 'storage' | 'clock'>,
  username: string,
  token: string,
): Promise<UserRow | undefined> {
  const owner = await storage.hot.callerByTokenHash(hashSecret(token));
  if (!owner || owner.client !== null || owner.product_ids !== null) return undefined;
  if (owner.expires_at !== null && clock.now() >= owner.expires_at) return undefined;
  // Safe: only `makeToken` writes them.
  if (owner.scopes !== null && !grants(JSON.parse(owner.scopes) as TokenScope[], 'operate')) return undefined;
  const user = await findAccount(storage.db, username);
  return user?.id === owner.user_id ? user : undefined;
}

/**
 * The account of a login that a device shows: it has no second step, so that of an account with a second factor is one of
 * its tokens. Refusals: those of `checkCredentials`, and TOKEN_NEEDED. Spec: API-RULE-factor-5.
 */
export async function checkDeviceLogin(
  deps: Pick<Deps, 'storage' | 'clock' | 'attempts'>,
  credentials: Credentials,
): Promise<Result<UserRow, Refusal>> {
  const ofToken = await accountOfToken(deps, credentials.username, credentials.password);
  if (ofToken) return success(ofToken);
  const found = await checkCredentials(deps, credentials);
  if (!found.ok) return found;
  if (found.value.second_factor === 1) return failure(refusal('TOKEN_NEEDED'));
  await noteKnown(deps, found.value.id, credentials.ip);
  return found;
}
