import { type metricsContract, optionalTimestamp } from '@moorage/api';
import { success } from '@moorage/base';
import { type Call, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { viewerFor } from '../access/rules.ts';
import { deviceHealth } from '../devices/health.ts';
import type { DeviceHooks } from '../devices/hooks.ts';
import { degreesOf } from '../devices/rules.ts';
import { activityCounts, located, locatedDevices, placesOf, pollCounts } from './queries.ts';
import { bucketsOf, seriesOf } from './rules.ts';

type Contract = typeof metricsContract;

interface MetricsDeps extends Deps {
  readonly hooks: Pick<DeviceHooks, 'pollInterval'>;
}

/** Devices of one page when the request names no number: a map shows them all. */
const defaultLocations = 10_000;

/** API-EP-GET-metrics-activity */
async function activity({ storage, clock }: Deps, { caller, query }: Call<Contract['activity']>) {
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
}

/** API-EP-GET-metrics-locations-devices */
async function locations({ storage, hooks, clock }: MetricsDeps, { caller, query }: Call<Contract['locations']>) {
  const page = { limit: query.limit ?? defaultLocations, offset: query.offset ?? 0 };
  const viewer = viewerFor('device.private', caller);
  const health = deviceHealth(hooks, clock.now());
  const found = await locatedDevices(located(storage.db, viewer, query.product_id, query), health, page);
  const items = found.items.flatMap((row) => {
    const location = degreesOf(row);
    if (!location) return [];
    const { id: device_id, title, product_id } = row;
    const last_seen_at = optionalTimestamp(row.last_seen_at);
    return [{ device_id, title, product_id, ...location, health: row.health, last_seen_at }];
  });
  return success({ items, total: found.total });
}

/** Size of a cell when the request names none, in degrees. */
const defaultCell = 3;

/** API-EP-GET-metrics-locations-places */
async function places({ storage, hooks, clock }: MetricsDeps, { caller, query }: Call<Contract['places']>) {
  const viewer = viewerFor('device.private', caller);
  const devices = located(storage.db, viewer, query.product_id, query);
  const found = await placesOf(devices, deviceHealth(hooks, clock.now()), query.cell ?? defaultCell);
  return success(
    found.map(({ lat_e6, lon_e6, city, devices, heard, device_id, title }) => ({
      // Both are there: only devices with a location are counted. The databases give averages as they like.
      lat: Math.round(Number(lat_e6)) / 1_000_000,
      lon: Math.round(Number(lon_e6)) / 1_000_000,
      city: city ?? '',
      devices,
      heard: Number(heard),
      ...(devices === 1 ? { device_id, title } : { device_id: null, title: null }),
    })),
  );
}

/** API-EP-GET-metrics-locations-map */
const map = async ({ settings }: Deps) =>
  success({ tiles: settings.mapTiles ?? null, attribution: settings.mapAttribution ?? null });

/** What was done with devices, counted over time, and where they are. */
export const metricsRoutes = (deps: MetricsDeps): Handlers<Contract> =>
  handlers(deps, { activity, locations, places, map });
