import { sql } from 'kysely';
import { type LogSource, type LogViewer, logSources, watchedProducts } from '../db/log-audience.ts';
import type { Db } from '../db/storage.ts';
import { type ActivityCount, type Buckets, countedTypes } from './rules.ts';

/** Counts along one source; an index holds all that it reads. Exported for the test of that. */
export const countsOf = (db: Db, source: LogSource, { from, to, origin, stepMs }: Buckets, productId?: string) => {
  // The numbers are written out: as parameters they would be two different expressions to PostgreSQL.
  const bucket = sql<number>`(logs.created_at - ${sql.lit(origin)}) / ${sql.lit(stepMs)}`;
  const query = db
    .selectFrom('logs')
    .select(['type', bucket.as('bucket')])
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where(source)
    .where('quiet', 'in', [0, 1])
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('type', 'in', [...countedTypes]);
  return (productId === undefined ? query : query.where('product_id', '=', productId)).groupBy(['type', bucket]);
};

/** How often each type was logged in each interval, of all that the viewer may read. */
export async function activityCounts(
  db: Db,
  viewer: LogViewer,
  buckets: Buckets,
  productId: string | undefined,
): Promise<ActivityCount[]> {
  const sources: LogSource[] =
    viewer === 'everyone' ? [(where) => where.val(true)] : logSources(viewer, await watchedProducts(db, viewer), true);
  const counts = [];
  for (const source of sources) counts.push(...(await countsOf(db, source, buckets, productId).execute()));
  return counts;
}

/** One page of the devices that have a location and that the viewer may see, newest first. */
export async function locatedDevices(
  db: Db,
  viewer: LogViewer,
  productId: string | undefined,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  let query = db
    .selectFrom('devices')
    .innerJoin('products', 'products.id', 'devices.product_id')
    .where('devices.lat_e6', 'is not', null);
  if (productId !== undefined) query = query.where('devices.product_id', '=', productId);
  if (viewer !== 'everyone') {
    const { userId, customerId } = viewer;
    // As in the list of devices: one's own, and those on products that one owns, manages or tests.
    query = query.where((eb) =>
      eb.or([
        eb('devices.user_id', '=', userId),
        eb('products.user_id', '=', userId),
        ...(customerId === null ? [] : [eb('products.customer_id', '=', customerId)]),
        eb(
          'devices.product_id',
          'in',
          eb.selectFrom('product_users').select('product_users.product_id').where('product_users.user_id', '=', userId),
        ),
      ]),
    );
  }
  const items = await query
    .select([
      'devices.id',
      'devices.title',
      'devices.product_id',
      'devices.lat_e6',
      'devices.lon_e6',
      'devices.city',
      'devices.country',
      'devices.last_seen_at',
    ])
    .orderBy('devices.created_at', 'desc')
    .orderBy('devices.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { items, total };
}
