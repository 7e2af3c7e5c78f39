import Type, { type Static } from 'typebox';
import { binary, endpoints, strangerBodyLimitBytes } from '../endpoint.ts';
import { Id, ManyResult, Nullable, pageOf, sortBy, Text, Timestamp } from '../fields.ts';
import { ruled } from '../patterns.ts';
import { spelt } from '../spellings.ts';
import { Capabilities, DataValue, dataName, messageLimitBytes } from './capabilities.ts';

const params = {
  device_id: Text(64, { ...spelt('device'), description: 'id or uuid' }),
  name: Type.String({ pattern: dataName }),
};

const described = {
  name: Type.String(),
  title: Nullable(Type.String()),
  type: Type.Enum(['number', 'string']),
  units: Nullable(Type.String()),
  min: Nullable(Type.Number()),
  max: Nullable(Type.Number()),
};

/** A stream with its last sample. */
export const StreamRecord = Type.Object({
  ...described,
  last: Nullable(Type.Object({ at: Timestamp, value: DataValue })),
});
export type StreamRecord = Static<typeof StreamRecord>;

/** A sample, or what an interval of them comes to. */
export const SampleRecord = Type.Object({
  at: Timestamp,
  value: DataValue,
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  count: Type.Optional(Type.Integer()),
});
export type SampleRecord = Static<typeof SampleRecord>;

/** A control with its last value; `at` is null while it has its default. */
export const ControlRecord = Type.Object({
  ...described,
  value: Nullable(DataValue),
  at: Nullable(Timestamp),
  source: Nullable(Type.Enum(['device', 'user'])),
  /** The device has fetched, or been sent, the last value. */
  delivered: Type.Boolean(),
});
export type ControlRecord = Static<typeof ControlRecord>;

export const messageBoxes = ['to-device', 'from-device'] as const;
export type MessageBox = (typeof messageBoxes)[number];

/** A message of a device's box, without its bytes. */
export const MessageRecord = Type.Object({
  id: Id,
  box: Type.Enum([...messageBoxes]),
  length: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String()),
  created_at: Timestamp,
});
export type MessageRecord = Static<typeof MessageRecord>;

const headers = Type.Optional(Type.Record(Text(64), Text(256), { maxProperties: 16 }));
const shared = {
  params,
  tag: 'Data of devices',
  scope: 'operate',
  limited: ['device_id'],
  access: 'device.read',
} as const;

/** Streams, controls, messages and capabilities of a device, for its users. Reference: data-cloud 3.3. */
export const dataContract = endpoints(shared, {
  capabilities: {
    route: 'GET /api/devices/{device_id}/capabilities',
    summary: 'What the device can do, and whether it is activated at the data cloud',
    reply: Type.Object({
      activated: Type.Boolean(),
      activated_at: Nullable(Timestamp),
      user: Nullable(Type.String()),
      capabilities: Nullable(Capabilities),
    }),
  },
  streams: {
    route: 'GET /api/devices/{device_id}/streams',
    summary: 'List the streams of a device with their last samples',
    reply: Type.Array(StreamRecord),
  },
  samples: {
    route: 'GET /api/devices/{device_id}/streams/{name}',
    summary: 'Samples of a stream, oldest first: the newest of a range, or one value for each interval of it',
    query: Type.Object({
      from: Type.Optional(Type.Integer({ minimum: 0, description: 'epoch milliseconds' })),
      to: Type.Optional(Type.Integer({ minimum: 0, description: 'epoch milliseconds; not itself included' })),
      interval: Type.Optional(
        Type.Integer({
          minimum: 1000,
          maximum: 31_536_000_000,
          description: 'milliseconds; numbers are averaged, of texts the last counts',
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1000 })),
    }),
    reply: Type.Array(SampleRecord),
  },
  controls: {
    route: 'GET /api/devices/{device_id}/controls',
    summary: 'List the controls of a device with their values',
    reply: Type.Array(ControlRecord),
  },
  setControl: {
    route: 'PUT /api/devices/{device_id}/controls/{name}',
    access: 'device.update',
    audit: { what: 'device', id: 'params.device_id' },
    summary: 'Set a control; a device on the message channel has it at once',
    body: Type.Object({ value: DataValue }),
    reply: ControlRecord,
    errors: [400, 401, 403, 404, 409],
  },
  controlHistory: {
    route: 'GET /api/devices/{device_id}/controls/{name}/history',
    summary: 'Values that a control has had',
    ...pageOf(
      Type.Object({
        at: Timestamp,
        value: DataValue,
        source: Type.Enum(['device', 'user']),
        user: Nullable(Type.String()),
      }),
      sortBy(['at'], '-at'),
    ),
  },
  messages: {
    route: 'GET /api/devices/{device_id}/messages',
    access: 'device.private',
    summary: 'List the messages of a box of the device',
    ...pageOf(MessageRecord, sortBy(['created_at'], '-created_at'), {
      box: Type.Optional(Type.Enum([...messageBoxes])),
    }),
  },
  postMessage: {
    route: 'POST /api/devices/{device_id}/messages',
    access: 'device.update',
    audit: { what: 'message', id: 'made' },
    summary: 'Put a message into the box of the device; the oldest gives way when the box is full',
    body: Type.Object({
      data: Text(messageLimitBytes, {
        ...ruled({ 'x-max-bytes': messageLimitBytes }),
        description: `at most ${messageLimitBytes} bytes as UTF-8`,
      }),
      headers,
    }),
    reply: MessageRecord,
    errors: [400, 401, 403, 404, 409, 413],
  },
  message: {
    route: 'GET /api/devices/{device_id}/messages/{message_id}',
    access: 'device.private',
    summary: 'One message with its text',
    reply: Type.Object({ ...MessageRecord.properties, data: Type.String() }),
  },
  live: {
    route: 'GET /api/devices/{device_id}/live',
    summary: 'Server-sent events of a device: samples, control, message, online, telemetry, update',
    reply: binary('text/event-stream'),
    errors: [400, 401, 403, 404, 409],
  },
  removeMessage: {
    route: 'DELETE /api/devices/{device_id}/messages/{message_id}',
    access: 'device.update',
    audit: { what: 'message', id: 'params.message_id' },
    summary: 'Delete a message',
  },
});

/** Devices that one call runs a command on at most. Spec: API-LIMIT-many-commands. */
export const manyCommandsLimit = 100;
/** What one of many devices may return of its output, in characters; the rest is left out. */
export const manyCommandsOutput = 8_192;

/** What an event stream of a device tells. */
export const liveEventTypes = ['samples', 'control', 'message', 'online', 'telemetry', 'update', 'progress'] as const;
export type LiveEventType = (typeof liveEventTypes)[number];

const channelShared = { params, tag: 'Data of devices', scope: 'operate', limited: ['device_id'] } as const;

/** Commands to devices, and what they tell of themselves, over the message channel. Reference: channel 3.1. */
export const channelContract = endpoints(channelShared, {
  command: {
    route: 'POST /api/devices/{device_id}/command',
    access: 'device.command',
    audit: { what: 'device', id: 'params.device_id' },
    summary: 'Run a command line on the device and return its output',
    body: Type.Object({
      command: Text(1024, { minLength: 1 }),
      timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 120_000, default: 30_000 })),
    }),
    reply: Type.Object({ code: Type.Integer({ description: 'response code of the module' }), data: Type.String() }),
    errors: [400, 401, 403, 404, 409, 503, 504],
  },
  commandMany: {
    route: 'POST /api/devices/command',
    limited: ['device_ids'],
    access: 'filtered',
    audit: { what: 'device', id: 'logged' },
    spec: ['API-LIMIT-many-commands', 'API-RULE-many-devices-2'],
    summary: 'Run a command line on many devices and return the output of each',
    description: 'On all at once. A device that is offline, silent or not yours to command is listed with the reason.',
    body: Type.Object({
      device_ids: Type.Array(Id, { minItems: 1, maxItems: manyCommandsLimit }),
      command: Text(1024, { minLength: 1 }),
      timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 120_000, default: 30_000 })),
    }),
    reply: Type.Object({
      done: Type.Array(
        Type.Object({
          device_id: Id,
          code: Type.Integer({ description: 'response code of the module' }),
          data: Type.String({ description: `at most ${manyCommandsOutput} characters` }),
        }),
      ),
      refused: ManyResult.properties.refused,
    }),
  },
  status: {
    route: 'GET /api/devices/{device_id}/channel',
    access: 'device.read',
    summary: 'Whether the device is on the message channel, and what it last reported',
    reply: Type.Object({
      online: Type.Boolean(),
      since: Nullable(Timestamp),
      address: Nullable(Type.String()),
      telemetry: Nullable(Type.Object({ at: Timestamp, data: Type.Record(Type.String(), Type.Unknown()) })),
      nodes: Type.Array(Type.Object({ id: Type.String(), title: Nullable(Type.String()) })),
    }),
  },
  send: {
    route: 'POST /api/connectors/{connector_id}/messages',
    scope: 'operate',
    audit: { none: 'a third party sends through a connector' },
    summary: 'Send an action to a device of the product, by a user or by the third party with the connector secret',
    description: 'Either a bearer token, or the secret of the connector in the header X-Connector-Secret.',
    auth: 'none',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object(
      { device_id: Text(64, spelt('device')), action: Text(64, { minLength: 1 }) },
      { additionalProperties: true },
    ),
    errors: [400, 401, 403, 404, 409, 503],
  },
});
