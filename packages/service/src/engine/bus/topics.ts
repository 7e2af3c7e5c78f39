import type { LiveEventType, ServiceAction } from '@moorage/api';
import type { Result } from '@moorage/base';

/** The name of a topic, and by its type what every message of it is. */
export interface Topic<M> {
  readonly name: string;
  /** Never set: it ties the type of the messages to the topic. */
  readonly message?: M;
}

export type MessageOf<T> = T extends Topic<infer M> ? M : never;

export const topic = <M>(name: string): Topic<M> => ({ name });

/** What a command came to on a device. */
export interface CommandOutcome {
  readonly code: number;
  readonly data: string;
}

export type CommandFailure =
  | { readonly reason: 'offline' }
  | { readonly reason: 'silent' }
  /** The device is on another node, and the nodes do not reach each other now. */
  | { readonly reason: 'apart' }
  | { readonly reason: 'refused'; readonly detail: string };

/** What the live view of a device shows. */
export interface LiveEvent {
  readonly type: LiveEventType;
  readonly data: unknown;
}

/** Every topic of the bus. Messages about a change are published after its transaction. */
export const topics = {
  /** Messages may have been lost on the way, in either direction: what follows from them is read from the records. */
  missed: topic<null>('bus.missed'),
  /** One device, or those of a product, may have an update to fetch. Spec: API-CHAN-wake. */
  otaDue: topic<{ readonly deviceId?: string; readonly productId?: string }>('ota.due'),
  /** The device has been disabled, or its certificate taken back: its connections end. Spec: API-DEV-revoked. */
  deviceRevoked: topic<{ readonly deviceId: string; readonly uuid?: string }>('device.revoked'),
  /** The device has another certificate now: connections that were opened with any other end. */
  deviceRenewed: topic<{ readonly deviceId: string; readonly uuid: string; readonly certificate: string }>(
    'device.renewed',
  ),
  /** The trusted authorities are others than before. */
  authorityChanged: topic<Readonly<Record<string, never>>>('authority.changed'),
  /** A user has lost a token, a role or a right: event streams of theirs look whether they may go on. */
  accessChanged: topic<{ readonly userId: string }>('access.changed'),
  /** What users have open at a node: all of it, or what has changed. */
  countsChanged: topic<{
    readonly node: string;
    readonly kind: string;
    readonly counts: readonly (readonly [userId: string, n: number])[];
    readonly isAll: boolean;
  }>('counts.changed'),
  /** The device has been activated to another product. */
  deviceMoved: topic<{ readonly deviceId: string; readonly productId: string }>('device.moved'),
  /** A command for a device that is connected to another process; `request` is the number of the exchange. */
  channelRequest: topic<{
    readonly request: string;
    readonly deviceId: string;
    readonly data: string;
    readonly timeoutMs: number;
    /** The sender answers `channelAsk`; the release before this one does not. */
    readonly confirms?: true;
  }>('channel.request'),
  /** A process that has the device asks whether the sender of a command still waits. */
  channelAsk: topic<{ readonly request: string; readonly by: string }>('channel.ask'),
  /** It does, for `leftMs` more at most. */
  channelGo: topic<{ readonly request: string; readonly by: string; readonly leftMs: number }>('channel.go'),
  channelResponse: topic<{ readonly request: string; readonly outcome: Result<CommandOutcome, CommandFailure> }>(
    'channel.response',
  ),
  /** An action for a device, whichever process it is connected to. */
  channelAction: topic<{ readonly deviceId: string; readonly action: ServiceAction }>('channel.action'),
  /** A device has opened a channel: an older one of it ends. */
  channelOpened: topic<{ readonly deviceId: string; readonly session: string }>('channel.opened'),
  /** Devices whose live view is open in some process. */
  liveWatch: topic<readonly string[]>('live.watch'),
  liveEvent: topic<{ readonly deviceId: string; readonly event: LiveEvent }>('live.event'),
};
