import { countOf, onePage, type Paging } from '../../engine/db/paging.ts';
import type { NewRow, Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';

export type BroadcastKeyRow = Row<'broadcast_keys'>;

/** The key with that hash. */
export const keyByHash = (db: Db, hash: string): Promise<BroadcastKeyRow | undefined> =>
  db.selectFrom('broadcast_keys').selectAll().where('key_hash', '=', hash).executeTakeFirst();

export const insertKey = (trx: Db, row: NewRow<'broadcast_keys'>) =>
  trx.insertInto('broadcast_keys').values(row).execute();

/** How many keys a user has. */
export const countKeys = (db: Db, userId: string): Promise<number> =>
  countOf(db.selectFrom('broadcast_keys').where('user_id', '=', userId));

/** One page of the keys of a user, and how many there are in all. */
export function listKeys(db: Db, userId: string, page: Paging<'created_at'>) {
  const own = db.selectFrom('broadcast_keys').where('user_id', '=', userId);
  const items = own.selectAll().orderBy(page.field, page.direction).orderBy('id', page.direction);
  return onePage(items, own, page);
}

/** Removes a key of a user; the title of it, if it was there. */
export const deleteKey = (trx: Db, userId: string, id: string) =>
  trx
    .deleteFrom('broadcast_keys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('title')
    .executeTakeFirst();

export const touchKey = (db: Db, id: string, atMs: number) =>
  db.updateTable('broadcast_keys').set({ last_used_at: atMs }).where('id', '=', id).execute();
