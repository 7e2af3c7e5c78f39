import { randomUUID } from 'node:crypto';
import type { UserRow } from '../../core/auth/queries.ts';
import type { NewRow, Row } from '../../engine/db/schema.ts';
import { changes } from '../../engine/db/statements.ts';
import type { Db } from '../../engine/db/storage.ts';

export type PasskeyRow = Row<'passkeys'>;

export const insertPasskeyChallenge = (db: Db, hash: string, userId: string | null, expiresAt: number) =>
  db.insertInto('passkey_challenges').values({ hash, user_id: userId, expires_at: expiresAt }).execute();

/**
 * Uses a challenge up that was made for this: a passkey of that user, or a sign-in without one. False when it has been
 * used, is over or was made for something else.
 */
export const spendPasskeyChallenge = (db: Db, hash: string, userId: string | null, nowMs: number): Promise<boolean> =>
  changes(
    db
      .deleteFrom('passkey_challenges')
      .where('hash', '=', hash)
      .where('user_id', userId === null ? 'is' : '=', userId)
      .where('expires_at', '>', nowMs),
  );

export const passkeysOf = (db: Db, userId: string): Promise<PasskeyRow[]> =>
  db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('created_at').orderBy('id').execute();

/** The passkeys of the account whose login waits for a second factor. */
export const passkeysOfLogin = (db: Db, challengeHash: string, nowMs: number): Promise<PasskeyRow[]> =>
  db
    .selectFrom('challenges as c')
    .innerJoin('passkeys as p', 'p.user_id', 'c.user_id')
    .selectAll('p')
    .where('c.hash', '=', challengeHash)
    .where('c.expires_at', '>', nowMs)
    .orderBy('p.created_at')
    .orderBy('p.id')
    .execute();

/** The passkey of a credential, and whose it is. */
export async function passkeyOfCredential(
  db: Db,
  credentialId: string,
): Promise<{ readonly passkey: PasskeyRow; readonly user: UserRow } | undefined> {
  const passkey = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
  const user =
    passkey && (await db.selectFrom('users').selectAll().where('id', '=', passkey.user_id).executeTakeFirst());
  return passkey && user && { passkey, user };
}

/** Adds a passkey; undefined when its credential is known already, whosever it is. */
export const insertPasskey = (
  trx: Db,
  row: Omit<NewRow<'passkeys'>, 'id' | 'last_used_at'>,
): Promise<PasskeyRow | undefined> =>
  trx
    .insertInto('passkeys')
    .values({ ...row, id: randomUUID(), last_used_at: null })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returningAll()
    .executeTakeFirst();

/** Notes that a passkey was used; false when it has gone, or counted as far as this before: then there is a copy of it. */
export const notePasskeyUse = (db: Db, id: string, counter: number, atMs: number): Promise<boolean> =>
  changes(
    db
      .updateTable('passkeys')
      .set({ counter, last_used_at: atMs })
      .where('id', '=', id)
      .where('counter', counter === 0 ? '=' : '<', counter),
  );

/** Gives a passkey of a user another name; undefined when they have no such passkey. */
export const renamePasskey = (trx: Db, userId: string, id: string, title: string): Promise<PasskeyRow | undefined> =>
  trx
    .updateTable('passkeys')
    .set({ title })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();

/** Removes a passkey of a user; undefined when they have no such passkey. */
export const deletePasskey = (trx: Db, userId: string, id: string): Promise<PasskeyRow | undefined> =>
  trx.deleteFrom('passkeys').where('id', '=', id).where('user_id', '=', userId).returningAll().executeTakeFirst();

/** Removes all passkeys of a user. */
export const deletePasskeys = (trx: Db, userId: string) =>
  trx.deleteFrom('passkeys').where('user_id', '=', userId).execute();
