import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { Id, Nullable, pageOf, sortBy, Text, Timestamp, Title } from '../fields.ts';
import { attributeName, doorName, doorNameLength } from '../patterns.ts';

/** Protocols of other makers' update clients. */
export const doorNames = ['ddi', 'mender'] as const;
export type DoorName = (typeof doorNames)[number];

/** Devices that one product lets wait. Spec: API-LIMIT-waiting. */
export const waitingLimit = 20_000;
/** Those of them that came from one address; from its network twice as many. Spec: API-LIMIT-waiting. */
export const waitingOfAddressLimit = 1_000;

const Door = Type.Enum([...doorNames], { description: 'ddi: SWUpdate, the RAUC updater and others' });

/** Name of a device behind a door. */
const DoorDeviceName = Text(doorNameLength, {
  pattern: doorName,
  description: 'what the client calls itself: its controller id',
  examples: ['gate-17'],
});

const opened = {
  ddi: Type.Boolean({ description: 'open to clients that speak DDI' }),
  mender: Type.Boolean({ description: 'open to clients of Mender' }),
  waiting: Type.Boolean({ description: 'strangers that name the product are noted, to be let in' }),
};

const rules = {
  consent: Type.Boolean({ description: 'an update waits until the client says that its user consents' }),
  version_attribute: Nullable(
    Type.String({
      pattern: attributeName,
      description: 'attribute that shows the version a device runs: success before its restart is believed then',
    }),
  ),
  probation_s: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'seconds until the success that a client reports before its restart is believed',
    }),
  ),
};

export const ProductDoors = Type.Object({
  ...opened,
  ...rules,
});
export type ProductDoors = Static<typeof ProductDoors>;

const ProductDoorsInput = Type.Object({
  ...opened,
  consent: Type.Optional(rules.consent),
  version_attribute: Type.Optional(rules.version_attribute),
  probation_s: Type.Optional(rules.probation_s),
});

export const DoorTokenRecord = Type.Object({
  id: Id,
  product_id: Id,
  door: Door,
  title: Type.String(),
  token: Type.String({ description: 'all of it in the reply to POST only; later its last 4 characters' }),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});
export type DoorTokenRecord = Static<typeof DoorTokenRecord>;

const DoorDevice = Type.Object({
  device_id: Id,
  door: Door,
  name: Type.String({ description: 'what the client calls itself' }),
  token: Type.String({ description: 'shown this once' }),
});
export type DoorDevice = Static<typeof DoorDevice>;

export const WaitingRecord = Type.Object({
  id: Id,
  door: Door,
  name: Type.String({ description: 'what the client calls itself' }),
  proof: Type.String({ description: 'first digits of the SHA-256 of what it shows, to compare' }),
  ip: Nullable(Type.String()),
  first_at: Timestamp,
  last_at: Timestamp,
});
export type WaitingRecord = Static<typeof WaitingRecord>;

const UpdateMessage = Type.Object({
  at: Timestamp,
  step: Type.String({ description: 'what the client was doing, in the word of its protocol' }),
  text: Type.String(),
});

const shared = {
  tag: 'Doors',
  scope: 'all',
  limited: ['product_id'],
  access: 'product.fleet',
  audit: { what: 'product', id: 'params.product_id' },
} as const;

/** A public key that is accepted before its device comes. */
export const DoorKeyRecord = Type.Object({
  id: Id,
  name: Type.String({ description: 'what the client will call itself' }),
  proof: Type.String({ description: 'first digits of the SHA-256 of the public key, to compare' }),
  created_at: Timestamp,
});
export type DoorKeyRecord = Static<typeof DoorKeyRecord>;

/** Keys of one call, and those that wait for their devices in one product. Spec: API-LIMIT-door-keys. */
export const keysAtOnce = 10_000;
export const keysLimit = 100_000;

/** Update clients of other makers: who may come in, and what they have said. Reference: doors 1. */
export const doorsContract = endpoints(shared, {
  get: {
    route: 'GET /api/products/{product_id}/doors',
    summary: 'Which update clients of other makers a product is open to',
    reply: ProductDoors,
  },
  set: {
    route: 'PUT /api/products/{product_id}/doors',
    access: 'product.change',
    audit: { what: 'product', id: 'params.product_id', read: 'get' },
    spec: ['API-DOOR-open'],
    summary: 'Open a product to update clients of other makers, or close it',
    body: ProductDoorsInput,
    reply: ProductDoors,
  },
  tokens: {
    route: 'GET /api/products/{product_id}/door-tokens',
    summary: 'List the tokens by which devices of a product register themselves',
    ...pageOf(DoorTokenRecord, sortBy(['created_at'], '-created_at')),
  },
  addToken: {
    route: 'POST /api/products/{product_id}/door-tokens',
    access: 'product.change',
    audit: { what: 'door_token', id: 'made' },
    spec: ['API-DOOR-token', 'API-LIMIT-door-tokens'],
    summary: 'Make a token by which devices of a product register themselves; its value is shown once',
    body: Type.Object({ door: Door, title: Title(128) }),
    reply: DoorTokenRecord,
    errors: [400, 401, 403, 404, 409],
  },
  removeToken: {
    route: 'DELETE /api/products/{product_id}/door-tokens/{token_id}',
    access: 'product.change',
    audit: { what: 'door_token', id: 'params.token_id' },
    spec: ['API-DOOR-token'],
    summary: 'Revoke such a token; devices that have none of their own stay out from then on',
  },
  addDevice: {
    route: 'POST /api/products/{product_id}/door-devices',
    scope: 'operate',
    audit: { what: 'device', id: 'made' },
    summary: 'Make a device that comes in with a token of its own, which is shown once',
    body: Type.Object({ door: Type.Literal('ddi'), name: DoorDeviceName }),
    reply: DoorDevice,
    errors: [400, 401, 403, 404, 409],
  },
  waiting: {
    route: 'GET /api/products/{product_id}/waiting',
    spec: ['API-DOOR-waiting', 'API-LIMIT-waiting'],
    summary: 'List the devices that wait to be let in',
    ...pageOf(WaitingRecord, sortBy(['last_at'], '-last_at'), {
      q: Type.Optional(Text(128, { description: 'part of the name, in any letter case' })),
    }),
  },
  decide: {
    route: 'POST /api/products/{product_id}/waiting',
    scope: 'operate',
    spec: ['API-DOOR-waiting'],
    summary: 'Let devices in that wait, or send them away',
    description: 'Without ids all that wait. One that is sent away waits again when it comes back.',
    body: Type.Object({
      accept: Type.Boolean(),
      ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: waitingLimit })),
    }),
    reply: Type.Object({
      done: Type.Integer(),
      refused: Type.Array(Type.Object({ id: Id, code: Type.String(), message: Type.String() })),
    }),
  },
  keys: {
    route: 'GET /api/products/{product_id}/door-keys',
    summary: 'List the public keys that are accepted before their devices come',
    ...pageOf(DoorKeyRecord, sortBy(['name'], 'name')),
  },
  addKeys: {
    route: 'POST /api/products/{product_id}/door-keys',
    access: 'product.change',
    spec: ['API-DOOR-keys', 'API-LIMIT-door-keys'],
    summary: 'Accept public keys of clients of Mender before they come',
    description: 'A name that is there already gets the new key. One that a device has is refused.',
    body: Type.Object({
      keys: Type.Array(
        Type.Object({
          name: DoorDeviceName,
          key: Text(4_096, {
            minLength: 1,
            description: 'public key as PEM, as base64 of its DER, or the SHA-256 of that in hex',
            examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
          }),
        }),
        { minItems: 1, maxItems: keysAtOnce },
      ),
    }),
    reply: Type.Object({
      done: Type.Integer(),
      refused: Type.Array(Type.Object({ name: Type.String(), code: Type.String(), message: Type.String() })),
    }),
    errors: [400, 401, 403, 404, 409],
  },
  removeKey: {
    route: 'DELETE /api/products/{product_id}/door-keys/{key_id}',
    access: 'product.change',
    audit: { what: 'door_key', id: 'params.key_id' },
    spec: ['API-DOOR-keys'],
    summary: 'Take back the acceptance of a key whose device has not come',
  },
  renewDevice: {
    route: 'POST /api/devices/{device_id}/door-token',
    limited: ['device_id'],
    access: 'device.certificates',
    audit: { what: 'device', id: 'params.device_id' },
    spec: ['API-DOOR-token'],
    summary: 'Give a device behind a door another token of its own, which is shown once; the one before fails at once',
    reply: DoorDevice,
  },
  revokeDevice: {
    route: 'DELETE /api/devices/{device_id}/door-token',
    limited: ['device_id'],
    access: 'device.certificates',
    audit: { what: 'device', id: 'params.device_id' },
    spec: ['API-DOOR-token'],
    summary: 'Revoke the token of a device behind a door',
  },
  messages: {
    route: 'GET /api/devices/{device_id}/updates/{update_id}/messages',
    limited: ['device_id'],
    access: 'device.private',
    spec: ['API-DOOR-messages'],
    summary: 'What the update client of a device has said of an update, oldest first',
    params: { update_id: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) },
    ...pageOf(UpdateMessage, sortBy(['at'], 'at')),
  },
});
export type UpdateMessage = Static<typeof UpdateMessage>;
