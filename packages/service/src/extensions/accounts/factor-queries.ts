import type { UserRow } from '../../core/auth/queries.ts';
import { countOf } from '../../engine/db/paging.ts';
import type { Row } from '../../engine/db/schema.ts';
import { changes } from '../../engine/db/statements.ts';
import type { Db } from '../../engine/db/storage.ts';
import { passkeysOf } from './passkey-queries.ts';

export const insertChallenge = (db: Db, row: Omit<Row<'challenges'>, 'attempts'>) =>
  db
    .insertInto('challenges')
    .values({ ...row, attempts: 0 })
    .execute();

/** Counts an answer to a challenge, whatever becomes of it; its account, unless it has had too many or is over. */
export async function tryChallenge(db: Db, hash: string, nowMs: number, most: number): Promise<UserRow | undefined> {
  const { numUpdatedRows } = await db
    .updateTable('challenges')
    .set((row) => ({ attempts: row('attempts', '+', 1) }))
    .where('hash', '=', hash)
    .where('expires_at', '>', nowMs)
    .where('attempts', '<', most)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return undefined;
  return db
    .selectFrom('challenges as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .selectAll('u')
    .where('c.hash', '=', hash)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst();
}

/** Uses a challenge up; false when that has happened already. */
export const spendChallenge = (trx: Db, hash: string): Promise<boolean> =>
  changes(trx.deleteFrom('challenges').where('hash', '=', hash));

/** Ends the logins of a user that wait for a second factor. */
export async function deleteChallenges(trx: Db, userId: string): Promise<void> {
  await trx.deleteFrom('challenges').where('user_id', '=', userId).execute();
}

/** Forgets challenges that are over. */
export async function deleteOldChallenges(db: Db, nowMs: number): Promise<void> {
  await db.deleteFrom('challenges').where('expires_at', '<=', nowMs).execute();
  await db.deleteFrom('passkey_challenges').where('expires_at', '<=', nowMs).execute();
}

export const totpOf = (db: Db, userId: string): Promise<Row<'totp'> | undefined> =>
  db.selectFrom('totp').selectAll().where('user_id', '=', userId).executeTakeFirst();

/** Keeps a secret that is to be confirmed; the one before goes on. */
export const keepPending = (trx: Db, userId: string, pending: string) =>
  trx
    .insertInto('totp')
    .values({ user_id: userId, secret: null, pending, confirmed_at: null, last_step: null })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ pending }))
    .execute();

/** Lets a secret count from now on; false when it waits no longer. */
export const confirmPending = (trx: Db, userId: string, secret: string, step: number, atMs: number): Promise<boolean> =>
  changes(
    trx
      .updateTable('totp')
      .set({ secret, pending: null, confirmed_at: atMs, last_step: step })
      .where('user_id', '=', userId)
      .where('pending', '=', secret),
  );

/** Uses a code up, and all before it; false when it has been used, or the secret is another. */
export const spendStep = (trx: Db, userId: string, secret: string, step: number): Promise<boolean> =>
  changes(
    trx
      .updateTable('totp')
      .set({ last_step: step })
      .where('user_id', '=', userId)
      .where('secret', '=', secret)
      .where('last_step', '<', step),
  );

/** Forgets the app of a user, one that waits to be confirmed too; false when there is none. */
export const deleteTotp = (trx: Db, userId: string): Promise<boolean> =>
  changes(trx.deleteFrom('totp').where('user_id', '=', userId));

/** Replaces the recovery codes of a user. */
export async function replaceCodes(trx: Db, userId: string, hashes: readonly string[]): Promise<void> {
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  if (hashes.length === 0) return;
  const rows = hashes.map((code_hash) => ({ user_id: userId, code_hash }));
  await trx.insertInto('recovery_codes').values(rows).execute();
}

/** Uses a recovery code up; false when there is none such. */
export const spendCode = (trx: Db, userId: string, hash: string): Promise<boolean> =>
  changes(trx.deleteFrom('recovery_codes').where('user_id', '=', userId).where('code_hash', '=', hash));

/** How many recovery codes a user has left. */
export const countCodes = (db: Db, userId: string): Promise<number> =>
  countOf(db.selectFrom('recovery_codes').where('user_id', '=', userId));

/** Notes at the account whether it has a second factor; without one its recovery codes are for nothing. */
export async function noteFactors(trx: Db, userId: string): Promise<boolean> {
  const app = await trx
    .selectFrom('totp')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('secret', 'is not', null)
    .executeTakeFirst();
  const has = app !== undefined || (await passkeysOf(trx, userId)).length > 0;
  await trx
    .updateTable('users')
    .set({ second_factor: has ? 1 : 0 })
    .where('id', '=', userId)
    .execute();
  if (!has) await replaceCodes(trx, userId, []);
  return has;
}
