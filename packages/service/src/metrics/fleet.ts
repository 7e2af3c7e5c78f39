import type { fleetContract } from '@moorage/api';
import { success } from '@moorage/base';
import { viewerFor } from '../auth/rules.ts';
import type { Deps, Handler, Handlers } from '../core/types.ts';
import { fleetCounts, fleetVersions } from './fleet-queries.ts';

type Contract = typeof fleetContract;

/** The version in what a device reports: `CODE-1.2.3.4, 2026-01-01T00:00:00Z, FW-1.0.0.0`; all of it in other forms. */
export const versionIn = (bversion: string | null): string | null =>
  bversion === null ? null : (/-(\d+\.\d+\.\d+\.\d+),/.exec(bversion)?.[1] ?? bversion);

/** API-EP-GET-metrics-fleet */
const summary =
  ({ storage: { db } }: Deps): Handler<Contract['summary']> =>
  async ({ caller, query }) => {
    const viewer = viewerFor('device.read', caller);
    const productId = query.product_id;
    const { total, enabled, active, disabled, ...updates } = await fleetCounts(db, viewer, productId);
    const versions = await fleetVersions(db, viewer, productId);
    return success({
      total,
      states: { enabled, active, disabled },
      updates: { ...updates, none: total - updates.ok - updates.outdated - updates.failed },
      versions: versions.map(({ bversion, ...row }) => ({ ...row, version: versionIn(bversion) })),
    });
  };

/** The devices of a caller, by what state they are in. */
export const fleetRoutes = (deps: Deps): Handlers<Contract> => ({
  summary: summary(deps),
});
