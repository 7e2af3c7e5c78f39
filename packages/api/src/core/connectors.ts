import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { Id, Nullable, pageOf, sortBy, Text, Timestamp, Title } from '../fields.ts';
import { ruled } from '../patterns.ts';
import { spelt } from '../spellings.ts';
import { type LogType, logTypes } from './logs.ts';

export const connectorTypes = ['webhook', 'mqtt'] as const;
export type ConnectorType = (typeof connectorTypes)[number];

const eventGroups = ['device', 'ota', 'product', 'bundle', 'rollout', 'alert', 'resource', 'asset', 'activation_token'];
const quietEvents: readonly LogType[] = ['device.message', 'ota.check', 'ota.none'];

/** Log types that a connector can send: those of its product, without what comes too often or is its own doing. */
export const connectorEvents = logTypes.filter(
  (type) => eventGroups.includes(type.split('.')[0] ?? '') && !quietEvents.includes(type),
);

const common = {
  timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 30_000, default: 10_000 })),
  events: Type.Optional(
    Type.Array(Type.Enum([...connectorEvents]), { maxItems: connectorEvents.length, uniqueItems: true }),
  ),
};

/** Name of an HTTP header. */
const headerName = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$";

/** Options of each type; whatever else is sent is refused: it would look as if it had an effect. Reference: events 2.1. */
export const connectorOptions = {
  webhook: Type.Object(
    {
      type: Type.Optional(Type.Literal('webhook')),
      url: Type.String({
        maxLength: 2048,
        pattern: '^https?://[^\\s@\\u0000]+$',
        ...ruled({ format: 'uri' }),
        examples: ['https://example.com/hook'],
      }),
      method: Type.Optional(Type.Enum(['POST', 'PUT'], { default: 'POST' })),
      headers: Type.Optional(
        Type.Record(
          Type.String({ pattern: headerName }),
          Type.String({ maxLength: 2048, pattern: '^[\\t\\x20-\\x7e]*$' }),
          {
            maxProperties: 20,
            additionalProperties: false,
          },
        ),
      ),
      secret: Type.Optional(Text(256)),
      ...common,
    },
    { additionalProperties: false },
  ),
  mqtt: Type.Object(
    {
      type: Type.Literal('mqtt'),
      url: Type.String({
        maxLength: 2048,
        pattern: '^mqtts?://[^\\s@/\\u0000]+/?$',
        ...ruled({ format: 'uri' }),
        examples: ['mqtts://broker.example.com'],
      }),
      username: Type.Optional(Text(256)),
      password: Type.Optional(Text(256)),
      topic: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          pattern: '^[^+#\\u0000]+$',
          default: 'moorage/{product}/{device}/{event}',
          description: '{product}, {device}, {code} and {event} are filled in',
        }),
      ),
      qos: Type.Optional(Type.Integer({ minimum: 0, maximum: 2, default: 0 })),
      ca: Type.Optional(Text(16_384, { description: 'certificate of the authority to trust, PEM' })),
      home_assistant: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'announces the devices of the product as Home Assistant finds them',
        }),
      ),
      discovery_prefix: Type.Optional(
        Type.String({
          maxLength: 64,
          pattern: '^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$',
          default: 'homeassistant',
          description: 'where Home Assistant looks for devices',
        }),
      ),
      ...common,
    },
    { additionalProperties: false },
  ),
} as const satisfies Record<ConnectorType, Type.TObject>;

export type WebhookOptions = Static<typeof connectorOptions.webhook>;
export type MqttOptions = Static<typeof connectorOptions.mqtt>;
export type ConnectorOptions = WebhookOptions | MqttOptions;

/** Record of a connector. Reference: records 1.7. */
export const ConnectorRecord = Type.Object({
  id: Id,
  product_id: Id,
  product: Type.String({ description: 'full code of the product' }),
  title: Type.String(), // API-FIELD-connector-title
  code: Type.String(), // API-FIELD-connector-code
  type: Type.Enum([...connectorTypes]),
  opts: Type.Record(Type.String(), Type.Unknown(), { description: 'secrets and values of headers read ***' }),
  state: Type.Enum(['ok', 'failing', 'unused'], { description: 'unused: it was never called' }),
  last_used_at: Nullable(Timestamp),
  last_error: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ConnectorRecord = Static<typeof ConnectorRecord>;

/** One thing sent, or waiting to be sent, through a connector. */
export const DeliveryRecord = Type.Object({
  id: Id,
  event: Type.String({ description: 'type of the log; "message" for a message of a device, "test" for a test call' }),
  log_id: Nullable(Id),
  device_id: Nullable(Id),
  state: Type.Enum(['waiting', 'done', 'failed']),
  attempts: Type.Integer(),
  due_at: Nullable(Timestamp),
  status: Nullable(Type.Integer({ description: 'HTTP status of the last answer' })),
  error: Nullable(Type.String()),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
});
export type DeliveryRecord = Static<typeof DeliveryRecord>;

const shared = {
  tag: 'Connectors',
  scope: 'administer',
  limited: ['connector_id'],
  access: 'product.connectors',
  audit: { what: 'connector', id: 'params.connector_id', read: 'get' },
} as const;

const fields = {
  title: Title(128),
  code: Type.String({
    pattern: '^[A-Za-z0-9_.-]{1,64}$',
    ...spelt('code'),
    description: 'kept in upper case; unique in the product',
  }),
  // API-FIELD-connector-opts: checked by the schema of its type, so that a refusal names the field.
  opts: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      ...ruled({ anyOf: [connectorOptions.webhook, connectorOptions.mqtt] }),
      description:
        'Of a webhook (the default type): url, method, headers, secret, timeout_ms, events. Of type mqtt: url, ' +
        'username, password, topic, qos, ca, home_assistant, discovery_prefix, timeout_ms, events. A value read as *** and sent back stays as it is.',
      examples: [
        { type: 'webhook', url: 'https://example.com/hook', secret: 'shared', events: ['ota.ok', 'ota.fail'] },
      ],
    }),
  ),
};
const body = Type.Object(fields);
/** A new one needs its target. */
const newBody = Type.Object(fields, ruled({ required: ['title', 'code', 'opts'] }));

/** Links of products to data services outside. Reference: events 2.1. */
export const connectorsContract = endpoints(shared, {
  list: {
    route: 'GET /api/products/{product_id}/connectors',
    limited: ['product_id'],
    summary: 'List the connectors of a product',
    ...pageOf(ConnectorRecord, sortBy(['created_at', 'code', 'title'], '-created_at')),
  },
  create: {
    route: 'POST /api/products/{product_id}/connectors',
    limited: ['product_id'],
    audit: { what: 'connector', id: 'made' },
    spec: ['API-RULE-connector-1'],
    summary: 'Add a connector',
    body: newBody,
    reply: ConnectorRecord,
    errors: [400, 401, 403, 404, 409],
  },
  get: {
    route: 'GET /api/connectors/{connector_id}',
    spec: ['API-RULE-connector-2'],
    summary: 'One connector',
    reply: ConnectorRecord,
  },
  update: {
    route: 'PUT /api/connectors/{connector_id}',
    spec: ['API-RULE-connector-2'],
    summary: 'Change a connector',
    body,
    reply: ConnectorRecord,
    errors: [400, 401, 403, 404, 409],
  },
  remove: {
    route: 'DELETE /api/connectors/{connector_id}',
    summary: 'Delete a connector that no alert rule sends by, and what waits to be delivered through it',
    errors: [400, 401, 403, 404, 409],
  },
  test: {
    route: 'POST /api/connectors/{connector_id}/test',
    audit: { none: 'sends an event, as the list of deliveries shows' },
    spec: ['API-ERR-502', 'API-ERR-504'],
    summary: 'Send a test event through a connector, once and at once',
    reply: Type.Object({
      result: Type.Literal('ok'),
      status: Nullable(Type.Integer({ description: 'HTTP status of the answer' })),
    }),
    errors: [400, 401, 403, 404, 502, 504],
  },
  deliveries: {
    route: 'GET /api/connectors/{connector_id}/deliveries',
    summary: 'What was sent through a connector in the last 7 days, and what waits',
    ...pageOf(DeliveryRecord, sortBy(['created_at'], '-created_at'), {
      state: Type.Optional(Type.Enum(['waiting', 'done', 'failed'])),
    }),
  },
});
