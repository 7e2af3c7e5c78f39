import { deviceStates, type fleetContract, standingStates } from '@moorage/api';
import { success } from '@moorage/base';
import { viewerFor } from '../auth/rules.ts';
import type { Deps, Handler, Handlers } from '../core/types.ts';
import { fleetCounts, fleetTargets, fleetVersions } from './fleet-queries.ts';

type Contract = typeof fleetContract;

/** The version in what a device reports: `CODE-1.2.3.4, 2026-01-01T00:00:00Z, FW-1.0.0.0`; all of it in other forms. */
export const versionIn = (bversion: string | null): string | null =>
  bversion === null ? null : (/-(\d+\.\d+\.\d+\.\d+),/.exec(bversion)?.[1] ?? bversion);

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

/** The devices of a caller, by what state they are in. */
export const fleetRoutes = (deps: Deps): Handlers<Contract> => ({
  summary: summary(deps),
});
