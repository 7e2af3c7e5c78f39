import {
  deviceStates,
  type fleetContract,
  healthStates,
  type Refusal,
  refusal,
  type ShapeRecord,
  standingStates,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { allowedProduct } from '../../../core/access/products.ts';
import { viewerFor } from '../../../core/access/rules.ts';
import { bundleVersion } from '../../../core/devices/rules.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../../engine/http/types.ts';
import { fleetCounts, fleetTargets, fleetVersions } from './fleet-queries.ts';
import { shapeOf } from './shape-queries.ts';

type Contract = typeof fleetContract;

interface FleetDeps extends Deps {
  /** A rollout that a caller may see. */
  readonly allowedRollout: (
    db: Db,
    id: string,
    caller: Caller,
  ) => Promise<Result<{ readonly product_id: string; readonly filter: string | null }, Refusal>>;
}

/** Rows of which those with the same key are one, the most devices first. */
function merged<T extends { readonly devices: number }>(rows: readonly T[], keyOf: (row: T) => string): T[] {
  const byKey = Map.groupBy(rows, keyOf);
  return [...byKey.values()]
    .flatMap(([first, ...others]) =>
      first ? [{ ...first, devices: others.reduce((sum, { devices }) => sum + devices, first.devices) }] : [],
    )
    .sort((one, other) => other.devices - one.devices);
}

type Counts = Awaited<ReturnType<typeof fleetCounts>>;

/** How many devices there are with each of these values. */
const tally = <K extends string>(keys: readonly K[], rows: Counts, keyOf: (row: Counts[number]) => K) => {
  // Safe: every key gets its number.
  const counts = Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
  for (const row of rows) counts[keyOf(row)] += row.n;
  return counts;
};

/** API-EP-GET-metrics-fleet */
async function summary({ storage: { db }, clock }: Deps, { caller, query }: Call<Contract['summary']>) {
  const viewer = viewerFor('device.read', caller);
  const productId = query.product_id;
  const nowMs = clock.now();
  const counts = await fleetCounts(db, viewer, productId, nowMs);
  const targets = productId === undefined ? [] : await fleetTargets(db, viewer, productId, nowMs);
  const versions = await fleetVersions(db, viewer, productId);
  return success({
    total: counts.reduce((sum, { n }) => sum + n, 0),
    health: tally(healthStates, counts, ({ health }) => health),
    states: tally(deviceStates, counts, ({ state }) => state),
    standings: tally(standingStates, counts, ({ standing }) => standing),
    targets: targets.map(({ id, ...row }) => ({ ...row, bundle_id: id })),
    versions: merged(
      versions.map(({ bversion, ...row }) => ({ ...row, version: bundleVersion(bversion, row.product) })),
      ({ product_id, version }) => `${product_id} ${version}`,
    ),
  });
}

/** What a fleet is like. */
export async function shapeRecord(...of: Parameters<typeof shapeOf>): Promise<ShapeRecord> {
  const { groups, ...counts } = await shapeOf(...of);
  const devices = Object.values(counts.seen).reduce((sum, n) => sum + n, 0);
  const byVersion = merged(
    // What else a device has reported is its own.
    groups.map(({ bversion, product, ...row }) => ({ ...row, version: bundleVersion(bversion, product) })),
    ({ platform, version }) => `${platform} ${version}`,
  );
  return { devices, groups: byVersion, ...counts };
}

/** API-EP-GET-products-product_id-shape */
async function shape(
  { allowedRollout, storage, clock }: FleetDeps,
  { caller, params, query: { rollout_id } }: Call<Contract['shape']>,
) {
  const product = await allowedProduct(storage.db, params.product_id, caller, 'product.shape');
  if (!product.ok) return product;
  const { id: productId } = product.value;
  const of = { productId, nowMs: clock.now() };
  if (rollout_id === undefined) return success(await shapeRecord(storage, of));
  const rollout = await allowedRollout(storage.db, rollout_id, caller);
  if (!rollout.ok) return rollout;
  const { filter, product_id } = rollout.value;
  if (product_id !== productId) return failure(refusal('NOT_FOUND', { what: 'Rollout' }));
  return success(await shapeRecord(storage, { ...of, filter: filter ?? undefined }));
}

/** The devices of a caller, by what state they are in. */
export const fleetRoutes = (deps: FleetDeps): Handlers<Contract> => handlers(deps, { summary, shape });
