import type { Transition } from '@moorage/base';

/**
 * What the serial port of the data bus is: a command line for good, a pipe to a network stream, or a command line
 * until `exit` or until the command pin is released.
 */
export const busStates = ['command', 'stream', 'broken-in', 'forced'] as const;
export type BusState = (typeof busStates)[number];

export const busTriggers = ['boot-command', 'boot-stream', 'sequence', 'pin-asserted', 'pin-released', 'exit'] as const;
export type BusTrigger = (typeof busTriggers)[number];

/** What has no row is refused. Spec: MOD-STATE-1, MOD-STATE-2. Reference: serial 2.2. */
export const busTable: readonly Transition<BusState, BusTrigger>[] = [
  ...busStates.flatMap((from): readonly Transition<BusState, BusTrigger>[] => [
    { from, trigger: 'boot-command', to: 'command' },
    { from, trigger: 'boot-stream', to: 'stream' },
  ]),
  { from: 'stream', trigger: 'sequence', to: 'broken-in' },
  { from: 'stream', trigger: 'pin-asserted', to: 'forced' },
  { from: 'broken-in', trigger: 'pin-asserted', to: 'forced' },
  { from: 'broken-in', trigger: 'exit', to: 'stream' },
  // While the pin is asserted `exit` has nowhere to go.
  { from: 'forced', trigger: 'pin-released', to: 'stream' },
];
