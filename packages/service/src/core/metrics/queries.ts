import { type DeviceHealth, placesLimit } from '@moorage/api';
import { type RawBuilder, sql } from 'kysely';
import { onePage } from '../../engine/db/paging.ts';
import { pollHourMs } from '../../engine/db/polls.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import { visibleDevices } from '../access/devices.ts';
import { type LogSource, logSources, watchedProducts } from '../access/logs.ts';
import type { Viewer } from '../access/viewer.ts';
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

/**
 * Counts of everything: for each type and interval a walk along a part of the index of types, where grouping would sort
 * all rows of the span.
 */
async function countsOfAll(db: Db, { from, to, origin, stepMs, count }: Buckets): Promise<ActivityCount[]> {
  const [begin, step] = [sql.lit(origin), sql.lit(stepMs)];
  const types = sql.join(countedTypes.map((type) => sql`(${sql.lit(type)})`));
  const { rows } = await sql<ActivityCount>`
    with recursive buckets(bucket) as (select cast(0 as bigint) union all select bucket + 1 from buckets where bucket < ${sql.lit(count - 1)}),
      types(type) as (values ${types})
    select types.type, buckets.bucket, (
      select count(*) from logs where logs.type = types.type
        and logs.created_at >= ${begin} + buckets.bucket * ${step}
        and logs.created_at < ${begin} + (buckets.bucket + 1) * ${step}
        and logs.created_at >= ${sql.lit(from)} and logs.created_at < ${sql.lit(to)}) as n
    from types cross join buckets`.execute(db);
  return rows;
}

/** How often each type was logged in each interval, of all that the viewer may read. */
export async function activityCounts(
  db: Db,
  viewer: Viewer,
  buckets: Buckets,
  productId: string | undefined,
): Promise<ActivityCount[]> {
  if (viewer === 'everyone' && productId === undefined) return countsOfAll(db, buckets);
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

/** Edges of a part of the map, in degrees. */
export interface Box {
  readonly south?: number;
  readonly north?: number;
  readonly west?: number;
  readonly east?: number;
}

const millionths = 1_000_000;

/** Devices with a location in this part of the map whose place the viewer may see. */
export function located(db: Db, viewer: Viewer, productId: string | undefined, { south, north, west, east }: Box) {
  const edges = [
    ['devices.lat_e6', '>=', south],
    ['devices.lat_e6', '<=', north],
    ['devices.lon_e6', '>=', west],
    ['devices.lon_e6', '<=', east],
  ] as const;
  let query = visibleDevices(db, viewer, 'managers')
    .where('devices.lat_e6', 'is not', null)
    .$if(productId !== undefined, (rows) => rows.where('devices.product_id', '=', productId ?? ''));
  for (const [column, operator, degrees] of edges) {
    if (degrees !== undefined) query = query.where(column, operator, Math.round(degrees * millionths));
  }
  return query;
}

type Located = ReturnType<typeof located>;

/** Those devices by cells of a grid, `cell` degrees wide, the largest first. */
export function placesOf(devices: Located, health: RawBuilder<DeviceHealth>, cell: number) {
  const size = Math.round(cell * millionths);
  // From the south pole and the date line on: whole numbers are cut, not rounded, and these are not negative.
  const row = sql<number>`(devices.lat_e6 + 90000000) / ${sql.lit(size)}`;
  const column = sql<number>`(devices.lon_e6 + 180000000) / ${sql.lit(size)}`;
  return devices
    .select((eb) => [
      eb.fn.avg<number>('devices.lat_e6').as('lat_e6'),
      eb.fn.avg<number>('devices.lon_e6').as('lon_e6'),
      eb.fn.max('devices.city').as('city'),
      eb.fn.countAll<number>().as('devices'),
      sql<number>`sum(case when ${health} in ('connected', 'on_time') then 1 else 0 end)`.as('heard'),
      eb.fn.min('devices.id').as('device_id'),
      eb.fn.min('devices.title').as('title'),
    ])
    .groupBy([row, column])
    .orderBy('devices', 'desc')
    .orderBy('device_id')
    .limit(placesLimit)
    .execute();
}

/** One page of the devices that have a location, of those whose place the viewer may see, newest first. */
export async function locatedDevices(
  devices: Located,
  health: RawBuilder<DeviceHealth>,
  page: { readonly limit: number; readonly offset: number },
) {
  const items = devices
    .select([
      health.as('health'),
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
    .orderBy('devices.id', 'desc');
  return onePage(items, devices, page);
}
