import Type, { type Static } from 'typebox';
import { binary, endpoints } from '../endpoint.ts';
import { Text } from '../fields.ts';

const errors = [400, 401, 404, 405, 409, 413, 415, 416] as const;
const params = { deployment_id: Type.String({ pattern: '^[0-9]{1,10}$' }), name: Text(255, { minLength: 1 }) };
const shared = { params, tag: 'Doors: Mender', auth: 'door', writes: 'updates', hasAllStatuses: true, errors } as const;

const Nothing = Type.Object({}, { description: 'status 204' });

/** What a client says that it has: its type, the name of what is installed, and whatever else it likes. */
const Provides = Type.Record(Type.String(), Type.Unknown());

const Deployment = Type.Object({
  id: Type.String(),
  artifact: Type.Object({
    artifact_name: Type.String(),
    device_types_compatible: Type.Array(Type.String()),
    source: Type.Object({ uri: Type.String(), expire: Type.String({ description: 'RFC 3339' }) }),
  }),
});
export type MenderDeployment = Static<typeof Deployment>;

const Inventory = Type.Array(
  Type.Object({ name: Text(1_024), value: Type.Union([Type.String(), Type.Array(Type.String())]) }),
);
export type MenderInventory = Static<typeof Inventory>;

const Log = Type.Object({
  messages: Type.Array(
    Type.Object({
      timestamp: Type.Optional(Type.Unknown()),
      level: Type.Optional(Type.Unknown()),
      message: Type.Optional(Type.String()),
    }),
  ),
});

/** What clients may say of a deployment. */
export const menderStatuses = [
  'downloading',
  'installing',
  'rebooting',
  'success',
  'failure',
  'already-installed',
  'pause_before_installing',
  'pause_before_rebooting',
  'pause_before_committing',
] as const;
export type MenderStatus = (typeof menderStatuses)[number];

const byRelease = Type.Object({ artifact_name: Text(1_024), device_type: Text(1_024) });

/** The device interface of Mender, as far as its clients need it for updates, on the device listener. */
export const menderContract = endpoints(shared, {
  authenticate: {
    route: 'POST /api/devices/v1/authentication/auth_requests',
    spec: ['API-MENDER-auth', 'API-DOOR-waiting'],
    summary: 'Ask to be let in with the key of the device; the answer is a token for a week',
    description: 'X-MEN-Signature is over the body as it is sent: RSA or ECDSA with SHA-256, or Ed25519.',
    auth: 'none',
    signed: true,
    body: Type.Object({
      id_data: Text(8_192),
      pubkey: Text(8_192),
      tenant_token: Type.Optional(Type.Union([Text(1_024), Type.Null()])),
    }),
    reply: binary('application/jwt'),
    errors,
  },
  replaceInventory: {
    route: 'PUT /api/devices/v1/inventory/device/attributes',
    writes: 'attributes',
    spec: ['API-MENDER-inventory'],
    summary: 'Report what the device says of itself, in the place of what it has said before',
    body: Inventory,
    reply: Nothing,
  },
  mergeInventory: {
    route: 'PATCH /api/devices/v1/inventory/device/attributes',
    writes: 'attributes',
    spec: ['API-MENDER-inventory'],
    summary: 'Report more of what the device says of itself',
    body: Inventory,
    reply: Nothing,
  },
  next: {
    route: 'POST /api/devices/v2/deployments/device/deployments/next',
    spec: ['API-MENDER-next'],
    summary: 'Ask for the next deployment; 204 when there is none',
    body: Type.Object({ device_provides: Provides }),
    reply: Deployment,
  },
  nextOfQuery: {
    route: 'GET /api/devices/v1/deployments/device/deployments/next',
    writes: 'updates',
    spec: ['API-MENDER-next'],
    summary: 'The same, as earlier clients ask',
    query: byRelease,
    reply: Deployment,
  },
  nextOfBody: {
    route: 'POST /api/devices/v1/deployments/device/deployments/next',
    spec: ['API-MENDER-next'],
    summary: 'The same, as some clients ask in between',
    body: byRelease,
    reply: Deployment,
  },
  status: {
    route: 'PUT /api/devices/v1/deployments/device/deployments/{deployment_id}/status',
    spec: ['API-MENDER-status'],
    summary: 'Report how a deployment goes; 409 when it is over',
    body: Type.Object({
      status: Type.Enum([...menderStatuses]),
      substate: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
    reply: Nothing,
  },
  log: {
    route: 'PUT /api/devices/v1/deployments/device/deployments/{deployment_id}/log',
    spec: ['API-MENDER-log'],
    summary: 'Report what has happened in a deployment',
    body: Log,
    reply: Nothing,
  },
  download: {
    route: 'GET /api/devices/v1/deployments/download/{deployment_id}/{name*}',
    spec: ['API-MENDER-download', 'API-DOOR-ticket'],
    summary: 'Get the artifact of a deployment, by the ticket of its link; Range is honoured',
    query: Type.Object({ ticket: Type.Optional(Text(128)) }),
    reply: binary(),
  },
});
