import Type, { type Static } from 'typebox';
import { dataName } from '../core/capabilities.ts';
import { endpoints } from '../endpoint.ts';
import { Id, Nullable, pageOf, sortBy, Timestamp, Title } from '../fields.ts';

/** Longest time that a condition has to hold, in minutes: 30 days. */
const longestMinutes = 43_200;
const minutes = (description: string) => Type.Integer({ minimum: 1, maximum: longestMinutes, description });

/** What is wrong with a device, so that a rule is about it. */
export const AlertCondition = Type.Union([
  Type.Object({ kind: Type.Literal('silent') }, { description: 'silent by its own interval, as its health says' }),
  Type.Object({ kind: Type.Literal('offline'), minutes: minutes('for longer than this') }),
  Type.Object({ kind: Type.Literal('update_failed') }),
  Type.Object({
    kind: Type.Literal('stream'),
    stream: Type.String({ pattern: dataName, description: 'name of a stream of numbers' }),
    side: Type.Enum(['above', 'below']),
    limit: Type.Number({ minimum: -1e15, maximum: 1e15 }),
    minutes: minutes('all the time, for as long as this'),
  }),
]);
export type AlertCondition = Static<typeof AlertCondition>;

/** Connectors that one rule may send through. */
const connectorsLimit = 10;
/** Addresses that one rule may write to. */
const addressesLimit = 10;
/** An address and nothing else, so that it cannot be taken for a list or a header. */
const MailAddress = Type.String({
  maxLength: 254,
  pattern: '^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,187}[A-Za-z0-9])?$',
  examples: ['watch@example.com'],
});

const ruleFields = {
  title: Title(128),
  segment_id: Type.Optional(Nullable(Id)),
  condition: AlertCondition,
  at_least: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 1,
      description: 'devices at once before there is an alert',
    }),
  ),
  gather_minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_440,
      default: 10,
      description: 'devices that follow the first within this time are of the same alert',
    }),
  ),
  connectors: Type.Optional(
    Type.Array(Id, { maxItems: connectorsLimit, description: 'connectors of the product that send the messages' }),
  ),
  mail_to: Type.Optional(
    Type.Array(MailAddress, { maxItems: addressesLimit, description: 'addresses that get the messages by mail' }),
  ),
  enabled: Type.Optional(Type.Boolean({ default: true })),
};

/** What shall be watched, and who gets the messages. */
export const AlertRuleRecord = Type.Object({
  id: Id,
  product_id: Id,
  product: Type.String({ description: 'full code of the product' }),
  title: Type.String(),
  segment_id: Nullable(Id),
  segment: Nullable(Type.String({ description: 'title of the segment' })),
  condition: AlertCondition,
  at_least: Type.Integer(),
  gather_minutes: Type.Integer(),
  connectors: Type.Array(Id),
  mail_to: Type.Array(Type.String({ description: 'address' })),
  mail_unconfirmed: Type.Array(Type.String(), {
    description: 'those of them that get nothing before the link is used that they were mailed',
  }),
  enabled: Type.Boolean(),
  silenced_until: Nullable(Type.String({ description: 'no messages before this moment, epoch milliseconds' })),
  open: Type.Integer({ description: 'alerts of this rule that are open' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type AlertRuleRecord = Static<typeof AlertRuleRecord>;

/** What has gone wrong on one or more devices at about the same time. */
export const AlertRecord = Type.Object({
  id: Id,
  rule_id: Id,
  rule: Type.String({ description: 'title of the rule' }),
  product_id: Id,
  product: Type.String({ description: 'full code of the product' }),
  text: Type.String({ description: 'what is wrong, for people' }),
  state: Type.Enum(['open', 'over']),
  devices: Type.Integer({ description: 'devices that it has been about' }),
  devices_open: Type.Integer({ description: 'devices that it is about still' }),
  opened_at: Timestamp,
  over_at: Nullable(Timestamp),
  acknowledged_at: Nullable(Timestamp),
  acknowledged_by: Nullable(Type.String({ description: 'user name' })),
  silenced_until: Nullable(Type.String({ description: 'that of its rule, epoch milliseconds' })),
});
export type AlertRecord = Static<typeof AlertRecord>;

/** A device of an alert. */
export const AlertDevice = Type.Object({
  device_id: Id,
  device: Type.String({ description: 'title of the device' }),
  since: Timestamp,
  over_at: Nullable(Timestamp),
});
export type AlertDevice = Static<typeof AlertDevice>;

const shared = {
  tag: 'Alerts',
  scope: 'administer',
  limited: ['alert_id'],
  access: 'product.fleet',
  audit: { what: 'alert_rule', id: 'params.rule_id' },
} as const;

/** Rules over the devices of products, and what they find. Reference: events 3. */
export const alertsContract = endpoints(shared, {
  rules: {
    route: 'GET /api/products/{product_id}/alert-rules',
    limited: ['product_id'],
    summary: 'List the alert rules of a product',
    ...pageOf(AlertRuleRecord, sortBy(['created_at', 'title'], '-created_at')),
  },
  createRule: {
    route: 'POST /api/products/{product_id}/alert-rules',
    limited: ['product_id', 'segment_id'],
    audit: { what: 'alert_rule', id: 'made' },
    spec: [
      'API-RULE-alert-1',
      'API-RULE-alert-5',
      'API-RULE-alert-6',
      'API-LIMIT-alert-rules',
      'API-LIMIT-alert-links',
    ],
    summary: 'Watch the devices of a product, or of a segment of it',
    body: Type.Object(ruleFields),
    reply: AlertRuleRecord,
    errors: [400, 401, 403, 404, 409],
  },
  updateRule: {
    route: 'PUT /api/alert-rules/{rule_id}',
    limited: ['rule_id', 'segment_id'],
    spec: ['API-RULE-alert-1', 'API-RULE-alert-6'],
    summary: 'Change an alert rule; its open alerts are judged by what it says then',
    body: Type.Object(ruleFields),
    reply: AlertRuleRecord,
    errors: [400, 401, 403, 404, 409],
  },
  removeRule: {
    route: 'DELETE /api/alert-rules/{rule_id}',
    limited: ['rule_id'],
    summary: 'Delete an alert rule with its alerts',
  },
  silence: {
    route: 'POST /api/alert-rules/{rule_id}/silence',
    scope: 'operate',
    limited: ['rule_id'],
    spec: ['API-RULE-alert-3'],
    summary: 'Send no messages of a rule before a moment; null ends the silence',
    description: 'What it finds is recorded all the same. What is open when the silence is over is told then.',
    body: Type.Object({
      until: Nullable(Type.Integer({ minimum: 0, maximum: 9_007_199_254_740_991, description: 'epoch milliseconds' })),
    }),
    reply: AlertRuleRecord,
  },
  list: {
    route: 'GET /api/alerts',
    limited: ['product_id'],
    access: 'filtered',
    summary: 'List the alerts of the products whose fleet you manage, newest first',
    ...pageOf(AlertRecord, sortBy(['opened_at'], '-opened_at'), {
      product_id: Type.Optional(Id),
      state: Type.Optional(Type.Enum(['open', 'over'])),
      unseen: Type.Optional(
        Type.Boolean({
          description: 'true: open, neither acknowledged nor silenced, as the bell of the console counts',
        }),
      ),
    }),
  },
  get: {
    route: 'GET /api/alerts/{alert_id}',
    summary: 'One alert',
    reply: AlertRecord,
  },
  devices: {
    route: 'GET /api/alerts/{alert_id}/devices',
    summary: 'List the devices of an alert, those that it is about still first',
    ...pageOf(AlertDevice, sortBy(['since'], '-since')),
  },
  acknowledge: {
    route: 'POST /api/alerts/{alert_id}/acknowledge',
    scope: 'operate',
    audit: { what: 'alert', id: 'params.alert_id' },
    spec: ['API-RULE-alert-3'],
    summary: 'Say that you look after an alert: the bell counts it no more, and it is not told again when it grows',
    reply: AlertRecord,
  },
});
