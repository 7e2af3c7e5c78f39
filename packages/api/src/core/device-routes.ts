import Type, { type Static } from 'typebox';
import { binary, deviceListenerTag, deviceRouteErrors, endpoints, strangerBodyLimitBytes } from '../endpoint.ts';
import { Id, IdOrEmpty, LocationInput, MacAddress, Nullable, ReportedAttributes, Text } from '../fields.ts';
import { spelt } from '../spellings.ts';
import { NoUpdate, reportedFailures, UpdateOffer } from './device-updates.ts';
import { deviceStates, ProductChoice } from './devices.ts';

/** Result codes of the module (Reference: wire 4.1), as `POST /ota/result` carries them. */
export const otaResults = {
  none: 0,
  updated: 1,
  notRequired: 2,
  failed: 3,
  noCredentials: 4,
  joinFailed: 5,
  unreachable: 6,
  unauthorised: 7,
  badRequest: 8,
  notFound: 9,
} as const;

/** Full code of a product, or its short code when that is unique for the caller. */
const ProductCode = Text(120, { minLength: 1, ...spelt('code') });

/** What a device learns about itself. Reference: wire 3.1. */
export const DeviceInfo = Type.Object({
  id: Id,
  uuid: Type.String(),
  title: Type.String(),
  platform: Type.String(),
  product: Type.String(),
  tag: Nullable(Type.String()),
  bundle_id: Nullable(Id),
  state: Type.Enum([...deviceStates]),
  claimable: Type.Boolean(),
});

/** Certificate and key of a device, and the authority that signed them; PEM texts. */
export const DeviceCredentials = Type.Object({
  uuid: Type.String(),
  certificate: Type.String(),
  key: Type.String(),
  ca: Type.String(),
});

const shared = { tag: deviceListenerTag, auth: 'device', errors: deviceRouteErrors } as const;

/** Identity and account of a device, on the device listener. Reference: wire 2.1, 3.1. */
export const deviceRoutesContract = endpoints(
  { ...shared, writes: 'identity' },
  {
    provision: {
      route: 'POST /provision',
      summary: 'Exchange the provisioning token for a certificate and key',
      description: 'The token is sent in the header x-device-token or in the body. It works until it is acknowledged.',
      auth: 'none',
      bodyLimitBytes: strangerBodyLimitBytes,
      body: Type.Object({
        token: Type.Optional(Text(64, { minLength: 1 })),
        uuid: Type.Optional(Text(64, spelt('id'))),
      }),
      reply: DeviceCredentials,
    },
    acknowledge: {
      route: 'PUT /provision',
      summary:
        'Acknowledge the stored certificate; the service erases the token, and retires the certificate before it',
    },
    renew: {
      route: 'POST /certificate',
      summary: 'Get a new certificate and key; the old ones stay good until the new certificate acknowledges itself',
      description: 'A device that shows the old certificate after that is taken for a copy, refused and logged.',
      reply: DeviceCredentials,
    },
    claim: {
      route: 'POST /claim',
      summary: 'Claim the device for a user, or claim and activate it with an activation token',
      body: Type.Union([
        Type.Object({
          username: Text(254, { minLength: 1 }),
          password: Text(1024, { minLength: 1 }),
        }),
        Type.Object({
          product: ProductCode,
          token: Text(64, { minLength: 1 }),
          // With a user name it is a login, whatever else is there.
          username: Type.Optional(Type.Never()),
        }),
      ]),
      reply: Type.Object({ result: Type.Literal('ok'), product: Type.String(), user: Nullable(Type.String()) }),
    },
    activate: {
      route: 'POST /activate',
      summary: 'Activate the device to a product of its owner; an OTA must follow',
      body: Type.Object({ product: ProductCode }),
      reply: Type.Object({
        result: Type.Literal('ok'),
        product: Type.String(),
        bundle: Nullable(Type.String({ description: 'version that an OTA will deliver' })),
      }),
    },
    products: {
      route: 'GET /products',
      summary: 'List the products that the owner may activate the device to',
      reply: Type.Array(Type.Omit(ProductChoice, ['product_id'])),
    },
    info: {
      route: 'GET /info',
      summary: 'Get what the service knows of this device',
      reply: DeviceInfo,
    },
  },
);

/** A file that a device holds already. */
export const HeldFile = Type.Object({
  name: Text(255),
  version: Text(40),
  crc: Type.Integer({ minimum: 0, maximum: 65_535 }),
});

/** Updates over the air, on the device listener. Reference: rules 3.1, wire 3.3. */
export const otaRoutesContract = endpoints(
  { ...shared, writes: 'updates' },
  {
    query: {
      route: 'POST /ota',
      summary: 'Ask whether there is an update, and for its files',
      body: Type.Object({
        bid: Type.Optional(IdOrEmpty('bundle installed now')),
        bundle_id: Type.Optional(IdOrEmpty('a specific published bundle')),
        version: Type.Optional(Text(40, { description: 'a specific published bundle, by version' })),
        force: Type.Optional(Type.Boolean({ description: 'offer the bundle even when it runs already' })),
        bversion: Type.Optional(Text(255, { description: 'version text of what runs now' })),
        mac: Type.Optional(MacAddress),
        location: Type.Optional(LocationInput),
        attributes: Type.Optional(ReportedAttributes),
        files: Type.Optional(Type.Array(HeldFile, { maxItems: 1000, description: 'files the device holds already' })),
      }),
      reply: Type.Union([NoUpdate, UpdateOffer]),
    },
    file: {
      route: 'GET /ota/{bundle_id}/{name*}',
      summary: 'Get a file of the bundle on offer; Range is honoured',
      params: { name: Text(255, { minLength: 1 }) },
      reply: binary(),
    },
    report: {
      route: 'POST /ota/result',
      summary: 'Report how the update went: before the restart with the old version text, after it with the new one',
      body: Type.Object({
        bundle_id: Id,
        result: Type.Integer({ minimum: 0, maximum: 9, description: 'result code of the module' }),
        bversion: Text(255, { description: 'version text of what runs now' }),
        failure: Type.Optional(
          Type.Enum([...reportedFailures], {
            description:
              'in which way it failed, beside a code of failure: health is of a bundle that runs and does not work, refused of a device or user that does not want it',
          }),
        ),
      }),
    },
  },
);

export type DeviceCredentials = Static<typeof DeviceCredentials>;
export type DeviceInfo = Static<typeof DeviceInfo>;
export type HeldFile = Static<typeof HeldFile>;
export type OtaQuery = Static<(typeof otaRoutesContract)['query']['body']>;
export type OtaReport = Static<(typeof otaRoutesContract)['report']['body']>;
