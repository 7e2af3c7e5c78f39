import Type, { type Static } from 'typebox';
import { Capabilities, DataValue, dataName, messageLimitBytes } from './capabilities.ts';
import { binary, endpoint, strangerBodyLimitBytes } from './endpoint.ts';
import { Id, Nullable, pageQuery, ResultOk, sortBy, Text, Timestamp } from './fields.ts';
import { ManyResult } from './many-devices.ts';
import { ruled } from './patterns.ts';
import { spelt } from './spellings.ts';

const tag = 'Data of devices';
const deviceParams = Type.Object({ device_id: Text(64, { ...spelt('device'), description: 'id or uuid' }) });
const named = Type.Object({ ...deviceParams.properties, name: Type.String({ pattern: dataName }) });
const messageParams = Type.Object({ ...deviceParams.properties, message_id: Id });
const lookup = [400, 401, 403, 404] as const;

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

/** Streams, controls, messages and capabilities of a device, for its users. Reference: data-cloud 3.3. */
export const dataContract = {
  capabilities: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/capabilities',
    spec: ['API-EP-GET-devices-device_id-capabilities'],
    tag,
    summary: 'What the device can do, and whether it is activated at the data cloud',
    auth: 'bearer',
    params: deviceParams,
    reply: Type.Object({
      activated: Type.Boolean(),
      activated_at: Nullable(Timestamp),
      user: Nullable(Type.String()),
      capabilities: Nullable(Capabilities),
    }),
    errors: lookup,
  }),
  streams: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/streams',
    spec: ['API-EP-GET-devices-device_id-streams'],
    tag,
    summary: 'List the streams of a device with their last samples',
    auth: 'bearer',
    params: deviceParams,
    reply: Type.Array(StreamRecord),
    errors: lookup,
  }),
  samples: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/streams/{name}',
    spec: ['API-EP-GET-devices-device_id-streams-name'],
    tag,
    summary: 'Samples of a stream, oldest first: the newest of a range, or one value for each interval of it',
    auth: 'bearer',
    params: named,
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
    errors: lookup,
  }),
  controls: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/controls',
    spec: ['API-EP-GET-devices-device_id-controls'],
    tag,
    summary: 'List the controls of a device with their values',
    auth: 'bearer',
    params: deviceParams,
    reply: Type.Array(ControlRecord),
    errors: lookup,
  }),
  setControl: endpoint({
    method: 'PUT',
    path: '/api/devices/{device_id}/controls/{name}',
    spec: ['API-EP-PUT-devices-device_id-controls-name'],
    tag,
    summary: 'Set a control; a device on the message channel has it at once',
    auth: 'bearer',
    params: named,
    body: Type.Object({ value: DataValue }),
    reply: ControlRecord,
    errors: [400, 401, 403, 404, 409],
  }),
  controlHistory: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/controls/{name}/history',
    spec: ['API-EP-GET-devices-device_id-controls-name-history'],
    tag,
    summary: 'Values that a control has had',
    auth: 'bearer',
    params: named,
    query: Type.Object({ ...pageQuery, sort: sortBy(['at'], '-at') }),
    reply: Type.Array(
      Type.Object({
        at: Timestamp,
        value: DataValue,
        source: Type.Enum(['device', 'user']),
        user: Nullable(Type.String()),
      }),
    ),
    paged: true,
    errors: lookup,
  }),
  messages: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/messages',
    spec: ['API-EP-GET-devices-device_id-messages'],
    tag,
    summary: 'List the messages of a box of the device',
    auth: 'bearer',
    params: deviceParams,
    query: Type.Object({
      ...pageQuery,
      sort: sortBy(['created_at'], '-created_at'),
      box: Type.Optional(Type.Enum([...messageBoxes])),
    }),
    reply: Type.Array(MessageRecord),
    paged: true,
    errors: lookup,
  }),
  postMessage: endpoint({
    method: 'POST',
    path: '/api/devices/{device_id}/messages',
    spec: ['API-EP-POST-devices-device_id-messages'],
    tag,
    summary: 'Put a message into the box of the device; the oldest gives way when the box is full',
    auth: 'bearer',
    params: deviceParams,
    body: Type.Object({
      data: Text(messageLimitBytes, {
        ...ruled({ 'x-max-bytes': messageLimitBytes }),
        description: `at most ${messageLimitBytes} bytes as UTF-8`,
      }),
      headers,
    }),
    reply: MessageRecord,
    errors: [400, 401, 403, 404, 409, 413],
  }),
  message: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/messages/{message_id}',
    spec: ['API-EP-GET-devices-device_id-messages-message_id'],
    tag,
    summary: 'One message with its text',
    auth: 'bearer',
    params: messageParams,
    reply: Type.Object({ ...MessageRecord.properties, data: Type.String() }),
    errors: lookup,
  }),
  live: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/live',
    spec: ['API-EP-GET-devices-device_id-live'],
    tag,
    summary: 'Server-sent events of a device: samples, control, message, online, telemetry, update',
    auth: 'bearer',
    params: deviceParams,
    reply: binary('text/event-stream'),
    errors: [...lookup, 409],
  }),
  removeMessage: endpoint({
    method: 'DELETE',
    path: '/api/devices/{device_id}/messages/{message_id}',
    spec: ['API-EP-DELETE-devices-device_id-messages-message_id'],
    tag,
    summary: 'Delete a message',
    auth: 'bearer',
    params: messageParams,
    reply: ResultOk,
    errors: lookup,
  }),
};

/** Devices that one call runs a command on at most. Spec: API-LIMIT-many-commands. */
export const manyCommandsLimit = 100;
/** What one of many devices may return of its output, in characters; the rest is left out. */
export const manyCommandsOutput = 8_192;

/** What an event stream of a device tells. */
export const liveEventTypes = ['samples', 'control', 'message', 'online', 'telemetry', 'update', 'progress'] as const;
export type LiveEventType = (typeof liveEventTypes)[number];

/** Commands to devices, and what they tell of themselves, over the message channel. Reference: channel 3.1. */
export const channelContract = {
  command: endpoint({
    method: 'POST',
    path: '/api/devices/{device_id}/command',
    spec: ['API-EP-POST-devices-device_id-command'],
    tag,
    summary: 'Run a command line on the device and return its output',
    auth: 'bearer',
    params: deviceParams,
    body: Type.Object({
      command: Text(1024, { minLength: 1 }),
      timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 120_000, default: 30_000 })),
    }),
    reply: Type.Object({ code: Type.Integer({ description: 'response code of the module' }), data: Type.String() }),
    errors: [400, 401, 403, 404, 409, 504],
  }),
  commandMany: endpoint({
    method: 'POST',
    path: '/api/devices/command',
    spec: ['API-EP-POST-devices-command', 'API-LIMIT-many-commands', 'API-RULE-many-devices-2'],
    tag,
    summary: 'Run a command line on many devices and return the output of each',
    description: 'On all at once. A device that is offline, silent or not yours to command is listed with the reason.',
    auth: 'bearer',
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
    errors: [400, 401],
  }),
  status: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/channel',
    spec: ['API-EP-GET-devices-device_id-channel'],
    tag,
    summary: 'Whether the device is on the message channel, and what it last reported',
    auth: 'bearer',
    params: deviceParams,
    reply: Type.Object({
      online: Type.Boolean(),
      since: Nullable(Timestamp),
      address: Nullable(Type.String()),
      telemetry: Nullable(Type.Object({ at: Timestamp, data: Type.Record(Type.String(), Type.Unknown()) })),
      nodes: Type.Array(Type.Object({ id: Type.String(), title: Nullable(Type.String()) })),
    }),
    errors: lookup,
  }),
  send: endpoint({
    method: 'POST',
    path: '/api/connectors/{connector_id}/messages',
    spec: ['API-EP-POST-connectors-connector_id-messages'],
    tag,
    summary: 'Send an action to a device of the product, by a user or by the third party with the connector secret',
    description: 'Either a bearer token, or the secret of the connector in the header X-Connector-Secret.',
    auth: 'none',
    bodyLimitBytes: strangerBodyLimitBytes,
    params: Type.Object({ connector_id: Id }),
    body: Type.Object(
      { device_id: Text(64, spelt('device')), action: Text(64, { minLength: 1 }) },
      { additionalProperties: true },
    ),
    reply: ResultOk,
    errors: [400, 401, 403, 404, 409],
  }),
};
