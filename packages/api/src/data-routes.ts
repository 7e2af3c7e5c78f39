import Type from 'typebox';
import { Capabilities, DataValue, dataName, messageLimitBytes } from './capabilities.ts';
import { binary, deviceListenerTag, deviceRouteErrors, endpoint } from './endpoint.ts';
import { Id, ResultOk, Text } from './fields.ts';
import { ruled } from './patterns.ts';

/** A sample or control value on the wire: name, value, epoch seconds; without a time, or with 0, the service gives its own. */
export const WireValue = Type.Object({
  n: Type.String({ pattern: dataName }),
  v: DataValue,
  t: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295 })),
});

/** Most samples of one batch. */
export const samplesPerBatch = 500;

/** Tells what is sent again from what is new; chosen by the device. Spec: API-DATA-once. */
const onceKey = '^[0-9a-f]{16,32}$';

const Credentials = { username: Text(254, { minLength: 1 }), password: Text(1024, { minLength: 1 }) };
/** A device of somebody needs none: it has proven itself, and its data go to its owner. */
const OwnCredentials = { username: Type.Optional(Credentials.username), password: Type.Optional(Credentials.password) };
const messageParams = Type.Object({ message_id: Id });

/** A capabilities file that the service offers to a device. */
export const CapabilitiesOffer = Type.Object({
  name: Type.String(),
  version: Type.String(),
  /** Path on this listener. */
  url: Type.String(),
  /** Path of the setup script that goes with it; missing when there is none. */
  script: Type.Optional(Type.String()),
  default: Type.Boolean(),
});

/** One message of a box, without its bytes; `timestamp` is epoch seconds. */
export const WireMessage = Type.Object({ id: Id, timestamp: Type.Integer(), length: Type.Integer() });

/**
 * The data cloud on the device listener. The device is known by its certificate, as on the rest of the listener.
 * Reference: data-cloud 1.2, 2.1, 2.3, 2.4, 3.1, 3.2.
 */
export const dataRoutesContract = {
  activate: endpoint({
    method: 'POST',
    path: '/device/v1/activate',
    spec: ['API-DEV-POST-device-v1-activate'],
    tag: deviceListenerTag,
    summary: 'Bind the device and what it can do to the account of its owner',
    description: 'Without a user name and a password it is the account that has claimed the device.',
    auth: 'device',
    body: Type.Object({ ...OwnCredentials, version: Type.Optional(Text(255)), capabilities: Capabilities }),
    reply: Type.Object({ result: Type.Literal('ok'), device: Id }),
    errors: deviceRouteErrors,
  }),
  deactivate: endpoint({
    method: 'POST',
    path: '/device/v1/deactivate',
    spec: ['API-DEV-POST-device-v1-deactivate'],
    tag: deviceListenerTag,
    summary: 'Undo the activation; streams, controls and messages stay until they expire',
    description: 'Without a user name and a password it is the account that has claimed the device.',
    auth: 'device',
    body: Type.Object(OwnCredentials),
    reply: ResultOk,
    errors: deviceRouteErrors,
  }),
  offers: endpoint({
    method: 'GET',
    path: '/device/v1/capabilities',
    spec: ['API-DEV-GET-device-v1-capabilities'],
    tag: deviceListenerTag,
    summary:
      'List the capabilities files that suit the device: those among the assets of its product, then the built-in examples',
    auth: 'device',
    reply: Type.Array(CapabilitiesOffer),
    errors: deviceRouteErrors,
  }),
  offer: endpoint({
    method: 'GET',
    path: '/device/v1/capabilities/{name}',
    spec: ['API-DEV-GET-device-v1-capabilities-name'],
    tag: deviceListenerTag,
    summary: 'A capabilities file, or the setup script that goes with one',
    auth: 'device',
    params: Type.Object({ name: Text(96, { minLength: 1 }) }),
    reply: binary(),
    errors: deviceRouteErrors,
  }),
  write: endpoint({
    method: 'POST',
    path: '/device/v1/data',
    spec: ['API-DEV-POST-device-v1-data'],
    tag: deviceListenerTag,
    summary: 'Write samples and control values, once for each batch id however often it is sent',
    auth: 'device',
    body: Type.Object({
      batch: Type.String({
        pattern: onceKey,
        description: 'chosen by the device; a batch that is known already is acknowledged and not written again',
      }),
      samples: Type.Optional(Type.Array(WireValue, { maxItems: samplesPerBatch })),
      controls: Type.Optional(Type.Array(WireValue, { maxItems: 16 })),
    }),
    reply: ResultOk,
    errors: deviceRouteErrors,
  }),
  controls: endpoint({
    method: 'GET',
    path: '/device/v1/controls',
    spec: ['API-DEV-GET-device-v1-controls'],
    tag: deviceListenerTag,
    summary: 'Values of the controls',
    auth: 'device',
    query: Type.Object({
      since: Type.Optional(Type.Integer({ minimum: 0, description: 'epoch seconds; only newer ones' })),
    }),
    reply: Type.Array(
      Type.Object({ n: Type.String(), v: DataValue, t: Type.Integer({ description: 'epoch seconds' }) }),
    ),
    errors: deviceRouteErrors,
  }),
  messages: endpoint({
    method: 'GET',
    path: '/device/v1/messages',
    spec: ['API-DEV-GET-device-v1-messages'],
    tag: deviceListenerTag,
    summary: 'List the messages to the device, oldest first',
    auth: 'device',
    query: Type.Object({
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'only the newest ones' })),
      since: Type.Optional(Type.Integer({ minimum: 0, description: 'epoch seconds; only newer ones' })),
    }),
    reply: Type.Array(WireMessage),
    errors: deviceRouteErrors,
  }),
  message: endpoint({
    method: 'GET',
    path: '/device/v1/messages/{message_id}',
    spec: ['API-DEV-GET-device-v1-messages-message_id'],
    tag: deviceListenerTag,
    summary: 'One message to the device',
    auth: 'device',
    params: messageParams,
    reply: Type.Object({
      headers: Type.Record(Type.String(), Type.String()),
      body: Type.Object({ data: Type.String() }),
    }),
    errors: deviceRouteErrors,
  }),
  post: endpoint({
    method: 'POST',
    path: '/device/v1/messages',
    spec: ['API-DEV-POST-device-v1-messages'],
    tag: deviceListenerTag,
    summary: 'Post a message from the device',
    auth: 'device',
    body: Type.Object({
      data: Text(messageLimitBytes, ruled({ 'x-max-bytes': messageLimitBytes })),
      key: Type.Optional(
        Type.String({
          pattern: onceKey,
          description: 'chosen by the device; a message that is posted again with its key is kept once',
        }),
      ),
      headers: Type.Optional(Type.Record(Text(64), Text(256), { maxProperties: 16 })),
    }),
    reply: Type.Object({ result: Type.Literal('ok'), id: Id }),
    errors: deviceRouteErrors,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/device/v1/messages/{message_id}',
    spec: ['API-DEV-DELETE-device-v1-messages-message_id'],
    tag: deviceListenerTag,
    summary: 'Delete a message to the device',
    auth: 'device',
    params: messageParams,
    reply: ResultOk,
    errors: deviceRouteErrors,
  }),
};
