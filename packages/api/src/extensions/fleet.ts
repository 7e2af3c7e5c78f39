import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { Id, Nullable } from '../fields.ts';

const count = Type.Integer({ minimum: 0 });

/** Versions that a summary lists, and rows of each list of a shape, the most frequent first. Spec: API-LIMIT-fleet. */
export const fleetVersionsLimit = 100;

/** Devices of one product that have reported the same version. */
export const FleetVersion = Type.Object({
  product_id: Id,
  product: Type.String({ description: 'full code' }),
  version: Nullable(Type.String({ description: 'four-part version; null when the device has reported none' })),
  devices: count,
});
export type FleetVersion = Static<typeof FleetVersion>;

export const FleetRecord = Type.Object({
  total: count,
  states: Type.Object({ enabled: count, active: count, disabled: count }),
  health: Type.Object({ connected: count, on_time: count, late: count, silent: count, never: count, blocked: count }),
  standings: Type.Object({ up_to_date: count, waiting: count, updating: count, failed: count, unknown: count }),
  targets: Type.Array(
    Type.Object({
      bundle_id: Id,
      version: Type.String(),
      waiting: count,
      updating: count,
      failed: count,
    }),
    { description: 'of one product: the bundles that devices should run and do not, the newest first' },
  ),
  versions: Type.Array(FleetVersion),
});
export type FleetRecord = Static<typeof FleetRecord>;

/** What devices report of themselves that a scenario of a fleet can say, too. */
export const shapeAttributes = ['board', 'model', 'personality'] as const;

/** What a fleet is like, in counts: enough to make twins of it, and nothing of any one device. */
export const ShapeRecord = Type.Object({
  filter: Type.Optional(Type.String({ description: 'of the rollout that was named: all devices here fit it' })),
  devices: count,
  groups: Type.Array(
    Type.Object({
      platform: Type.String({ description: 'code of the platform' }),
      version: Nullable(Type.String({ description: 'four-part version; null when the device has reported none' })),
      devices: count,
    }),
    { description: 'the most frequent first' },
  ),
  attributes: Type.Array(Type.Object({ name: Type.Enum([...shapeAttributes]), value: Type.String(), devices: count }), {
    description: 'what devices report of their make, the most frequent first',
  }),
  free_flash: Nullable(
    Type.Object(
      { least: count, average: count, most: count },
      { description: 'bytes; null when no device has reported them' },
    ),
  ),
  poll_interval_s: Nullable(Type.Integer({ description: 'seconds between two queries of a device, where it is set' })),
  seen: Type.Object(
    { hour: count, day: count, week: count, longer: count, never: count },
    { description: 'devices by how long ago they were seen last, each counted once' },
  ),
  outcomes: Type.Object(
    {
      done: count,
      failed: Type.Record(Type.String(), Type.Integer(), { description: 'by kind of the failure' }),
    },
    { description: 'of devices in rollouts of the product' },
  ),
});
export type ShapeRecord = Static<typeof ShapeRecord>;

const shared = { tag: 'Metrics' } as const;

/** The fleet at a glance, for the dashboard of the console, and in counts, for rehearsals. */
export const fleetContract = endpoints(shared, {
  summary: {
    route: 'GET /api/metrics/fleet',
    limited: ['product_id'],
    access: 'filtered',
    spec: ['API-LIMIT-fleet'],
    summary: 'Your devices by state, by how they stand to what they should run, and by the version that they run',
    query: Type.Object({ product_id: Type.Optional(Id) }),
    reply: FleetRecord,
  },
  shape: {
    route: 'GET /api/products/{product_id}/shape',
    limited: ['product_id', 'rollout_id'],
    access: 'product.shape',
    spec: ['API-LIMIT-fleet'],
    summary: 'What the fleet of a product is like, in counts, without anything of one device',
    query: Type.Object({ rollout_id: Type.Optional({ ...Id, description: 'only the devices that fit its filter' }) }),
    reply: ShapeRecord,
  },
});
