import { type metricsContract, optionalTimestamp } from '@moorage/api';
import { success } from '@moorage/base';
import { viewerFor } from '../auth/rules.ts';
import type { Deps, Handler, Handlers } from '../core/types.ts';
import { degreesOf } from '../devices/rules.ts';
import { activityCounts, locatedDevices, pollCounts } from './queries.ts';
import { bucketsOf, seriesOf } from './rules.ts';

type Contract = typeof metricsContract;

/** Devices of one page when the request names no number: a map shows them all. */
const defaultLocations = 10_000;

/** API-EP-GET-metrics-activity */
const activity =
  ({ storage, clock }: Deps): Handler<Contract['activity']> =>
  async ({ caller, query }) => {
    const buckets = bucketsOf(query, clock.now());
    if (!buckets.ok) return buckets;
    const [viewer, productId] = [viewerFor('log.all', caller), query.product_id];
    const counts = [
      ...(await activityCounts(storage.db, viewer, buckets.value, productId)),
      ...(await pollCounts(storage, viewer, buckets.value, productId)),
    ];
    const { from, to } = buckets.value;
    const interval = query.interval ?? 'day';
    return success({ from: String(from), to: String(to), interval, series: seriesOf(buckets.value, counts) });
  };

/** API-EP-GET-metrics-locations-devices */
const locations =
  ({ storage }: Deps): Handler<Contract['locations']> =>
  async ({ caller, query }) => {
    const page = { limit: query.limit ?? defaultLocations, offset: query.offset ?? 0 };
    const found = await locatedDevices(storage.db, viewerFor('device.private', caller), query.product_id, page);
    const items = found.items.flatMap((row) => {
      const location = degreesOf(row);
      if (!location) return [];
      const { id: device_id, title, product_id } = row;
      const last_seen_at = optionalTimestamp(row.last_seen_at);
      return [{ device_id, title, product_id, ...location, online: row.online_since !== null, last_seen_at }];
    });
    return success({ items, total: found.total });
  };

/** What was done with devices, counted over time, and where they are. */
export const metricsRoutes = (deps: Deps): Handlers<Contract> => ({
  activity: activity(deps),
  locations: locations(deps),
});
