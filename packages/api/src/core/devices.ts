import Type, { type Static } from 'typebox';
import { binary, endpoints, type QueryOf } from '../endpoint.ts';
import {
  FilterText,
  Id,
  Identifier,
  LocationInput,
  MacAddress,
  Nullable,
  pageOf,
  sortBy,
  Text,
  Timestamp,
  Title,
} from '../fields.ts';
import { ruled } from '../patterns.ts';
import { spelt } from '../spellings.ts';
import { UpdateRecord } from './device-updates.ts';
import { tags } from './products.ts';

/** Tag of the bundle that a device follows; empty means none, which follows the release. */
export const DeviceTag = Type.Enum(['', ...tags]);

/** States of a device. Reference: rules 1.1. */
export const deviceStates = ['enabled', 'active', 'disabled'] as const;
export type DeviceState = (typeof deviceStates)[number];

/** How a device stands to the bundle that it should run. Reference: rules 6.6. */
export const standingStates = ['up_to_date', 'waiting', 'updating', 'failed', 'unknown'] as const;
export type StandingState = (typeof standingStates)[number];

/** How a device is heard from, by the interval at which it asks for updates. Reference: rules 6.9. */
export const healthStates = ['connected', 'on_time', 'late', 'silent', 'never', 'blocked'] as const;
export type DeviceHealth = (typeof healthStates)[number];
export const DeviceHealthWord = Type.Enum([...healthStates], {
  description:
    'connected: on the message channel; on_time: heard within two of its intervals; late: within four; silent: for longer; ' +
    'never: not heard yet; blocked: not let in',
});

export const DeviceStanding = Type.Object({
  state: Type.Enum([...standingStates], {
    description:
      'up_to_date: runs what it should; waiting: will be brought something else; updating: fetches or installs it; ' +
      'failed: its last update failed; unknown: has reported nothing yet, or there is nothing for it',
  }),
  since: Nullable(Timestamp),
  version: Nullable(Type.String({ description: 'of the bundle that it should run' })),
  reason: Nullable(Type.String({ description: 'why the update failed' })),
});
export type DeviceStanding = Static<typeof DeviceStanding>;

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
  version: Nullable(
    Type.String({ description: 'of the bundle of its product that it has reported; null when it runs something else' }),
  ),
  ota_result: Nullable(Type.Integer({ description: 'result code of the module' })),
  standing: DeviceStanding,
  user_id: Nullable(Id),
  user: Nullable(Type.String()),
  role: Type.Enum(['owner', 'vendor', 'tester', 'none'], {
    description: 'what you are to it; a vendor owns or manages its product. Testers see no address, place or telemetry',
  }),
  vendor_files: Type.Boolean({ description: 'its owner lets those who own or manage its product at its files' }),
  customer_id: Nullable(Id),
  online: Type.Boolean({ description: 'on the message channel' }),
  health: DeviceHealthWord,
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
  certificates_url: Type.String({ description: 'where a POST issues certificate and key, as a zip' }),
});

/** A product that a device may be activated to. */
export const ProductChoice = Type.Object({
  product_id: Id,
  product: Type.String({ description: 'full code' }),
  title: Type.String(),
  version: Nullable(Type.String({ description: 'version of the newest published bundle' })),
  claimable: Type.Boolean(),
});

/** What goes with a device that is deleted. */
export const DeviceContents = Type.Object({
  files: Type.Integer({ description: 'files in its store' }),
  file_bytes: Type.Integer(),
  streams: Type.Integer({ description: 'time series, with all of their samples' }),
  controls: Type.Integer(),
  messages: Type.Integer(),
  updates: Type.Integer({ description: 'updates in its history' }),
  attributes: Type.Integer(),
  labels: Type.Integer(),
  nodes: Type.Integer(),
  rollouts: Type.Integer({ description: 'rollouts that count it until now' }),
  logs_kept: Type.Integer({ description: 'rows of the log about it, which stay as long as other rows do' }),
});
export type DeviceContents = Static<typeof DeviceContents>;

/** How the update of a device goes that was asked to look for one. */
export const UpdateProgress = Type.Object({
  online: Type.Boolean({ description: 'on the message channel: it is asked at once; otherwise it asks by itself' }),
  asked_at: Nullable(Timestamp),
  looked_at: Nullable(Type.String({ description: 'when it first asked for an update after that, epoch milliseconds' })),
  update: Nullable(UpdateRecord),
});
export type UpdateProgress = Static<typeof UpdateProgress>;

const title = Title(128);
const shared = {
  tag: 'Devices',
  scope: 'operate',
  limited: ['device_id'],
  access: 'device.read',
  audit: { what: 'device', id: 'params.device_id', read: 'get' },
} as const;

/** What a new device is made from. */
export const NewDevice = Type.Object({
  // Its form is checked by the rules, so that the refusal has its own code.
  uuid: Text(64, {
    ...spelt('id'),
    ...ruled({ pattern: '^[0-9A-Fa-f]{40}$' }),
    description: '40 hexadecimal digits; the first 8 are the part id of the platform',
  }),
  platform_id: Id,
  mac: Type.Optional(MacAddress),
  bt_addr: Type.Optional(MacAddress),
  title: Type.Optional(title),
});

/** Devices as their users see them. */
export const devicesContract = endpoints(shared, {
  list: {
    route: 'GET /api/devices',
    limited: ['product_id', 'bundle_id'],
    access: 'filtered',
    spec: ['API-RULE-standing-1', 'API-RULE-health-1'],
    summary: 'List the devices that you own, or that are activated to products you work on',
    ...pageOf(
      DeviceRecord,
      sortBy(['created_at', 'last_seen_at', 'activated_at', 'title', 'uuid', 'state'], '-created_at'),
      {
        q: Type.Optional(Text(200, { description: 'part of the title, uuid, mac or bt_addr' })),
        filter: Type.Optional(FilterText),
        product_id: Type.Optional(Id),
        platform_id: Type.Optional(Id),
        bundle_id: Type.Optional(Id),
        user_id: Type.Optional(Id),
        tag: Type.Optional(DeviceTag),
        state: Type.Optional(Type.Enum([...deviceStates])),
        online: Type.Optional(Type.Boolean()),
        health: Type.Optional(DeviceHealthWord),
        claimable: Type.Optional(Type.Boolean()),
        standing: Type.Optional(Type.Enum([...standingStates])),
        updated: Type.Optional(
          Type.Enum(['ok', 'outdated', 'failed'], {
            description: 'ok: runs what it was offered last; outdated: does not yet; failed: the last update failed',
          }),
        ),
      },
    ),
  },
  get: {
    route: 'GET /api/devices/{identifier}',
    limited: ['identifier'],
    summary: 'Get one device by id, uuid, MAC or Bluetooth address in any usual spelling',
    reply: DeviceRecord,
    errors: [401, 404],
  },
  provision: {
    route: 'POST /api/devices/provision',
    limited: 'closed',
    access: ['device.provision.hardware', 'device.provision.software'],
    audit: { what: 'device', id: 'made' },
    summary: 'Provision a new device',
    description:
      'Anyone may provision a software device, and owns it; module hardware is provisioned by administrators.',
    body: NewDevice,
    reply: ProvisionedDevice,
    errors: [400, 401, 403, 404, 409],
  },
  update: {
    route: 'PUT /api/devices/{device_id}',
    access: ['device.update', 'device.trust'],
    summary: 'Change the title, description or location of a device, or let its vendor at its files',
    body: Type.Object({
      title: Type.Optional(title),
      description: Type.Optional(Text(65_536)),
      location: Type.Optional(Nullable(LocationInput)),
      vendor_files: Type.Optional(
        Type.Boolean({ description: 'lets the vendor at the files of the device; only its owner may' }),
      ),
    }),
    reply: DeviceRecord,
  },
  activate: {
    route: 'POST /api/devices/{device_id}/activate',
    limited: ['device_id', 'product_id'],
    access: 'device.activate',
    summary: 'Activate a device to a product; an OTA must follow',
    description:
      'Neither a lock nor production keeps a device from the base edition of its platform: its owner or an ' +
      'administrator takes it off a product so. A production product takes only devices of its customer’s people.',
    body: Type.Object({ product_id: Id }),
    reply: DeviceRecord,
    errors: [400, 401, 403, 404, 409],
  },
  products: {
    route: 'GET /api/devices/{id}/products',
    limited: ['id'],
    summary: 'List the products that the owner can activate the device to, as far as you may see them',
    params: { id: Identifier },
    reply: Type.Array(ProductChoice),
    errors: [401, 404],
  },
  reset: {
    route: 'POST /api/devices/{device_id}/reset',
    makesRoom: true,
    access: 'device.reset',
    audit: { what: 'device', id: 'params.device_id' },
    summary: 'Take a claimable device back to what it was when it left the factory',
    description:
      'Owner, tag, texts, location, files, nodes and all data of the device go; the log stays. It is on the edition ' +
      'product of its platform again, unless it is of a production product: then it stays on that.',
    errors: [401, 403, 404],
  },
  setTag: {
    route: 'POST /api/devices/{device_id}/tag',
    access: 'device.tag',
    summary: 'Name the bundle tag that the device follows; the empty text clears it',
    body: Type.Object({ tag: DeviceTag }),
  },
  setState: {
    route: 'POST /api/devices/{device_id}/state',
    access: 'device.disable',
    spec: ['API-STATE-device-any-disabled'],
    summary: 'Block a device, or let it in again',
    description:
      'Every call of a blocked device is refused. One that is let in again becomes active with its next contact; ' +
      'a device that is not blocked stays as it is. What an administrator has blocked only an administrator lets in.',
    body: Type.Object({ state: Type.Enum(['disabled', 'enabled']) }),
  },
  contents: {
    route: 'GET /api/devices/{device_id}/contents',
    access: 'device.delete',
    summary: 'Count what would go with a device that is deleted',
    reply: DeviceContents,
  },
  remove: {
    route: 'DELETE /api/devices/{device_id}',
    access: 'device.delete',
    spec: ['API-RULE-delete-1'],
    summary: 'Delete a device with everything that is kept of it',
    description:
      'Its certificates are refused from then on, and its connections end. Its log stays. The uuid and the addresses are ' +
      'free: provisioned anew it is a new device without an owner, or of whoever provisions a software device. Module ' +
      'hardware is deleted by administrators; its owner resets it.',
  },
  askUpdate: {
    route: 'POST /api/devices/{device_id}/update',
    access: 'device.ota',
    audit: { what: 'device', id: 'params.device_id' },
    spec: ['API-RULE-ask-1'],
    summary: 'Have a device ask for its update at once: over the message channel, or with its next query',
    reply: UpdateProgress,
  },
  updateProgress: {
    route: 'GET /api/devices/{device_id}/update',
    summary: 'How far a device is with its update: asked, looked, downloading, restarted, back',
    description: 'The live events of the device tell each step, and the percent of a download as the type `progress`.',
    reply: UpdateProgress,
  },
  certificates: {
    route: 'POST /api/devices/{device_id}/certificates.zip',
    scope: 'all',
    access: 'device.certificates',
    audit: { what: 'device', id: 'params.device_id' },
    summary: 'Issue a fresh certificate and key for a device that has not completed its provisioning',
    description: 'A zip of ca.pem, device.crt and device.key. A certificate issued before stops working.',
    reply: binary('application/zip'),
    errors: [401, 403, 404, 409],
  },
  renewToken: {
    route: 'POST /api/devices/{device_id}/token',
    scope: 'all',
    access: 'device.certificates',
    audit: { what: 'device', id: 'params.device_id' },
    summary: 'Let a device be provisioned again: make a new provisioning token',
    description: 'For a module that lost its flash, or its first token. Its certificate stops working at once.',
    reply: Type.Object({ token: Type.String({ description: '32 base64 characters; shown this once' }) }),
    errors: [401, 403, 404],
  },
});

export type DeviceRecord = Static<typeof DeviceRecord>;
export type ProvisionedDevice = Static<typeof ProvisionedDevice>;
export type DeviceListQuery = QueryOf<(typeof devicesContract)['list']>;
export type ProductChoice = Static<typeof ProductChoice>;
