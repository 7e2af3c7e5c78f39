import { onePage, type Paging } from '../../engine/db/paging.ts';
import type { Row, RowChange } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';

export type FoundRow = Row<'found_modules'>;

const ofUser = (db: Db, userId: string) => db.selectFrom('found_modules').where('found_modules.user_id', '=', userId);

const withProduct = (db: Db, userId: string) =>
  ofUser(db, userId)
    .leftJoin('products', 'products.id', 'found_modules.product_id')
    .selectAll('found_modules')
    .select('products.product');
export type FoundView = FoundRow & { readonly product: string | null };

/** One part of what gateways of a user have found since a time, and how much there is. */
export function listFound(
  db: Db,
  userId: string,
  sinceMs: number,
  { field, direction, limit, offset }: Paging<'address' | 'seen_at'>,
): Promise<{ items: FoundView[]; total: number }> {
  const items = withProduct(db, userId)
    .where('found_modules.seen_at', '>=', sinceMs)
    .orderBy(`found_modules.${field}`, direction)
    .orderBy('found_modules.id', direction);
  const all = ofUser(db, userId).where('found_modules.seen_at', '>=', sinceMs);
  return onePage(items, all, { limit, offset });
}

export const findFound = (db: Db, userId: string, id: string): Promise<FoundView | undefined> =>
  withProduct(db, userId).where('found_modules.id', '=', id).executeTakeFirst();

/** What one gateway of a user has found. */
export const foundBy = (db: Db, userId: string, gatewayId: string): Promise<FoundRow[]> =>
  ofUser(db, userId).where('gateway_id', '=', gatewayId).selectAll().execute();

/** How many other gateways of a user have found something. */
export async function countOthers(db: Db, userId: string, gatewayId: string): Promise<number> {
  const others = ofUser(db, userId).where('gateway_id', '!=', gatewayId);
  const rows = others.select((eb) => eb.fn.count<number>('gateway_id').distinct().as('n'));
  return Number((await rows.executeTakeFirstOrThrow()).n);
}

export const insertFound = (db: Db, row: FoundRow) => db.insertInto('found_modules').values(row).execute();

/** Changes what is kept of a module; false when the row was removed. */
export async function changeFound(db: Db, id: string, change: RowChange<'found_modules'>): Promise<boolean> {
  const changed = db.updateTable('found_modules').set(change).where('id', '=', id).returning('id');
  return (await changed.executeTakeFirst()) !== undefined;
}

export const deleteFound = (db: Db, id: string) => db.deleteFrom('found_modules').where('id', '=', id).execute();

/** Notes the time of the last report of a gateway. */
export const touchFound = (db: Db, userId: string, gatewayId: string, change: Pick<FoundRow, 'gateway' | 'seen_at'>) =>
  db
    .updateTable('found_modules')
    .set(change)
    .where('user_id', '=', userId)
    .where('gateway_id', '=', gatewayId)
    .execute();

/** Forgets what gateways of a user have found that have sent no report since a time. */
export const forgetFound = (db: Db, userId: string, beforeMs: number) =>
  db.deleteFrom('found_modules').where('user_id', '=', userId).where('seen_at', '<', beforeMs).execute();
