import { deviceStates, type fleetContract, type ShapeRecord, standingStates } from '@moorage/api';
import { success } from '@moorage/base';
import { allowedProduct } from '../access/products.ts';
import { viewerFor } from '../auth/rules.ts';
import type { Deps, Handler, Handlers } from '../core/types.ts';
import type { Db } from '../db/storage.ts';
import { fleetCounts, fleetTargets, fleetVersions } from './fleet-queries.ts';
import { shapeOf } from './shape-queries.ts';

type Contract = typeof fleetContract;

/** The version in what a device reports: `CODE-1.2.3.4, 2026-01-01T00:00:00Z, FW-1.0.0.0`; all of it in other forms. */
export const versionIn = (bversion: string | null): string | null => bversion && (partsIn(bversion) ?? bversion);

const partsIn = (bversion: string): string | undefined => /-(\d+\.\d+\.\d+\.\d+),/.exec(bversion)?.[1];

type Counts = Awaited<ReturnType<typeof fleetCounts>>;

/** How many devices there are with each of these values. */
const tally = <K extends string>(keys: readonly K[], rows: Counts, keyOf: (row: Counts[number]) => K) => {
  // Safe: every key gets its number.
  const counts = Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
  for (const row of rows) counts[keyOf(row)] += row.n;
  return counts;
};

/** API-EP-GET-metrics-fleet */
const summary =
  ({ storage: { db }, clock }: Deps): Handler<Contract['summary']> =>
  async ({ caller, query }) => {
    const viewer = viewerFor('device.read', caller);
    const productId = query.product_id;
    const nowMs = clock.now();
    const counts = await fleetCounts(db, viewer, productId, nowMs);
    const targets = productId === undefined ? [] : await fleetTargets(db, viewer, productId, nowMs);
    const versions = await fleetVersions(db, viewer, productId);
    const online = tally(['yes', 'no'], counts, (row) => (row.online ? 'yes' : 'no')).yes;
    return success({
      total: counts.reduce((sum, { n }) => sum + n, 0),
      online,
      states: tally(deviceStates, counts, ({ state }) => state),
      standings: tally(standingStates, counts, ({ standing }) => standing),
      targets: targets.map(({ id, ...row }) => ({ ...row, bundle_id: id })),
      versions: versions.map(({ bversion, ...row }) => ({ ...row, version: versionIn(bversion) })),
    });
  };

/** What the fleet of a product is like at a time, epoch ms. */
export async function shapeRecord(db: Db, productId: string, nowMs: number): Promise<ShapeRecord> {
  const { groups, ...counts } = await shapeOf(db, productId, nowMs);
  const devices = Object.values(counts.seen).reduce((sum, n) => sum + n, 0);
  const rows = new Map<string, (typeof groups)[number]>();
  for (const { platform, bversion, devices: n } of groups) {
    // What else a device has reported is its own.
    const version = (bversion && partsIn(bversion)) ?? null;
    const key = `${platform} ${version}`;
    rows.set(key, { platform, bversion: version, devices: n + (rows.get(key)?.devices ?? 0) });
  }
  const byVersion = [...rows.values()].map(({ bversion: version, ...row }) => ({ ...row, version }));
  return { devices, groups: byVersion, ...counts };
}

/** API-EP-GET-products-product_id-shape */
const shape =
  ({ storage: { db }, clock }: Deps): Handler<Contract['shape']> =>
  async ({ caller, params }) => {
    const product = await allowedProduct(db, params.product_id, caller, 'product.shape');
    return product.ok ? success(await shapeRecord(db, product.value.id, clock.now())) : product;
  };

/** The devices of a caller, by what state they are in. */
export const fleetRoutes = (deps: Deps): Handlers<Contract> => ({
  summary: summary(deps),
  shape: shape(deps),
});
