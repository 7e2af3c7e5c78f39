import { fleetVersionsLimit, shapeAttributes } from '@moorage/api';
import type { Db } from '../db/storage.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const devicesOf = (db: Db, productId: string) => db.selectFrom('devices as d').where('d.product_id', '=', productId);

/** Devices by how long ago, from a time in epoch ms, they were seen last. */
async function seenOf(db: Db, productId: string, nowMs: number) {
  const counted = await devicesOf(db, productId)
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
const groupsOf = (db: Db, productId: string) =>
  devicesOf(db, productId)
    .innerJoin('platforms as p', 'p.id', 'd.platform_id')
    .select(['p.code as platform', 'd.bversion'])
    .select(({ fn }) => fn.countAll<number>().as('devices'))
    .groupBy(['p.code', 'd.bversion'])
    .orderBy('devices', 'desc')
    .orderBy('p.code')
    .orderBy('d.bversion')
    .limit(fleetVersionsLimit)
    .execute();

const attributesOf = (db: Db, productId: string) =>
  devicesOf(db, productId).innerJoin('attributes as a', 'a.device_id', 'd.id');

/** Devices by what they report of their make. */
async function makesOf(db: Db, productId: string) {
  const rows = await attributesOf(db, productId)
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

async function freeFlashOf(db: Db, productId: string) {
  const { least, most, average } = await attributesOf(db, productId)
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

/** What the fleet of a product is like at a time, epoch ms, in counts. */
export async function shapeOf(db: Db, productId: string, nowMs: number) {
  const settings = await db
    .selectFrom('fleet_settings')
    .select('poll_interval_s')
    .where('product_id', '=', productId)
    .executeTakeFirst();
  return {
    groups: await groupsOf(db, productId),
    attributes: await makesOf(db, productId),
    free_flash: await freeFlashOf(db, productId),
    poll_interval_s: settings?.poll_interval_s ?? null,
    seen: await seenOf(db, productId, nowMs),
    outcomes: await outcomesOf(db, productId),
  };
}
