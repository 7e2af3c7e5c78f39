import { countOf, type Paging } from '../../../engine/db/paging.ts';
import type { Row } from '../../../engine/db/schema.ts';
import type { Db, Expressions } from '../../../engine/db/storage.ts';
import type { Filter } from '../filters/parse.ts';
import { filterCondition } from '../filters/queries.ts';

export type SegmentRow = Row<'segments'>;

export const segmentById = (db: Db, id: string): Promise<SegmentRow | undefined> =>
  db.selectFrom('segments').selectAll().where('id', '=', id).executeTakeFirst();

/** One page of a product's segments, and how many there are. */
export async function listSegments(
  db: Db,
  productId: string,
  page: Paging<'created_at' | 'title'>,
): Promise<{ items: SegmentRow[]; total: number }> {
  const items = await db
    .selectFrom('segments')
    .selectAll()
    .where('product_id', '=', productId)
    .orderBy(page.field, page.direction)
    .orderBy('id', page.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { items, total: await countSegments(db, productId) };
}

/** How many segments a product has. */
export const countSegments = (db: Db, productId: string): Promise<number> =>
  countOf(db.selectFrom('segments').where('product_id', '=', productId));

export const insertSegment = (trx: Db, row: SegmentRow) => trx.insertInto('segments').values(row).execute();

export const changeSegment = (trx: Db, { id, ...row }: SegmentRow) =>
  trx.updateTable('segments').set(row).where('id', '=', id).execute();

export const deleteSegment = (trx: Db, id: string) => trx.deleteFrom('segments').where('id', '=', id).execute();

/** How many devices of a product fit a filter at a time, epoch ms. */
export function countFitting(
  db: Db,
  expressions: Expressions,
  productId: string,
  filter: Filter,
  nowMs: number,
): Promise<number> {
  const ofProduct = db.selectFrom('devices').where('product_id', '=', productId);
  return countOf(ofProduct.where(filterCondition(filter, expressions, nowMs)));
}
