import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { Id, Nullable, pageOf, sortBy, Text, Timestamp } from '../fields.ts';
import { RolloutSettingsInput, templateNames, Zone } from './rollout-settings.ts';

/** Seconds between two queries of a device whose product says nothing else. */
export const usualPollS = 3_600;

/** What holds for the fleet of a product, beside its rollouts. */
const fleetSettings = {
  zone: Nullable(Zone),
  wake_per_minute: Nullable(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'devices woken when a tag is moved; 1000 without it' }),
  ),
  poll_interval_s: Nullable(
    Type.Integer({
      minimum: 60,
      maximum: 604_800,
      description: `seconds between queries of a device; ${usualPollS} without it`,
    }),
  ),
  template: Nullable(Type.Enum([...templateNames], { description: 'of rollouts that name no settings' })),
  settings: Nullable(RolloutSettingsInput),
};

export const FleetSettings = Type.Object(fleetSettings);
export type FleetSettings = Static<typeof FleetSettings>;

export const TemplateRecord = Type.Object({
  name: Type.Enum([...templateNames]),
  title: Type.String(),
  summary: Type.String(),
  settings: RolloutSettingsInput,
});
export type TemplateRecord = Static<typeof TemplateRecord>;

/** A device held at a bundle. */
export const PinRecord = Type.Object({
  bundle_id: Id,
  bundle: Type.String({ description: 'version of the bundle' }),
  reason: Type.String(),
  until: Nullable(Timestamp),
});

export const FreezeRecord = Type.Object({
  reason: Type.String(),
  until: Nullable(Timestamp),
  created_at: Timestamp,
});

export const FrozenProduct = Type.Object({
  product_id: Id,
  product: Type.String({ description: 'full code' }),
  everywhere: Type.Boolean({ description: 'by the emergency stop of everything' }),
  ...FreezeRecord.properties,
});

/** Which bundle a device gets, and why. */
export const SelectionRecord = Type.Object({
  by: Type.Enum(['blocked', 'pin', 'freeze', 'rollout', 'tag', 'release', 'none']),
  reason: Type.String({ description: 'in a sentence' }),
  bundle_id: Nullable(Id),
  bundle: Nullable(Type.String({ description: 'version of the bundle' })),
  rollout_id: Nullable(Id),
  pin: Nullable({ ...PinRecord, description: 'where the device is pinned, also while a freeze decides' }),
  waits: Nullable(
    Type.Object(
      {
        rollout_id: Id,
        reason: Type.String({ description: 'in a sentence' }),
        until: Nullable(Timestamp),
      },
      { description: 'what else a rollout would bring, and what the device waits for' },
    ),
  ),
});
export type SelectionRecord = Static<typeof SelectionRecord>;

const until = Type.Optional(
  Nullable(Type.Integer({ minimum: 0, maximum: 9_007_199_254_740_991, description: 'epoch ms' })),
);
const reason = Text(500, { minLength: 1 });
const shared = {
  tag: 'Fleet',
  scope: 'operate',
  limited: ['product_id'],
  access: 'product.fleet',
  audit: { what: 'product', id: 'params.product_id' },
} as const;

/** What holds for whole fleets, and what holds devices where they are; a part of the contract of rollouts. */
export const holdsContract = endpoints(shared, {
  stop: {
    route: 'POST /api/products/{product_id}/stop',
    summary: 'Emergency stop: pause every rollout of a product, and freeze it without an end',
    body: Type.Object({ reason }),
    reply: Type.Object({ paused: Type.Integer({ description: 'rollouts that ran' }) }),
  },
  templates: {
    route: 'GET /api/rollout-templates',
    limited: 'open',
    access: 'user.self',
    summary: 'List the ready settings of rollouts',
    reply: Type.Array(TemplateRecord),
    errors: [401],
  },
  fleetSettings: {
    route: 'GET /api/products/{product_id}/fleet',
    summary:
      'What holds for the fleet of a product: time zone, pace of waking, poll interval, rollouts without settings',
    reply: FleetSettings,
  },
  setFleetSettings: {
    route: 'PUT /api/products/{product_id}/fleet',
    audit: { what: 'product', id: 'params.product_id', read: 'fleetSettings' },
    summary: 'Set what holds for the fleet of a product; what is left out stays',
    body: Type.Partial(FleetSettings),
    reply: FleetSettings,
  },
  stopAll: {
    route: 'POST /api/stop',
    limited: 'closed',
    access: 'fleet.stop',
    audit: { what: 'service' },
    summary: 'Emergency stop of everything: pause every rollout and freeze every product, for administrators',
    body: Type.Object({ reason }),
    reply: Type.Object({
      paused: Type.Integer({ description: 'rollouts that ran' }),
      frozen: Type.Integer({ description: 'products that were not frozen before' }),
    }),
    errors: [400, 401, 403],
  },
  liftStop: {
    route: 'DELETE /api/stop',
    limited: 'closed',
    access: 'fleet.stop',
    audit: { what: 'service' },
    summary: 'Thaw the products that the emergency stop of everything has frozen; rollouts stay paused',
    reply: Type.Object({ thawed: Type.Integer({ description: 'products' }) }),
    errors: [401, 403],
  },
  freeze: {
    route: 'PUT /api/products/{product_id}/freeze',
    audit: { what: 'product', id: 'params.product_id', read: 'frozen' },
    summary: 'Offer nothing new to the devices of a product, until a time or until it is thawed',
    body: Type.Object({ reason, until }),
    reply: FreezeRecord,
  },
  freezes: {
    route: 'GET /api/freezes',
    access: 'filtered',
    summary: 'List the products that are frozen, of those whose fleet you manage',
    ...pageOf(FrozenProduct, sortBy(['created_at'], '-created_at'), {
      product_id: Type.Optional(Id),
      everywhere: Type.Optional(Type.Boolean({ description: 'by the emergency stop of everything, or not by it' })),
    }),
  },
  frozen: {
    route: 'GET /api/products/{product_id}/freeze',
    summary: 'The freeze of a product; 404 without one',
    reply: FreezeRecord,
  },
  thaw: {
    route: 'DELETE /api/products/{product_id}/freeze',
    audit: { what: 'product', id: 'params.product_id', read: 'frozen' },
    summary: 'End the freeze of a product',
  },
  pin: {
    route: 'PUT /api/devices/{device_id}/pin',
    limited: ['device_id', 'bundle_id'],
    access: 'device.pin',
    audit: { what: 'device', id: 'params.device_id', read: 'pinned' },
    summary: 'Hold a device at a published bundle of its product: no rollout or tag moves it',
    body: Type.Object({ bundle_id: Id, reason, until }),
    reply: PinRecord,
  },
  pinned: {
    route: 'GET /api/devices/{device_id}/pin',
    limited: ['device_id'],
    access: 'device.read',
    summary: 'The pin of a device; 404 without one',
    reply: PinRecord,
  },
  unpin: {
    route: 'DELETE /api/devices/{device_id}/pin',
    limited: ['device_id'],
    access: 'device.pin',
    audit: { what: 'device', id: 'params.device_id', read: 'pinned' },
    summary: 'Let a pinned device go',
  },
  selection: {
    route: 'GET /api/devices/{device_id}/selection',
    limited: ['device_id'],
    access: 'device.read',
    spec: ['API-RULE-selection-1'],
    summary: 'Which bundle a device gets that asks for none, and why',
    reply: SelectionRecord,
  },
});
