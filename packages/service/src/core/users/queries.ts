import type { UserListQuery } from '@moorage/api';
import { onePage, paging } from '../../engine/db/paging.ts';
import type { Row } from '../../engine/db/schema.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';

export type UserRow = Row<'users'>;

/** What a user may change of itself. The rest of the row is written at sign-up. */
export type OwnDetails = Pick<UserRow, 'email' | 'name_given' | 'name_family' | 'organisation'>;

/** The row of a user who is there: every caller is. */
export const userById = (db: Db, id: string): Promise<UserRow> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const searched = ['username', 'email', 'name_given', 'name_family', 'organisation'] as const;

/** One page of the accounts of people, and how many fit in all. */
export function listUsers(
  { db, expressions }: Storage,
  query: UserListQuery,
): Promise<{ items: UserRow[]; total: number }> {
  const { q, role } = query;
  const page = paging(query, 'username');
  const users = db
    .selectFrom('users')
    .where('service_product_id', 'is', null)
    .$if(role !== undefined, (rows) => rows.where('role', '=', role ?? 'user'))
    .$if(q !== undefined, (rows) =>
      rows.where((eb) => eb.or(searched.map((column) => expressions.contains(eb.ref(column), q ?? '')))),
    );
  const items = users.selectAll().orderBy(page.field, page.direction).orderBy('id', page.direction);
  return onePage(items, users, page);
}

/** Changes those of a user's details that are given. */
export const changeDetails = (
  trx: Db,
  id: string,
  details: Partial<OwnDetails & Pick<UserRow, 'email_confirmed_at'>>,
): Promise<UserRow> =>
  trx.updateTable('users').set(details).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
