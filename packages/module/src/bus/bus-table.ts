import type { Transition } from '@moorage/base';

/**
 * What the serial port of the data bus is: a command line for good, a pipe to a network stream, or a command line
 * until `exit` or until the command pin is released.
 */
export type BusState = 'command' | 'stream' | 'broken-in' | 'forced';

export type BusTrigger = 'boot-command' | 'boot-stream' | 'sequence' | 'pin-asserted' | 'pin-released' | 'exit';

export const busStates: readonly BusState[] = ['command', 'stream', 'broken-in', 'forced'];

export const busTriggers: readonly BusTrigger[] = [
  'boot-command',
  'boot-stream',
  'sequence',
  'pin-asserted',
  'pin-released',
  'exit',
];

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
