import { fleetVersionsLimit, shapeAttributes } from '@moorage/api';
import { dayMs, hourMs } from '@moorage/base';
import type { Db, Storage } from '../../../engine/db/storage.ts';
import { keptFilter } from '../filters/parse.ts';
import { filterCondition } from '../filters/queries.ts';

/** The devices that are counted. */
type Counted = ReturnType<typeof devicesOf>;

/** The devices of a product, or those of them that fit a filter which has been kept. */
function devicesOf({ db, expressions }: Pick<Storage, 'db' | 'expressions'>, { filter, nowMs, productId }: ShapeOf) {
  const all = db.selectFrom('devices as d').where('d.product_id', '=', productId);
  if (filter === undefined) return all;
  const fits = filterCondition(keptFilter(filter), expressions, nowMs);
  return all.where('d.id', 'in', ({ selectFrom }) =>
    selectFrom('devices')
      .select('devices.id')
      .where('devices.product_id', '=', productId)
      .where((where) => fits(where)),
  );
}

/** A fleet at a time, epoch ms. */
export interface ShapeOf {
  readonly productId: string;
  /** Of the devices that are meant; all without it. */
  readonly filter?: string | undefined;
  readonly nowMs: number;
}

/** Devices by how long ago, from a time in epoch ms, they were seen last. */
async function seenOf(devices: Counted, nowMs: number) {
  const counted = await devices
    .select(({ fn }) => {
      const since = (agoMs: number) => fn.countAll<number>().filterWhere('d.last_seen_at', '>', nowMs - agoMs);
      return [
        fn.countAll<number>().as('all'),
        fn.count<number>('d.last_seen_at').as('ever'),
        since(hourMs).as('hour'),
        since(dayMs).as('day'),
        since(7 * dayMs).as('week'),
      ];
    })
    .executeTakeFirstOrThrow();
  const { all, day, ever, hour, week } = counted;
  return { hour, day: day - hour, week: week - day, longer: ever - week, never: all - ever };
}

/** Devices by platform and by the version text that they have reported. */
const groupsOf = (devices: Counted) =>
  devices
    .innerJoin('platforms as p', 'p.id', 'd.platform_id')
    .innerJoin('products as pr', 'pr.id', 'd.product_id')
    .select(['p.code as platform', 'pr.product', 'd.bversion'])
    .select(({ fn }) => fn.countAll<number>().as('devices'))
    .groupBy(['p.code', 'pr.product', 'd.bversion'])
    .orderBy('devices', 'desc')
    .orderBy('p.code')
    .orderBy('d.bversion')
    .limit(fleetVersionsLimit)
    .execute();

const attributesOf = (devices: Counted) => devices.innerJoin('attributes as a', 'a.device_id', 'd.id');

/** Devices by what they report of their make. */
async function makesOf(devices: Counted) {
  const rows = await attributesOf(devices)
    .where('a.name', 'in', shapeAttributes)
    .select(['a.name', 'a.value'])
    .select(({ fn }) => fn.countAll<number>().as('devices'))
    .groupBy(['a.name', 'a.value'])
    .orderBy('devices', 'desc')
    .orderBy('a.name')
    .orderBy('a.value')
    .limit(fleetVersionsLimit)
    .execute();
  return rows.flatMap(({ name, ...row }) => {
    const known = shapeAttributes.find((one) => one === name);
    return known ? [{ name: known, ...row }] : [];
  });
}

async function freeFlashOf(devices: Counted) {
  const { least, most, average } = await attributesOf(devices)
    .where('a.name', '=', 'free_flash')
    .where('a.number', '>=', 0)
    .select(({ fn }) => [
      fn.min<number | null>('a.number').as('least'),
      fn.max<number | null>('a.number').as('most'),
      fn.avg<number | string | null>('a.number').as('average'),
    ])
    .executeTakeFirstOrThrow();
  if (least === null || most === null) return null;
  return { least: Math.round(least), average: Math.round(Number(average)), most: Math.round(most) };
}

/** What became of devices in rollouts of a product: their counts are kept, so that no device is looked at. */
async function outcomesOf(db: Db, productId: string) {
  const rows = await db
    .selectFrom('rollouts as r')
    .innerJoin('rollout_counts as c', 'c.rollout_id', 'r.id')
    .where('r.product_id', '=', productId)
    .where('c.state', 'in', ['done', 'failed'])
    .select(['c.state', 'c.kind'])
    .select(({ fn }) => fn.sum<number>('c.n').as('n'))
    .groupBy(['c.state', 'c.kind'])
    .orderBy('c.kind')
    .execute();
  const failed = rows.filter(({ n, state }) => state === 'failed' && Number(n) > 0);
  return {
    done: rows.reduce((sum, { n, state }) => sum + (state === 'done' ? Number(n) : 0), 0),
    failed: Object.fromEntries(failed.map(({ kind, n }) => [kind, Number(n)])),
  };
}

/** What a fleet is like, in counts. */
export async function shapeOf(storage: Pick<Storage, 'db' | 'expressions'>, of: ShapeOf) {
  const { db } = storage;
  const { filter, nowMs, productId } = of;
  const devices = devicesOf(storage, of);
  const settings = await db
    .selectFrom('fleet_settings')
    .select('poll_interval_s')
    .where('product_id', '=', productId)
    .executeTakeFirst();
  return {
    ...(filter !== undefined && { filter }),
    groups: await groupsOf(devices),
    attributes: await makesOf(devices),
    free_flash: await freeFlashOf(devices),
    poll_interval_s: settings?.poll_interval_s ?? null,
    seen: await seenOf(devices, nowMs),
    outcomes: await outcomesOf(db, productId),
  };
}
