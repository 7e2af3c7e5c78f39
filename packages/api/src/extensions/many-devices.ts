import Type, { type Static } from 'typebox';
import { DeviceTag, NewDevice } from '../core/devices.ts';
import { endpoints } from '../endpoint.ts';
import { Id, ManyResult, Nullable } from '../fields.ts';

/** Devices that one call changes at most. Spec: API-LIMIT-many-devices. */
export const manyDevicesLimit = 5_000;

const device_ids = Type.Array(Id, {
  minItems: 1,
  maxItems: manyDevicesLimit,
  description: 'a device that is named twice is changed once',
});

const description =
  'In one transaction. Each device is looked at by itself, as in the call for one device: one that is refused is ' +
  'listed with the reason, and holds up none of the others.';

const rules = ['API-RULE-many-devices-1', 'API-LIMIT-many-devices', 'API-RULE-many-devices-2'] as const;
const inOneRow = `${description} The log has one row for all devices of a product and an owner, with their ids in its data.`;

/** Devices that one call makes at most. Spec: API-RULE-import-1. */
export const importLimit = 500;

/** What becomes, or would become, of a row of an import. */
export const ImportedRow = Type.Object({
  uuid: Type.String(),
  device_id: Nullable(Id),
  token: Nullable(Type.String({ description: 'provisioning token, 32 base64 characters; shown this once' })),
  code: Nullable(
    Type.String({ description: 'why there is no device: stable code, as the call for one device has it' }),
  ),
  message: Nullable(Type.String()),
});
export type ImportedRow = Static<typeof ImportedRow>;

export const ImportResult = Type.Object({
  imported: Type.Integer({ minimum: 0, description: 'devices that there are now: all rows, or none' }),
  refused: Type.Integer({ minimum: 0, description: 'rows that have a reason against them' }),
  rows: Type.Array(ImportedRow, { description: 'in the order of the request' }),
});
export type ImportResult = Static<typeof ImportResult>;

const shared = {
  tag: 'Devices',
  scope: 'operate',
  limited: ['device_ids'],
  access: 'filtered',
  audit: { what: 'device', id: 'logged' },
} as const;

/** Changes of many devices at once. Spec: API-RULE-many-devices-1. */
export const manyDevicesContract = endpoints(shared, {
  import: {
    route: 'POST /api/devices/import',
    limited: 'closed',
    spec: ['API-RULE-import-1'],
    ofDevices: true,
    summary: 'Provision many devices, or see what that would do',
    description:
      'In one transaction: when a row is refused no device is made, and every row says what is against it. With ' +
      '`preview` none is made either way. The log has one row for all of them.',
    body: Type.Object({
      devices: Type.Array(NewDevice, { minItems: 1, maxItems: importLimit }),
      preview: Type.Boolean({ description: 'true: change nothing, and say what would happen' }),
    }),
    reply: ImportResult,
  },
  setTag: {
    route: 'POST /api/devices/tag',
    spec: [...rules],
    summary: 'Name the bundle tag that many devices follow; the empty text clears it',
    description: inOneRow,
    body: Type.Object({ device_ids, tag: DeviceTag }),
    reply: ManyResult,
  },
  setState: {
    route: 'POST /api/devices/state',
    spec: [...rules],
    summary: 'Block many devices, or let them in again',
    description: inOneRow,
    body: Type.Object({ device_ids, state: Type.Enum(['disabled', 'enabled']) }),
    reply: ManyResult,
  },
  reset: {
    route: 'POST /api/devices/reset',
    spec: [...rules],
    summary: 'Take many claimable devices back to what they were when they left the factory',
    description: inOneRow,
    body: Type.Object({ device_ids }),
    reply: ManyResult,
  },
  remove: {
    route: 'POST /api/devices/delete',
    spec: ['API-RULE-delete-1', ...rules],
    summary: 'Delete many devices with everything that is kept of them',
    description: inOneRow,
    body: Type.Object({ device_ids }),
    reply: ManyResult,
  },
  askUpdate: {
    route: 'POST /api/devices/update',
    spec: ['API-RULE-ask-1', ...rules],
    summary: 'Have many devices ask for their updates at once: over the message channel, or with their next query',
    description: inOneRow,
    body: Type.Object({ device_ids }),
    reply: Type.Object({
      ...ManyResult.properties,
      online: Type.Integer({ minimum: 0, description: 'devices of `ok` that are on the message channel' }),
    }),
  },
  activate: {
    route: 'POST /api/devices/activate',
    limited: ['device_ids', 'product_id'],
    spec: [...rules],
    summary: 'Activate many devices to a product; an OTA of each must follow',
    description: inOneRow,
    body: Type.Object({ device_ids, product_id: Id }),
    reply: ManyResult,
    errors: [400, 401, 404],
  },
});
