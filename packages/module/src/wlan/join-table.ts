import type { Transition } from '@moorage/base';

/** Where a station interface stands. `retrying` is the moment between two attempts. */
export const joinStates = ['idle', 'probing', 'associating', 'addressing', 'retrying', 'up'] as const;
export type JoinState = (typeof joinStates)[number];

export const joinTriggers = [
  'join',
  'join-known',
  'found',
  'refuse',
  'miss',
  'associated',
  'addressed',
  'again',
  'again-known',
  'give-up',
  'leave',
  'lose',
] as const;
export type JoinTrigger = (typeof joinTriggers)[number];

/** The join of a network. What has no row is refused. Reference: network 1.1. Spec: MOD-CMD-network_up. */
export const joinTable: readonly Transition<JoinState, JoinTrigger>[] = [
  { from: 'idle', trigger: 'join', to: 'probing' },
  // A network joined before in this power cycle is not probed for again.
  { from: 'idle', trigger: 'join-known', to: 'associating' },
  { from: 'probing', trigger: 'found', to: 'associating' },
  { from: 'probing', trigger: 'miss', to: 'retrying' },
  // Another attempt cannot help: no passkey for a secured network, or not the security that is asked for.
  { from: 'probing', trigger: 'refuse', to: 'idle' },
  { from: 'associating', trigger: 'associated', to: 'addressing' },
  { from: 'associating', trigger: 'miss', to: 'retrying' },
  { from: 'addressing', trigger: 'addressed', to: 'up' },
  { from: 'addressing', trigger: 'miss', to: 'retrying' },
  { from: 'retrying', trigger: 'again', to: 'probing' },
  { from: 'retrying', trigger: 'again-known', to: 'associating' },
  { from: 'retrying', trigger: 'give-up', to: 'idle' },
  { from: 'probing', trigger: 'leave', to: 'idle' },
  { from: 'associating', trigger: 'leave', to: 'idle' },
  { from: 'addressing', trigger: 'leave', to: 'idle' },
  { from: 'retrying', trigger: 'leave', to: 'idle' },
  { from: 'up', trigger: 'leave', to: 'idle' },
  { from: 'up', trigger: 'lose', to: 'idle' },
];

/** Values of `network.status`: 0 down, 1 radio link without address, 2 up, 3 joining. Spec: MOD-VAR-network.status. */
export const statusOf: Readonly<Record<JoinState, 0 | 1 | 2 | 3>> = {
  idle: 0,
  probing: 3,
  associating: 3,
  addressing: 1,
  retrying: 3,
  up: 2,
};

/** Values of `wlan.join.result`. Spec: MOD-VAR-wlan.join.result. */
export const joinResults = {
  none: 0,
  success: 1,
  joining: 2,
  'no-ssid': 3,
  'no-passkey': 4,
  'bad-security': 5,
  'not-found': 6,
  failed: 7,
  aborted: 8,
} as const;

export type JoinResultCode = (typeof joinResults)[keyof typeof joinResults];

/** Why a join ended without a link. */
export type JoinFailure = 'no-ssid' | 'no-passkey' | 'bad-security' | 'not-found' | 'failed' | 'aborted';
