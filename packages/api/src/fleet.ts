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
  updates: Type.Object({
    ok: Type.Integer({ minimum: 0, description: 'run what they were offered last' }),
    outdated: Type.Integer({ minimum: 0, description: 'do not run it yet' }),
    failed: Type.Integer({ minimum: 0, description: 'whose last update failed' }),
    none: Type.Integer({ minimum: 0, description: 'were never offered any' }),
  }),
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
    summary: 'Your devices by state, by how their last update went, and by the version that they run',
    auth: 'bearer',
    query: Type.Object({ product_id: Type.Optional(Id) }),
    reply: FleetRecord,
    errors: [400, 401],
  }),
};
