import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { Id, MacAddress, Nullable, pageOf, sortBy, Text, Timestamp, Title } from '../fields.ts';

/** Modules of one report, and gateways of one user that have found some. Spec: API-LIMIT-gateways. */
export const foundLimit = 256;
export const gatewaysLimit = 16;

/** How long a module is shown behind the last report of its gateway, in ms. */
export const foundForMs = 600_000;

/** Where users put what an adopted module measures, among the files of its device. Its gateway hears of a change. */
export const gatewayStreamsPath = 'gateway/streams.json';

const seen = {
  address: Text(256, { minLength: 1, description: 'way to its command line', examples: ['http://192.168.1.62:80'] }),
  version: Text(256, { description: 'the version line' }),
  board: Text(64),
  ssid: Text(64),
  signal: Type.Integer({ minimum: -200, maximum: 0, description: 'in dBm' }),
  has_password: Type.Boolean({ description: 'its command line wants a password' }),
  problem: Text(1_000, { description: 'why it could not be adopted' }),
};

/** A module as a gateway tells of it. */
export const SeenModule = Type.Object({
  address: seen.address,
  mac: Type.Optional(MacAddress),
  version: Type.Optional(seen.version),
  board: Type.Optional(seen.board),
  ssid: Type.Optional(seen.ssid),
  signal: Type.Optional(seen.signal),
  has_password: Type.Optional(seen.has_password),
  problem: Type.Optional(seen.problem),
});
export type SeenModule = Static<typeof SeenModule>;

/** A real module that a gateway has found and does not stand for. Reference: records 1.12. */
export const FoundRecord = Type.Object({
  id: Id,
  gateway_id: Id,
  gateway: Type.String({ description: 'what the gateway calls itself' }),
  address: Type.String(),
  mac: Nullable(Type.String()),
  version: Nullable(Type.String()),
  board: Nullable(Type.String()),
  ssid: Nullable(Type.String()),
  signal: Nullable(Type.Integer({ description: 'in dBm' })),
  has_password: Nullable(Type.Boolean()),
  product_id: Nullable(Id),
  product: Nullable(
    Type.String({ description: 'the product that it is to become a device of, once that is asked for' }),
  ),
  problem: Nullable(Type.String({ description: 'why it could not be adopted' })),
  seen_at: Timestamp,
});
export type FoundRecord = Static<typeof FoundRecord>;

const shared = { tag: 'User', limited: 'closed', access: 'user.self' } as const;

/** Gateways of the caller, which stand for real modules: what they have found, and what they are to adopt. */
export const gatewaysContract = endpoints(shared, {
  report: {
    route: 'PUT /api/user/gateways/{gateway_id}/found',
    scope: 'operate',
    audit: { none: 'a gateway says what it hears, again and again' },
    ofDevices: true,
    spec: ['API-RULE-gateways-1', 'API-LIMIT-gateways'],
    summary: 'Say which modules a gateway has found and does not stand for; the answer says which it is to adopt',
    description: 'All of them each time: what is left out is forgotten. Passwords of modules never come here.',
    body: Type.Object({ gateway: Title(64), modules: Type.Array(SeenModule, { maxItems: foundLimit }) }),
    reply: Type.Object({
      adopt: Type.Array(Type.Object({ address: Type.String(), mac: Nullable(Type.String()), product_id: Id })),
    }),
    errors: [400, 401, 409],
  },
  found: {
    route: 'GET /api/user/found-modules',
    spec: ['API-RULE-gateways-1'],
    summary: 'Real modules that gateways of the caller have found in the last ten minutes and do not stand for',
    ...pageOf(FoundRecord, sortBy(['address', 'seen_at'], 'address')),
  },
  adopt: {
    route: 'POST /api/user/found-modules/{found_id}/adopt',
    scope: 'administer',
    limited: ['product_id'],
    access: 'token.activation.create',
    audit: { what: 'found_module', id: 'params.found_id' },
    spec: ['API-RULE-gateways-1'],
    summary: 'Have the gateway adopt a module that it has found, as a device of a product',
    description: 'The gateway hears of it with its next report, and has 10 s between them.',
    body: Type.Object({ product_id: Id }),
    reply: FoundRecord,
    errors: [400, 401, 403, 404, 409],
  },
});
