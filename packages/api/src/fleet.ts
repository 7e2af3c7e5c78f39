import Type, { type Static } from 'typebox';
import { endpoint } from './endpoint.ts';
import { Id, Nullable } from './fields.ts';

const count = Type.Integer({ minimum: 0 });

/** Versions that a summary lists, the most frequent first. Spec: API-LIMIT-fleet. */
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
  online: count,
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

/** The fleet at a glance, for the dashboard of the console. */
export const fleetContract = {
  summary: endpoint({
    method: 'GET',
    path: '/api/metrics/fleet',
    spec: ['API-EP-GET-metrics-fleet', 'API-LIMIT-fleet'],
    tag: 'Metrics',
    summary: 'Your devices by state, by how they stand to what they should run, and by the version that they run',
    auth: 'bearer',
    query: Type.Object({ product_id: Type.Optional(Id) }),
    reply: FleetRecord,
    errors: [400, 401],
  }),
};
