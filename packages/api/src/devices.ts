import Type, { type Static } from 'typebox';
import { binary, endpoint } from './endpoint.ts';
import {
  Id,
  Identifier,
  LocationInput,
  MacAddress,
  Nullable,
  pageQuery,
  ResultOk,
  sortBy,
  Text,
  Timestamp,
  Title,
} from './fields.ts';
import { ruled } from './patterns.ts';
import { tags } from './products.ts';
import { FilterText } from './segments.ts';
import { spelt } from './spellings.ts';

/** Tag of the bundle that a device follows; empty means "none of its own", which follows the release. */
export const DeviceTag = Type.Enum(['', ...tags]);

/** States of a device. Reference: rules 1.1. */
export const deviceStates = ['enabled', 'active', 'disabled'] as const;
export type DeviceState = (typeof deviceStates)[number];

/** Record of a device. Reference: records 1.1. Fields from `bundle_id` to `ota_result` are read from its current update. */
export const DeviceRecord = Type.Object({
  id: Id,
  uuid: Type.String({ description: 'hardware uuid, 40 lower-case hexadecimal digits' }),
  title: Type.String(),
  description: Type.String(),
  mac: Nullable(Type.String()),
  bt_addr: Nullable(Type.String()),
  platform_id: Id,
  platform: Type.String(),
  product_id: Id,
  product: Type.String({ description: 'full code of the product it is activated to' }),
  base_product_id: Nullable(Id),
  production: Type.Boolean(),
  claimable: Type.Boolean(),
  locked: Type.Boolean(),
  state: Type.Enum([...deviceStates]),
  tag: Nullable(Type.String()),
  bundle_id: Nullable(Id),
  bundle: Nullable(Type.String({ description: 'version of the bundle offered or reported last' })),
  bundle_ok: Type.Boolean({ description: 'the restarted device has reported the version of this bundle' }),
  bversion: Nullable(Type.String({ description: 'version text that the device reported last' })),
  ota_result: Nullable(Type.Integer({ description: 'result code of the module' })),
  user_id: Nullable(Id),
  user: Nullable(Type.String()),
  role: Type.Enum(['owner', 'vendor', 'tester', 'none'], {
    description: 'what you are to it; a vendor owns or manages its product. Testers see no address, place or telemetry',
  }),
  vendor_files: Type.Boolean({ description: 'its owner lets those who own or manage its product at its files' }),
  customer_id: Nullable(Id),
  online: Type.Boolean(),
  ip: Nullable(Type.String()),
  location: Nullable(
    Type.Object({ lat: Type.Number(), lon: Type.Number(), city: Type.String(), country: Type.String() }),
  ),
  telemetry: Nullable(Type.Record(Type.String(), Type.Unknown())),
  nodes: Nullable(Type.Array(Type.Object({ id: Type.String(), title: Type.String(), last_seen_at: Timestamp }))),
  created_at: Timestamp,
  claimed_at: Nullable(Timestamp),
  activated_at: Nullable(Timestamp),
  last_seen_at: Nullable(Timestamp),
  last_ota_at: Nullable(Timestamp),
});

/** Reply to provisioning: the record and, this once only, the token that the device fetches its certificate with. */
export const ProvisionedDevice = Type.Object({
  ...DeviceRecord.properties,
  token: Type.String({ description: 'provisioning token, 32 base64 characters; shown this once' }),
  certificates_url: Type.String(),
});

/** A product that a device may be activated to. */
export const ProductChoice = Type.Object({
  product_id: Id,
  product: Type.String({ description: 'full code' }),
  title: Type.String(),
  version: Nullable(Type.String({ description: 'version of the newest published bundle' })),
  claimable: Type.Boolean(),
});

const byDeviceId = Type.Object({ device_id: Identifier });
const title = Title(128);
const tag = 'Devices';

const listQuery = Type.Object({
  ...pageQuery,
  sort: sortBy(['created_at', 'last_seen_at', 'activated_at', 'title', 'uuid', 'state'], '-created_at'),
  q: Type.Optional(Text(200, { description: 'part of the title, uuid, mac or bt_addr' })),
  filter: Type.Optional(FilterText),
  product_id: Type.Optional(Id),
  platform_id: Type.Optional(Id),
  bundle_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
  tag: Type.Optional(DeviceTag),
  state: Type.Optional(Type.Enum([...deviceStates])),
  online: Type.Optional(Type.Boolean()),
  claimable: Type.Optional(Type.Boolean()),
  updated: Type.Optional(
    Type.Enum(['ok', 'outdated', 'failed'], {
      description: 'ok: runs what it was offered last; outdated: does not yet; failed: the last update failed',
    }),
  ),
});

/** Devices as their users see them. */
export const devicesContract = {
  list: endpoint({
    method: 'GET',
    path: '/api/devices',
    spec: ['API-EP-GET-devices'],
    tag,
    summary: 'List the devices that you own, or that are activated to products you work on',
    auth: 'bearer',
    query: listQuery,
    reply: Type.Array(DeviceRecord),
    paged: true,
    errors: [400, 401],
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/devices/{identifier}',
    spec: ['API-EP-GET-devices-identifier'],
    tag,
    summary: 'Get one device by id, uuid, MAC or Bluetooth address in any usual spelling',
    auth: 'bearer',
    params: Type.Object({ identifier: Identifier }),
    reply: DeviceRecord,
    errors: [401, 404],
  }),
  provision: endpoint({
    method: 'POST',
    path: '/api/devices/provision',
    spec: ['API-EP-POST-devices-provision'],
    tag,
    summary: 'Provision a new device',
    description:
      'Anyone may provision a software device, and owns it; module hardware is provisioned by administrators.',
    auth: 'bearer',
    body: Type.Object({
      // Its form is checked by the rules, so that the refusal has a code of its own.
      uuid: Text(64, {
        ...spelt('id'),
        ...ruled({ pattern: '^[0-9A-Fa-f]{40}$' }),
        description: '40 hexadecimal digits; the first 8 are the part id of the platform',
      }),
      platform_id: Id,
      mac: Type.Optional(MacAddress),
      bt_addr: Type.Optional(MacAddress),
      title: Type.Optional(title),
    }),
    reply: ProvisionedDevice,
    errors: [400, 401, 403, 404, 409],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/devices/{device_id}',
    spec: ['API-EP-PUT-devices-device_id'],
    tag,
    summary: 'Change the title, description or location of a device, or let its vendor at its files',
    auth: 'bearer',
    params: byDeviceId,
    body: Type.Object({
      title: Type.Optional(title),
      description: Type.Optional(Text(65_536)),
      location: Type.Optional(Nullable(LocationInput)),
      vendor_files: Type.Optional(
        Type.Boolean({ description: 'lets the vendor at the files of the device; only its owner may' }),
      ),
    }),
    reply: DeviceRecord,
    errors: [400, 401, 403, 404],
  }),
  activate: endpoint({
    method: 'POST',
    path: '/api/devices/{device_id}/activate',
    spec: ['API-EP-POST-devices-device_id-activate'],
    tag,
    summary: 'Activate a device to a product; an OTA must follow',
    description:
      'Neither a lock nor production keeps a device from the base edition of its platform: its owner or an ' +
      'administrator takes it off a product so. A production product takes only devices of its customer’s people.',
    auth: 'bearer',
    params: byDeviceId,
    body: Type.Object({ product_id: Id }),
    reply: DeviceRecord,
    errors: [400, 401, 403, 404, 409],
  }),
  products: endpoint({
    method: 'GET',
    path: '/api/devices/{id}/products',
    spec: ['API-EP-GET-devices-id-products'],
    tag,
    summary: 'List the products that the owner can activate the device to, as far as you may see them',
    auth: 'bearer',
    params: Type.Object({ id: Identifier }),
    reply: Type.Array(ProductChoice),
    errors: [401, 404],
  }),
  reset: endpoint({
    method: 'POST',
    path: '/api/devices/{device_id}/reset',
    spec: ['API-EP-POST-devices-device_id-reset'],
    tag,
    summary: 'Take a claimable device back to what it was when it left the factory',
    description:
      'Owner, tag, texts, location, files, nodes and all data of the device go; the log stays. It is on the edition ' +
      'product of its platform again, unless it is of a production product: then it stays on that.',
    auth: 'bearer',
    params: byDeviceId,
    reply: ResultOk,
    errors: [401, 403, 404],
  }),
  setTag: endpoint({
    method: 'POST',
    path: '/api/devices/{device_id}/tag',
    spec: ['API-EP-POST-devices-device_id-tag'],
    tag,
    summary: 'Name the bundle tag that the device follows; the empty text clears it',
    auth: 'bearer',
    params: byDeviceId,
    body: Type.Object({ tag: DeviceTag }),
    reply: ResultOk,
    errors: [400, 401, 403, 404],
  }),
  setState: endpoint({
    method: 'POST',
    path: '/api/devices/{device_id}/state',
    spec: ['API-EP-POST-devices-device_id-state', 'API-STATE-device-any-disabled'],
    tag,
    summary: 'Block a device, or let it in again',
    description:
      'Every call of a blocked device is refused. One that is let in again becomes active with its next contact; ' +
      'a device that is not blocked stays as it is. What an administrator has blocked only an administrator lets in.',
    auth: 'bearer',
    params: byDeviceId,
    body: Type.Object({ state: Type.Enum(['disabled', 'enabled']) }),
    reply: ResultOk,
    errors: [400, 401, 403, 404],
  }),
  certificates: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/certificates.zip',
    spec: ['API-EP-GET-devices-device_id-certificates.zip'],
    tag,
    summary: 'Get a fresh certificate and key of a device that has not completed its provisioning',
    description: 'A zip of ca.pem, device.crt and device.key. A certificate issued before stops working.',
    auth: 'bearer',
    params: byDeviceId,
    reply: binary('application/zip'),
    errors: [401, 403, 404, 409],
  }),
  renewToken: endpoint({
    method: 'POST',
    path: '/api/devices/{device_id}/token',
    spec: ['API-EP-POST-devices-device_id-token'],
    tag,
    summary: 'Let a device be provisioned again: make a new provisioning token',
    description: 'For a module that lost its flash, or its first token. Its certificate stops working at once.',
    auth: 'bearer',
    params: byDeviceId,
    reply: Type.Object({ token: Type.String({ description: '32 base64 characters; shown this once' }) }),
    errors: [401, 403, 404],
  }),
};

export type DeviceRecord = Static<typeof DeviceRecord>;
export type ProvisionedDevice = Static<typeof ProvisionedDevice>;
export type DeviceListQuery = Static<typeof listQuery>;
export type ProductChoice = Static<typeof ProductChoice>;
