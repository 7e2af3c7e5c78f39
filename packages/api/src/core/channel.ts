import Type, { type Static } from 'typebox';
import type { DeviceWrite } from '../endpoint.ts';
import { ReportedAttributes, Text } from '../fields.ts';
import { withoutNul } from '../patterns.ts';

/**
 * The message channel: a web socket at `/stream` of the device listener. A message is a dictionary, MessagePack in a
 * binary frame or JSON in a text frame; who answers uses the form in which it was asked. Reference: channel 1.2.
 */

/** Longest frame in either direction, in bytes. */
export const channelFrameLimitBytes = 65_536;

/** The service pings after this silence, in ms; a channel that is silent for three times as long is dead. */
export const channelPingMs = 30_000;

/** Close codes of the service, beside those of the protocol. */
export const channelCloses = {
  /** Another channel of the same device has taken over. */
  replaced: 4001,
  /** The device has been disabled or its certificate revoked. */
  refused: 4003,
  /** The service stops; come back after a while. */
  restarting: 1012,
} as const;

/**
 * Action that the service sends before it ends a channel with `restarting`: the device comes back after `after_ms`. The
 * service has spread the times of all its devices, so that they do not come at once.
 */
export const ComeBack = Type.Object({
  action: Type.Literal('come_back'),
  after_ms: Type.Integer({ minimum: 0, maximum: 3_600_000 }),
});
export type ComeBack = Static<typeof ComeBack>;

const StoredText = (maxLength: number) => Text(maxLength, { pattern: withoutNul });

const MessageId = Type.Integer({ minimum: 0, maximum: 4_294_967_295 });

/** What a device asks of the service. Without `id` nothing is answered. */
export const DeviceRequest = Type.Union([
  Type.Object({ id: Type.Optional(MessageId), request: Type.Literal('echo'), data: Type.Optional(Type.Unknown()) }),
  Type.Object({
    id: Type.Optional(MessageId),
    request: Type.Literal('webhook'),
    code: StoredText(64),
    data: Type.Optional(Type.Unknown()),
  }),
  Type.Object({
    id: Type.Optional(MessageId),
    request: Type.Literal('telemetry'),
    data: Type.Record(Text(64), Type.Unknown(), { maxProperties: 64 }),
  }),
  Type.Object({ id: Type.Optional(MessageId), request: Type.Literal('attributes'), data: ReportedAttributes }),
  Type.Object({
    id: Type.Optional(MessageId),
    request: Type.Literal('nodes'),
    data: Type.Array(Type.Object({ id: StoredText(64), title: Type.Optional(StoredText(128)) }), { maxItems: 256 }),
  }),
]);
export type DeviceRequest = Static<typeof DeviceRequest>;

/** What a device writes by each request; an echo writes nothing. Spec: API-LIMIT-writes. */
export const requestWrites: Readonly<Record<DeviceRequest['request'], DeviceWrite | undefined>> = {
  echo: undefined,
  webhook: 'messages',
  telemetry: 'samples',
  attributes: 'attributes',
  nodes: 'attributes',
};

/** An answer to a request of either side: `data` when it went well, else `error`; `code` is that of a command. */
export const ChannelAnswer = Type.Object({
  id: MessageId,
  code: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
  data: Type.Optional(Type.Unknown()),
  error: Type.Optional(Text(1024)),
});
export type ChannelAnswer = Static<typeof ChannelAnswer>;

/** What the service asks of a device: run a command line and answer with its code and output. */
export const ServiceRequest = Type.Object({
  id: MessageId,
  request: Type.Literal('command'),
  data: Text(1024),
});
export type ServiceRequest = Static<typeof ServiceRequest>;

/**
 * What the service tells a device: `ota` (there is an update for you), `control` (values that a user has set, as on
 * `GET /device/v1/controls`), `message` (a message waits), `file` (a user has changed what the gateway of a device reads), `command` (run a line,
 * nothing is answered), `come_back` (the channel ends now, open
 * another one later), or whatever a third party sends through a connector.
 */
export const ServiceAction = Type.Object({
  id: Type.Optional(MessageId),
  action: Text(64, { minLength: 1 }),
});
export type ServiceAction = Static<typeof ServiceAction> & Readonly<Record<string, unknown>>;
