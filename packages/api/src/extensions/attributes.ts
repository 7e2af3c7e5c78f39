import Type, { type Static } from 'typebox';

import { endpoints } from '../endpoint.ts';
import { AttributeName, AttributeValue, Id, labelsLimit, ManyResult, Nullable, Timestamp } from '../fields.ts';
import { manyDevicesLimit } from './many-devices.ts';

/** One attribute of a device: the last value, and since when it has that. */
export const AttributeRecord = Type.Object({
  name: Type.String(),
  value: Type.String({ description: 'as a text, whatever the device reported' }),
  since: Timestamp,
});
export type AttributeRecord = Static<typeof AttributeRecord>;

const labels = Type.Record(AttributeName, Nullable(AttributeValue), {
  minProperties: 1,
  maxProperties: labelsLimit,
  additionalProperties: false,
  description: 'labels to set, by name; null removes one, and others stay as they are',
  examples: [{ region: 'eu', test: null }],
});

const shared = { tag: 'Devices', scope: 'operate', limited: ['device_id'], access: 'device.read' } as const;
const LabelRecord = Type.Record(Type.String(), Type.String(), { examples: [{ region: 'eu' }] });

/** What devices report of themselves, and the labels that people and programs set on them. */
export const attributesContract = endpoints(shared, {
  list: {
    route: 'GET /api/devices/{device_id}/attributes',
    spec: ['API-RULE-attributes-1'],
    summary: 'List what a device has reported of itself, by name',
    reply: Type.Array(AttributeRecord),
    errors: [400, 401, 404],
  },
  labels: {
    route: 'GET /api/devices/{device_id}/labels',
    summary: 'Get the labels of a device',
    reply: LabelRecord,
    errors: [400, 401, 404],
  },
  setLabels: {
    route: 'PUT /api/devices/{device_id}/labels',
    access: 'device.update',
    audit: { what: 'device', id: 'params.device_id' },
    spec: ['API-RULE-labels-1', 'API-LIMIT-attributes'],
    summary: 'Set and remove labels of a device',
    body: Type.Object({ labels }),
    reply: LabelRecord,
    errors: [400, 401, 403, 404, 409],
  },
  setManyLabels: {
    route: 'POST /api/devices/labels',
    limited: ['device_ids'],
    access: 'filtered',
    audit: { what: 'device', id: 'logged' },
    spec: ['API-RULE-labels-1', 'API-RULE-many-devices-1'],
    summary: 'Set and remove labels of many devices',
    description:
      'In one transaction. A device that is refused is listed with the reason, and holds up none of the others.',
    body: Type.Object({ device_ids: Type.Array(Id, { minItems: 1, maxItems: manyDevicesLimit }), labels }),
    reply: ManyResult,
  },
});
