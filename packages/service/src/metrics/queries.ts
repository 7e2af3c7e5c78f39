import { sql } from 'kysely';
import { visibleDevices } from '../access/devices.ts';
import { type LogSource, logSources, watchedProducts } from '../access/logs.ts';
import type { Viewer } from '../access/viewer.ts';
import { pollHourMs } from '../db/polls.ts';
import type { Db, Storage } from '../db/storage.ts';
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
  viewer: Viewer,
  buckets: Buckets,
  productId: string | undefined,
): Promise<ActivityCount[]> {
  const sources: LogSource[] =
    viewer === 'everyone'
      ? [(where) => where.val(true)]
      : logSources(viewer, await watchedProducts(db, viewer), 'grouped');
  const counts = [];
  for (const source of sources) counts.push(...(await countsOf(db, source, buckets, productId).execute()));
  return counts;
}

/** How many updates were asked for in each interval, on the products and by the devices that the viewer may watch. */
export async function pollCounts(
  { db, hot }: Storage,
  viewer: Viewer,
  { from, to, origin, stepMs }: Buckets,
  productId: string | undefined,
): Promise<ActivityCount[]> {
  // What this process has not written yet is to be seen by who asks it; other processes are a second behind at most.
  await hot.flushPolls();
  const bucket = sql<number>`(polls.at - ${sql.lit(origin)}) / ${sql.lit(stepMs)}`;
  let query = db
    .selectFrom('polls')
    .select(bucket.as('bucket'))
    .select((eb) => eb.fn.sum<number>('polls').as('n'))
    // An hour counts when it begins within the span; the one in which the span begins is taken in.
    .where('at', '>=', from - (from % pollHourMs))
    .where('at', '<', to);
  if (productId !== undefined) query = query.where('product_id', '=', productId);
  if (viewer !== 'everyone') {
    const products = await watchedProducts(db, viewer);
    query = query.where((eb) => {
      const own = eb('owner_id', '=', viewer.userId);
      return products.length === 0 ? own : eb.or([own, eb('product_id', 'in', products)]);
    });
  }
  const rows = await query.groupBy(bucket).execute();
  return rows.map(({ bucket: at, n }) => ({ bucket: at, n, type: 'ota.check' }));
}

/** Removes the counts of polls from before a moment, a day's worth at a time. */
export async function deletePollsBefore({ db }: Pick<Storage, 'db'>, beforeMs: number): Promise<void> {
  for (;;) {
    const { at } = await db
      .selectFrom('polls')
      .select((eb) => eb.fn.min('at').as('at'))
      .executeTakeFirstOrThrow();
    if (at === null || at >= beforeMs) return;
    await db
      .deleteFrom('polls')
      .where('at', '<', Math.min(at + 24 * pollHourMs, beforeMs))
      .execute();
  }
}

/** One page of the devices that have a location, of those whose place the viewer may see, newest first. */
export async function locatedDevices(
  db: Db,
  viewer: Viewer,
  productId: string | undefined,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  let query = visibleDevices(db, viewer, 'managers').where('devices.lat_e6', 'is not', null);
  if (productId !== undefined) query = query.where('devices.product_id', '=', productId);
  const items = await query
    .leftJoin('channels', 'channels.device_id', 'devices.id')
    .select([
      'channels.connected_at as online_since',
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
