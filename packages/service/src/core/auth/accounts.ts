import { type authContract, type BodyOf, type Refusal, refusal, type TokenScope } from '@moorage/api';
import { dayMs, failure, type Result, success } from '@moorage/base';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';
import { hashSecret, newTokenValue, tailOf } from '../../engine/secrets.ts';
import { addressTaken, announceAccess, findAccount } from '../access/accounts.ts';
import { nameOwner, namesFrom } from '../access/names.ts';
import type { AuthHooks } from './hooks.ts';
import { hashNewPassword, hashPassword, type NewPasswordOf, verifyPassword } from './passwords.ts';
import {
  deleteToken,
  endSessions,
  hasAdministrator,
  insertToken,
  insertUser,
  lockFirstRun,
  noteInitialPassword,
  setPassword,
  type TokenRow,
  type UserRow,
} from './queries.ts';
import { newPassword } from './token-records.ts';

export { firstAdministrator } from './queries.ts';
export { newPassword } from './token-records.ts';

type AccountDeps = Pick<Deps, 'storage' | 'clock'>;

export type NewAccount = Omit<BodyOf<(typeof authContract)['signup']>, 'invitation'>;

/** Longest user name that is made from an address; room for a number behind it. */
const derivedNameLength = 24;

/** A user name from an email address that none of `taken` has: `maker`, `maker2`, `maker3`, … */
export function usernameFor(email: string, taken: ReadonlySet<string>): string {
  const local = email.toLowerCase().split('@')[0] ?? '';
  const base = local.replace(/[^a-z0-9_.]+/g, '_').slice(0, derivedNameLength);
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}${number}`;
    if (!taken.has(name)) return name;
  }
}

const baseOf = (email: string): string => usernameFor(email, new Set());

/**
 * Makes an account. Refusals: WEAK_PASSWORD, and DUPLICATE for the address or the user name.
 *
 * @param role `user` for an account that signs up
 * @param claim what else has to be true, in the same transaction: its refusal is that of the account
 */
export async function createUser(
  { storage, clock }: AccountDeps,
  account: NewAccount,
  role: UserRow['role'] = 'user',
  claim: (trx: Db, user: UserRow) => Promise<Refusal | undefined> = async () => undefined,
): Promise<Result<UserRow, Refusal>> {
  const names = [account.email, ...(account.username === undefined ? [] : [account.username])];
  const hashed = await hashNewPassword(account.password, { names });
  if (!hashed.ok) return hashed;
  const passwordHash = hashed.value;
  return transactionOverConflicts(storage, async (trx): Promise<Result<UserRow, Refusal>> => {
    if (await addressTaken(trx, account.email.toLowerCase(), clock.now())) {
      return failure(refusal('DUPLICATE', { what: 'Email', value: account.email }));
    }
    if (account.username !== undefined && (await nameOwner(trx, account.username))) {
      return failure(refusal('DUPLICATE', { what: 'User name', value: account.username }));
    }
    const username = account.username ?? usernameFor(account.email, await namesFrom(trx, baseOf(account.email)));
    const user = await insertUser(trx, { ...account, username, passwordHash, role, atMs: clock.now() });
    const refused = await claim(trx, user);
    if (refused) return failure(refused);
    await writeLog(trx, { type: 'user.create', message: 'Account made', atMs: clock.now(), userId: user.id });
    return success(user);
  });
}

/** What a password of an account has to fit. */
export const passwordOf = ({ username, email, second_factor }: UserRow): NewPasswordOf => ({
  names: [username, email],
  hasFactor: second_factor === 1,
});

/**
 * Gives an account another password, for a user who has lost theirs; all of its login sessions end, tokens made by hand
 * stay. Refusals: NOT_FOUND, WEAK_PASSWORD.
 *
 * @param name email address or user name
 */
export async function replacePassword(
  { storage, clock }: AccountDeps,
  name: string,
  password: string,
  passwordChanged: AuthHooks['passwordChanged'],
): Promise<Result<UserRow, Refusal>> {
  const user = await findAccount(storage.db, name);
  if (!user) return failure(refusal('NOT_FOUND', { what: `User "${name}"` }));
  const hashed = await hashNewPassword(password, passwordOf(user));
  if (!hashed.ok) return hashed;
  return storage.transaction(async (trx) => {
    await setPassword(trx, user.id, hashed.value);
    await passwordChanged(trx, user.id);
    await endSessions(trx, user.id);
    announceAccess(storage, trx, user.id);
    const message = 'Password replaced on the command line';
    await writeLog(trx, { type: 'user.update', message, atMs: clock.now(), userId: user.id });
    return success(user);
  });
}

/**
 * A password for an account whose user has lost theirs: they are asked to choose another when they come in. `set` ends
 * all login sessions of the account; tokens made by hand stay.
 */
export async function replacementPassword(): Promise<{
  readonly password: string;
  readonly set: (trx: Db, userId: string) => Promise<void>;
}> {
  const password = newPassword();
  const passwordHash = await hashPassword(password);
  return {
    password,
    async set(trx, userId) {
      await setPassword(trx, userId, passwordHash);
      await noteInitialPassword(trx, userId);
      await endSessions(trx, userId);
    },
  };
}

/** A token as it was made: the only time that its value is known. */
export interface MadeToken {
  readonly row: TokenRow;
  readonly token: string;
}

/** What a token is to be. */
export interface NewToken {
  readonly userId: string;
  readonly title: string;
  /** Of a login session, and the program that logged in. */
  readonly client: string | null;
  readonly userAgent?: string | undefined;
  /** All without them. */
  readonly scopes?: readonly TokenScope[] | undefined;
  readonly productIds?: readonly string[] | undefined;
  /** How long it is good; for good without it. */
  readonly days?: number | undefined;
  /** What opened it, of a login session. */
  readonly openedBy?: TokenRow['opened_by'];
  /** When its user has proved who they are. */
  readonly provenAtMs?: number;
  readonly atMs: number;
}

/** Characters that are kept of what a program calls itself. */
const userAgentLength = 300;

/** Makes a token in a transaction of the caller. */
export async function makeToken(
  trx: Db,
  { userId, title, client, userAgent, scopes, productIds, days, openedBy, provenAtMs, atMs }: NewToken,
): Promise<MadeToken> {
  const token = newTokenValue();
  const row = await insertToken(trx, {
    user_id: userId,
    title,
    token_hash: hashSecret(token),
    tail: tailOf(token),
    client,
    created_at: atMs,
    scopes: scopes && !scopes.includes('all') ? JSON.stringify([...new Set(scopes)]) : null,
    product_ids: productIds ? JSON.stringify([...new Set(productIds)]) : null,
    expires_at: days === undefined ? null : atMs + days * dayMs,
    user_agent: userAgent?.slice(0, userAgentLength) ?? null,
    opened_by: openedBy ?? null,
    proven_at: provenAtMs ?? null,
  });
  return { row, token };
}

/** Makes a token for a user, for the command line. */
export const issueToken = (
  { storage, clock }: AccountDeps,
  userId: string,
  title: string,
  limits: Pick<NewToken, 'scopes' | 'productIds' | 'days'> = {},
): Promise<MadeToken> =>
  storage.transaction(async (trx) => {
    const made = await makeToken(trx, { userId, title, client: null, ...limits, atMs: clock.now() });
    await writeLog(trx, { type: 'token.create', message: `Token "${title}" made`, atMs: clock.now(), userId });
    return made;
  });

/** Revokes a token, of `ownerId` only when it is given. False when there is no such token. Spec: API-RULE-token-2. */
export const revokeToken = ({ storage, clock }: AccountDeps, tokenId: string, ownerId?: string): Promise<boolean> =>
  storage.transaction(async (trx) => {
    const gone = await deleteToken(trx, tokenId, ownerId);
    if (!gone) return false;
    announceAccess(storage, trx, gone.user_id);
    const message = `Token "${gone.title}" revoked`;
    await writeLog(trx, { type: 'token.revoke', message, atMs: clock.now(), userId: gone.user_id });
    return true;
  });

/** Whether the settings name a password for the first start that comes too late: the account has another. */
export async function isPasswordLate({ storage, settings }: Pick<Deps, 'storage' | 'settings'>): Promise<boolean> {
  if (settings.adminPassword === undefined) return false;
  const user = await findAccount(storage.db, settings.adminEmail);
  return !(await verifyPassword(settings.adminPassword, user?.password_hash));
}

/**
 * Makes the administrator of a service that has none. `announce` gets the address and password before they are
 * committed: when it fails, or the process dies in it, there is still no administrator, and the next start announces
 * another. Of several processes that start at once only one announces.
 *
 * @returns whether one was made; the refusal is WEAK_PASSWORD, for that of the settings
 */
export async function ensureAdministrator(
  { storage, clock, settings }: Pick<Deps, 'storage' | 'clock' | 'settings'>,
  announce: (email: string, password: string) => void | Promise<void>,
): Promise<Result<boolean, Refusal>> {
  if (await hasAdministrator(storage.db)) return success(false);
  const email = settings.adminEmail;
  const password = settings.adminPassword ?? newPassword();
  const hashed = await hashNewPassword(password, { names: [email] });
  if (!hashed.ok) return hashed;
  return storage.transaction(async (trx) => {
    await lockFirstRun(trx);
    if (await hasAdministrator(trx)) return success(false);
    const username = usernameFor(email, await namesFrom(trx, baseOf(email)));
    const user = await insertUser(trx, {
      email,
      username,
      passwordHash: hashed.value,
      role: 'admin',
      atMs: clock.now(),
    });
    if (settings.adminPassword === undefined) await noteInitialPassword(trx, user.id);
    await writeLog(trx, { type: 'user.create', message: 'Administrator made', atMs: clock.now(), userId: user.id });
    await announce(email, password);
    return success(true);
  });
}
