import { channelCloses } from '@moorage/api';
import { hourMs, type Transition } from '@moorage/base';
import type { SocketEnd } from '@moorage/net/http/web-socket';
import type { EndReason } from '../events.ts';

export type ChannelState = 'waiting' | 'dialling' | 'open' | 'stopped';
export type ChannelTrigger = 'due' | 'opened' | 'ended' | 'stop';

/** Life of the message channel while its interface is up. Spec: MOD-CHAN-reconnect. */
export const channelTransitions: readonly Transition<ChannelState, ChannelTrigger>[] = [
  { from: 'waiting', trigger: 'due', to: 'dialling' },
  { from: 'dialling', trigger: 'opened', to: 'open' },
  { from: 'dialling', trigger: 'ended', to: 'waiting' },
  { from: 'open', trigger: 'ended', to: 'waiting' },
  { from: 'waiting', trigger: 'stop', to: 'stopped' },
  { from: 'dialling', trigger: 'stop', to: 'stopped' },
  { from: 'open', trigger: 'stop', to: 'stopped' },
];

/**
 * The first wait after each kind of end, and the longest: each attempt in a row that fails doubles it, and what is
 * waited is a part of it drawn between a half and the whole, so that a fleet does not come back at once.
 * Spec: MOD-CHAN-reconnect.
 */
export const waits: Readonly<Record<EndReason, { readonly firstMs: number; readonly longestMs: number }>> = {
  lost: { firstMs: 1_000, longestMs: 300_000 },
  // All devices of the service come at the same time: these are spread further.
  restarting: { firstMs: 10_000, longestMs: 300_000 },
  // A second device with this identity: two that take turns at once would only throw each other out.
  replaced: { firstMs: 60_000, longestMs: hourMs },
  // Until a user enables the device again; asking often does not help.
  refused: { firstMs: 300_000, longestMs: hourMs },
  // Our own doing, to show the new certificate.
  renewed: { firstMs: 1_000, longestMs: 300_000 },
};

/** A channel that has been open for as long has not failed: counting begins anew; in ms. */
export const steadyMs = 60_000;

const ofCode: Readonly<Record<number, EndReason>> = {
  [channelCloses.restarting]: 'restarting',
  [channelCloses.replaced]: 'replaced',
  [channelCloses.refused]: 'refused',
};

/** What the end of a web socket means for the next attempt. */
export function reasonOf(end: SocketEnd): EndReason {
  if (end.kind === 'closed') return ofCode[end.code] ?? 'lost';
  // 5xx is the service's trouble, not a refusal; nor is a busy proxy's 429.
  return end.status >= 500 || end.status === 429 ? 'lost' : 'refused';
}
