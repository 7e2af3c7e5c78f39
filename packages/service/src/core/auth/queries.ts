import { randomUUID } from 'node:crypto';
import type { authContract, BodyOf } from '@moorage/api';
import { onePage, type Paging } from '../../engine/db/paging.ts';
import type { Row } from '../../engine/db/schema.ts';
import { finds } from '../../engine/db/statements.ts';
import type { Db } from '../../engine/db/storage.ts';

export type UserRow = Row<'users'>;
export type TokenRow = Row<'tokens'>;

export type NewUser = Omit<BodyOf<(typeof authContract)['signup']>, 'invitation' | 'password' | 'username'> &
  Pick<UserRow, 'username' | 'role'> & { readonly passwordHash: string; readonly atMs: number };

/** Adds a user. Address and user name are stored as they are looked up: in lower case. */
export async function insertUser(trx: Db, user: NewUser): Promise<UserRow> {
  return trx
    .insertInto('users')
    .values({
      id: randomUUID(),
      email: user.email.toLowerCase(),
      username: user.username.toLowerCase(),
      password_hash: user.passwordHash,
      name_given: user.name_given ?? '',
      name_family: user.name_family ?? '',
      organisation: user.organisation ?? '',
      role: user.role,
      customer_id: null,
      avatar_id: null,
      created_at: user.atMs,
      disabled_at: null,
      email_confirmed_at: null,
      second_factor: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The administrator who was made first. */
export const firstAdministrator = (db: Db): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('role', '=', 'admin').orderBy('created_at').executeTakeFirst();

/** Whether the first run has made its administrator. */
export const hasAdministrator = (db: Db): Promise<boolean> =>
  finds(db.selectFrom('users').select('id').where('role', '=', 'admin').limit(1));

/** Takes the first run's lock: a second transaction waits here until the first has ended. */
export const lockFirstRun = (trx: Db) =>
  trx
    .insertInto('settings')
    .values({ name: 'auth.first-run', value: '' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '' }))
    .execute();

/** Adds a token that has not been used yet. */
export async function insertToken(
  trx: Db,
  token: Omit<TokenRow, 'id' | 'last_used_at' | 'last_used_ip'>,
): Promise<TokenRow> {
  return trx
    .insertInto('tokens')
    .values({ ...token, id: randomUUID(), last_used_at: null, last_used_ip: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Titles of all tokens of a user. */
export async function tokenTitles(db: Db, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('tokens').select('title').where('user_id', '=', userId).execute();
  return rows.map(({ title }) => title);
}

/** A page of the tokens of a user, and how many there are in all. */
export async function listTokens(
  db: Db,
  userId: string,
  page: Paging<'created_at' | 'last_used_at' | 'title'>,
): Promise<{ items: TokenRow[]; total: number }> {
  const own = db.selectFrom('tokens').where('user_id', '=', userId);
  const items = own
    .selectAll()
    .orderBy(page.field, (order) => (page.direction === 'desc' ? order.desc().nullsLast() : order.asc().nullsFirst()))
    .orderBy('id', page.direction);
  return onePage(items, own, page);
}

/** Gives a token of this user another title; `undefined` when they have no such token. */
export const renameToken = (trx: Db, userId: string, id: string, title: string): Promise<TokenRow | undefined> =>
  trx
    .updateTable('tokens')
    .set({ title })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();

/** Removes a token. Without `userId`, a token of any user. */
export const deleteToken = (trx: Db, id: string, userId?: string): Promise<TokenRow | undefined> =>
  trx
    .deleteFrom('tokens')
    .where('id', '=', id)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .returningAll()
    .executeTakeFirst();

/** Name of the setting that says which account still has its first password. */
const initialPassword = (userId: string): string => `auth.initial-password.${userId}`;

/** Notes that a user's password was made by the first run. */
export const noteInitialPassword = (trx: Db, userId: string) =>
  trx
    .insertInto('settings')
    .values({ name: initialPassword(userId), value: '' })
    .execute();

/** Whether a user still has the password that the first run has made. */
export const hasInitialPassword = (db: Db, userId: string): Promise<boolean> =>
  finds(db.selectFrom('settings').select('name').where('name', '=', initialPassword(userId)));

/** Gives a user another password, which they have chosen. */
export async function setPassword(trx: Db, userId: string, passwordHash: string): Promise<void> {
  await trx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute();
  await trx.deleteFrom('settings').where('name', '=', initialPassword(userId)).execute();
}

/** Notes that the user of a token has proved with it who they are. */
export const noteProof = (trx: Db, tokenId: string, atMs: number) =>
  trx.updateTable('tokens').set({ proven_at: atMs }).where('id', '=', tokenId).execute();

/** Removes login sessions that began before a moment, or were last used before another. */
export const deleteOldSessions = (db: Db, beganBeforeMs: number, usedBeforeMs: number) =>
  db
    .deleteFrom('tokens')
    .where('client', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('created_at', '<', beganBeforeMs),
        eb(eb.fn.coalesce('last_used_at', 'created_at'), '<', usedBeforeMs),
      ]),
    )
    .execute();

/** Removes the tokens of all login sessions of a user, but one when it is named. */
export async function endSessions(trx: Db, userId: string, exceptTokenId?: string): Promise<void> {
  const sessions = trx.deleteFrom('tokens').where('user_id', '=', userId).where('client', 'is not', null);
  await (exceptTokenId === undefined ? sessions : sessions.where('id', '!=', exceptTokenId)).execute();
}
