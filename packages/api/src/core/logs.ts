import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { Id, Nullable, pageQuery, Text, Timestamp } from '../fields.ts';

/** Every type of event. Reference: events 1.1. */
export const logTypes = [
  'user.login',
  'user.login_failed',
  'user.create',
  'user.update',
  'user.delete',
  'token.create',
  'token.revoke',
  'broadcast.create',
  'broadcast.revoke',
  'invitation.create',
  'invitation.revoke',
  'authority.rotate',
  'authority.retire',
  'device.provision',
  'device.certificate',
  'device.cloned',
  'device.first_contact',
  'device.claim',
  'device.activate',
  'device.reset',
  'device.update',
  'device.tag',
  'device.delete',
  'device.state',
  'device.pin',
  'device.online',
  'device.offline',
  'device.file_write',
  'device.file_delete',
  'device.command',
  'device.message',
  'device.data_activate',
  'device.data_deactivate',
  'device.control',
  'door.open',
  'door.token',
  'door.decide',
  'ota.ask',
  'ota.check',
  'ota.none',
  'ota.start',
  'ota.ok',
  'ota.fail',
  'platform.create',
  'platform.update',
  'firmware.create',
  'product.create',
  'product.update',
  'product.state',
  'product.delete',
  'product.user_add',
  'product.user_remove',
  'bundle.create',
  'bundle.state',
  'bundle.tag',
  'resource.add',
  'resource.delete',
  'rollout.create',
  'rollout.act',
  'rollout.state',
  'rollout.device',
  'rollout.freeze',
  'alert.rule',
  'alert.raise',
  'alert.grow',
  'alert.clear',
  'alert.mail',
  'alert.acknowledge',
  'asset.write',
  'asset.delete',
  'connector.create',
  'connector.update',
  'connector.delete',
  'connector.error',
  'activation_token.create',
  'activation_token.revoke',
  'activation_token.use',
  'customer.create',
  'customer.update',
] as const;
export type LogType = (typeof logTypes)[number];

export const logLevels = ['info', 'warning', 'error'] as const;

/** Record of a log. Reference: records 1.8. */
export const LogRecord = Type.Object({
  id: Id,
  type: Type.String({ examples: ['ota.ok'] }),
  level: Type.Enum([...logLevels]),
  message: Type.String(),
  user_id: Nullable(Id),
  user: Nullable(Type.String()),
  device_id: Nullable(Id),
  device: Nullable(Type.String({ description: 'title of the device' })),
  product_id: Nullable(Id),
  product: Nullable(Type.String({ description: 'full code of the product' })),
  bundle_id: Nullable(Id),
  ip: Nullable(Type.String()),
  client: Nullable(Type.String()),
  data: Type.Record(Type.String(), Type.Unknown()),
  created_at: Timestamp,
});
export type LogRecord = Static<typeof LogRecord>;

/** A moment in a query, epoch milliseconds. */
export const TimeQuery = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 9_007_199_254_740_991, description }));

/** How far into a list of logs a page may begin, and where its count ends. Spec: API-LIMIT-logs. */
export const logsDepthLimit = 10_000;

/** Where in a list of logs a page ends: the moment and the id of its last row. Spec: API-RULE-log-4. */
export const LogCursor = Type.String({
  pattern: '^\\d{1,15}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  description: 'the list from behind this row on, as the header Link of a page names it; `offset` counts from there',
  examples: ['1700000000000_6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e'],
});

const listQuery = Type.Object({
  ...pageQuery,
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: logsDepthLimit, default: 0 })),
  sort: Type.Optional(Type.Enum(['created_at', '-created_at'], { default: '-created_at' })),
  q: Type.Optional(Text(200, { description: 'part of the message, in any letter case' })),
  type: Type.Optional(Type.Enum([...logTypes])),
  level: Type.Optional(Type.Enum([...logLevels])),
  device_id: Type.Optional(Id),
  product_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
  user: Type.Optional(Text(64, { description: 'user name of the person who did it' })),
  from: TimeQuery('from this moment on, epoch milliseconds'),
  to: TimeQuery('before this moment, epoch milliseconds'),
  after: Type.Optional(LogCursor),
});
export type LogListQuery = Static<typeof listQuery>;

const shared = { tag: 'Logs', access: 'filtered' } as const;

/** What has happened, as far as the caller may know. Reference: events 1.2. */
export const logsContract = endpoints(shared, {
  list: {
    route: 'GET /api/logs',
    limited: ['device_id', 'product_id'],
    spec: ['API-RULE-log-1', 'API-RULE-log-2', 'API-RULE-log-4', 'API-LIMIT-logs'],
    summary: 'List what you did, and what happened to your devices and products',
    description:
      'Update checks (`ota.check`, `ota.none`) and messages of devices (`device.message`) are listed only when their ' +
      'type is asked for. The total stops at 10,000; the header Link leads on behind that. A search looks through so ' +
      'many rows at a time, and Link leads on to those that it has not looked at.',
    query: listQuery,
    reply: Type.Array(LogRecord),
    paged: true,
  },
  get: {
    route: 'GET /api/logs/{log_id}',
    limited: 'closed',
    summary: 'One log',
    reply: LogRecord,
    errors: [400, 401, 404],
  },
});
