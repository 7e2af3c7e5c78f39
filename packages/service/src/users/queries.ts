import type { Selectable } from 'kysely';
import type { UserTable } from '../db/schema.ts';
import type { Db } from '../db/storage.ts';

export type UserRow = Selectable<UserTable>;

/** What a user may change of itself. The rest of the row is written at sign-up. */
export type OwnDetails = Pick<UserRow, 'email' | 'name_given' | 'name_family' | 'organisation'>;

/** The row of a user who is there: every caller is. */
export const userById = (db: Db, id: string): Promise<UserRow> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Whether another user has the address; it is compared in lower case. */
export async function emailTaken(db: Db, email: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('id', '!=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Changes those of a user's details that are given. */
export const changeDetails = (trx: Db, id: string, details: Partial<OwnDetails>): Promise<UserRow> =>
  trx.updateTable('users').set(details).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
