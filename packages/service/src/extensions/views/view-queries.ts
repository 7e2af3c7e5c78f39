import { countOf, onePage, type Paging } from '../../engine/db/paging.ts';
import type { Row, RowChange } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';

export type ViewRow = Row<'saved_views'>;

const ofUser = (db: Db, userId: string) => db.selectFrom('saved_views').where('user_id', '=', userId);

/** How many views a user has saved. */
export const countViews = (db: Db, userId: string): Promise<number> => countOf(ofUser(db, userId));

/** One part of the views of a user, and how many there are; of one page of the program alone when it is named. */
export function listViews(
  db: Db,
  userId: string,
  { field, direction, limit, offset }: Paging<'title' | 'created_at'>,
  page: string | undefined,
): Promise<{ items: ViewRow[]; total: number }> {
  const views = ofUser(db, userId).$if(page !== undefined, (rows) => rows.where('page', '=', page ?? ''));
  const items = views.selectAll().orderBy(field, direction).orderBy('id', direction);
  return onePage(items, views, { limit, offset });
}

export const insertView = (trx: Db, row: ViewRow) => trx.insertInto('saved_views').values(row).execute();

/** Changes a view of a user. Nothing when they have none of this id. */
export const changeView = (
  db: Db,
  userId: string,
  id: string,
  change: RowChange<'saved_views'>,
): Promise<ViewRow | undefined> =>
  db
    .updateTable('saved_views')
    .set(change)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();

/** Deletes a view of a user; false when they have none of this id. */
export async function deleteView(db: Db, userId: string, id: string): Promise<boolean> {
  const gone = db.deleteFrom('saved_views').where('id', '=', id).where('user_id', '=', userId).returning('id');
  return (await gone.executeTakeFirst()) !== undefined;
}
