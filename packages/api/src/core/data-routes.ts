import Type from 'typebox';
import { binary, deviceListenerTag, deviceRouteErrors, endpoints } from '../endpoint.ts';
import { Id, Text } from '../fields.ts';
import { ruled } from '../patterns.ts';
import { Capabilities, DataValue, dataName, messageLimitBytes } from './capabilities.ts';

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
/** A device that has an owner needs none: it has proven itself, and its data go to its owner. */
const OwnCredentials = { username: Type.Optional(Credentials.username), password: Type.Optional(Credentials.password) };

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

const shared = { tag: deviceListenerTag, auth: 'device', errors: deviceRouteErrors } as const;

/**
 * The data cloud on the device listener. The device is known by its certificate, as on the rest of the listener.
 * Reference: data-cloud 1.2, 2.1, 2.3, 2.4, 3.1, 3.2.
 */
export const dataRoutesContract = endpoints(shared, {
  activate: {
    route: 'POST /device/v1/activate',
    writes: 'identity',
    summary: 'Bind the device and what it can do to the account of its owner',
    description: 'Without a user name and a password it is the account that has claimed the device.',
    body: Type.Object({ ...OwnCredentials, version: Type.Optional(Text(255)), capabilities: Capabilities }),
    reply: Type.Object({ result: Type.Literal('ok'), device: Id }),
  },
  deactivate: {
    route: 'POST /device/v1/deactivate',
    writes: 'identity',
    summary: 'Undo the activation; streams, controls and messages stay until they expire',
    description: 'Without a user name and a password it is the account that has claimed the device.',
    body: Type.Object(OwnCredentials),
  },
  offers: {
    route: 'GET /device/v1/capabilities',
    summary:
      'List the capabilities files that suit the device: those among the assets of its product, then the built-in examples',
    reply: Type.Array(CapabilitiesOffer),
  },
  offer: {
    route: 'GET /device/v1/capabilities/{name}',
    summary: 'A capabilities file, or the setup script that goes with one',
    params: { name: Text(96, { minLength: 1 }) },
    reply: binary(),
  },
  write: {
    route: 'POST /device/v1/data',
    writes: 'samples',
    summary: 'Write samples and control values, once for each batch id however often it is sent',
    body: Type.Object({
      batch: Type.String({
        pattern: onceKey,
        description: 'chosen by the device; a batch that is known already is acknowledged and not written again',
      }),
      samples: Type.Optional(Type.Array(WireValue, { maxItems: samplesPerBatch })),
      controls: Type.Optional(Type.Array(WireValue, { maxItems: 16 })),
    }),
  },
  controls: {
    route: 'GET /device/v1/controls',
    summary: 'Values of the controls',
    query: Type.Object({
      since: Type.Optional(Type.Integer({ minimum: 0, description: 'epoch seconds; only newer ones' })),
    }),
    reply: Type.Array(
      Type.Object({ n: Type.String(), v: DataValue, t: Type.Integer({ description: 'epoch seconds' }) }),
    ),
  },
  messages: {
    route: 'GET /device/v1/messages',
    summary: 'List the messages to the device, oldest first',
    query: Type.Object({
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'only the newest ones' })),
      since: Type.Optional(Type.Integer({ minimum: 0, description: 'epoch seconds; only newer ones' })),
    }),
    reply: Type.Array(WireMessage),
  },
  message: {
    route: 'GET /device/v1/messages/{message_id}',
    summary: 'One message to the device',
    reply: Type.Object({
      headers: Type.Record(Type.String(), Type.String()),
      body: Type.Object({ data: Type.String() }),
    }),
  },
  post: {
    route: 'POST /device/v1/messages',
    writes: 'messages',
    summary: 'Post a message from the device',
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
  },
  remove: {
    route: 'DELETE /device/v1/messages/{message_id}',
    writes: 'messages',
    summary: 'Delete a message to the device',
  },
});
