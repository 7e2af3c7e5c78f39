import Type, { type Static } from 'typebox';
import { DeviceTag } from './devices.ts';
import { endpoint } from './endpoint.ts';
import { Id } from './fields.ts';

/** Devices that one call changes at most. Spec: API-LIMIT-many-devices. */
export const manyDevicesLimit = 500;

const device_ids = Type.Array(Id, {
  minItems: 1,
  maxItems: manyDevicesLimit,
  description: 'a device that is named twice is changed once',
});

/** What became of many devices: those that are not listed are as was asked. */
export const ManyResult = Type.Object({
  ok: Type.Integer({ minimum: 0, description: 'devices that are as was asked now' }),
  refused: Type.Array(
    Type.Object({
      device_id: Id,
      code: Type.String({ description: 'stable code, as the call for one device has it' }),
      message: Type.String(),
    }),
  ),
});
export type ManyResult = Static<typeof ManyResult>;

const description =
  'In one transaction. Each device is looked at by itself, as in the call for one device: one that is refused is ' +
  'listed with the reason, and holds up none of the others.';

/** Changes of many devices at once. Spec: API-RULE-many-devices-1. */
export const manyDevicesContract = {
  setTag: endpoint({
    method: 'POST',
    path: '/api/devices/tag',
    spec: ['API-EP-POST-devices-tag', 'API-RULE-many-devices-1', 'API-LIMIT-many-devices'],
    tag: 'Devices',
    summary: 'Name the bundle tag that many devices follow; the empty text clears it',
    description,
    auth: 'bearer',
    body: Type.Object({ device_ids, tag: DeviceTag }),
    reply: ManyResult,
    errors: [400, 401],
  }),
  activate: endpoint({
    method: 'POST',
    path: '/api/devices/activate',
    spec: ['API-EP-POST-devices-activate', 'API-RULE-many-devices-1', 'API-LIMIT-many-devices'],
    tag: 'Devices',
    summary: 'Activate many devices to a product; an OTA of each must follow',
    description,
    auth: 'bearer',
    body: Type.Object({ device_ids, product_id: Id }),
    reply: ManyResult,
    errors: [400, 401, 404],
  }),
};
