import type { Selectable } from 'kysely';
import type { Paging } from '../db/paging.ts';
import type { SegmentTable } from '../db/schema.ts';
import type { Db, Expressions } from '../db/storage.ts';
import type { Filter } from '../filters/parse.ts';
import { filterCondition } from '../filters/queries.ts';

export type SegmentRow = Selectable<SegmentTable>;

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
export async function countSegments(db: Db, productId: string): Promise<number> {
  const { n } = await db
    .selectFrom('segments')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('product_id', '=', productId)
    .executeTakeFirstOrThrow();
  return n;
}

export const insertSegment = (trx: Db, row: SegmentRow) => trx.insertInto('segments').values(row).execute();

export const changeSegment = (trx: Db, { id, ...row }: SegmentRow) =>
  trx.updateTable('segments').set(row).where('id', '=', id).execute();

export const deleteSegment = (trx: Db, id: string) => trx.deleteFrom('segments').where('id', '=', id).execute();

/** How many devices of a product fit a filter at a time, epoch ms. */
export async function countFitting(
  db: Db,
  expressions: Expressions,
  productId: string,
  filter: Filter,
  nowMs: number,
): Promise<number> {
  const { n } = await db
    .selectFrom('devices')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('product_id', '=', productId)
    .where(filterCondition(filter, expressions, nowMs))
    .executeTakeFirstOrThrow();
  return n;
}
