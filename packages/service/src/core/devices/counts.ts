import type { DeviceListQuery } from '@moorage/api';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db, Expressions, Storage } from '../../engine/db/storage.ts';

/** What of a query leaves the number of devices to the counts of products and owners. */
const countedBy: ReadonlySet<string> = new Set(['limit', 'offset', 'sort', 'product_id', 'user_id']);

/** Whether the devices of a query are counted already. */
export const isCounted = (query: DeviceListQuery): boolean =>
  Object.entries(query).every(([name, value]) => value === undefined || countedBy.has(name));

/**
 * How many devices there are of what a query that is counted asks for, without a look at any of them.
 *
 * @param visible what the viewer may see, of the columns `devices.product_id` and `devices.user_id`
 */
export const countedDevices = (
  db: Db,
  { product_id, user_id }: DeviceListQuery,
  visible: Expression<SqlBool> | undefined,
) =>
  db
    .selectFrom('count_devices as devices')
    .$if(visible !== undefined, (rows) => rows.where(visible ?? sql.lit(true)))
    .$if(product_id !== undefined, (rows) => rows.where('product_id', '=', product_id ?? ''))
    .$if(user_id !== undefined, (rows) => rows.where('user_id', '=', user_id ?? ''))
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('n'), eb.lit(0)).as('total'))
    .executeTakeFirstOrThrow();

/** Whether a query has all devices there are, but for its filter. */
export async function hasAllDevices(
  db: Db,
  { filter: _, ...query }: DeviceListQuery,
  visible: Expression<SqlBool> | undefined,
): Promise<boolean> {
  if (!isCounted(query)) return false;
  const [all, seen] = await Promise.all([countedDevices(db, {}, undefined), countedDevices(db, query, visible)]);
  return all.total === seen.total;
}

/** What a viewer may see, looked at from device to device where a page is full sooner than all of it is put in order. */
export async function walked(db: Db, { rowByRow }: Expressions, visible: Expression<SqlBool>, pageEnd: number) {
  if (!rowByRow) return visible;
  const [all, seen] = await Promise.all([countedDevices(db, {}, undefined), countedDevices(db, {}, visible)]);
  return pageEnd * all.total < seen.total ** 2 ? rowByRow(visible) : visible;
}

/** Products and owners with more than one row. */
const split = (db: Db) =>
  db.selectFrom('count_devices').select(['product_id', 'user_id']).groupBy(['product_id', 'user_id']);

/** Makes one row of those of each product and owner, none of those that come to nothing. */
export function mergeDeviceCounts({ storage }: { readonly storage: Storage }): Promise<void> {
  return storage.transaction(async (trx) => {
    const keys = await split(trx)
      .having((eb) => eb.fn.countAll(), '>', 1)
      .execute();
    for (const { product_id, user_id } of keys) {
      const rows = await trx
        .deleteFrom('count_devices')
        .where('product_id', '=', product_id)
        .where('user_id', '=', user_id)
        .returning('n')
        .execute();
      const n = rows.reduce((sum, row) => sum + row.n, 0);
      if (n !== 0) await trx.insertInto('count_devices').values({ product_id, user_id, n }).execute();
    }
  });
}
