import type { Transition } from '@moorage/base';

/** Whether the board answers: it does, it starts again, it sleeps, or it is switched off for good. */
export type PowerState = 'on' | 'starting' | 'asleep' | 'off';

export type PowerTrigger = 'reset' | 'started' | 'sleep' | 'switch-off';

export const powerStates: readonly PowerState[] = ['on', 'starting', 'asleep', 'off'];
export const powerTriggers: readonly PowerTrigger[] = ['reset', 'started', 'sleep', 'switch-off'];

/** Power of a board; waking is a reset. What has no row is refused. Reference: power 3.1, 4.1. */
export const powerTable: readonly Transition<PowerState, PowerTrigger>[] = [
  { from: 'on', trigger: 'reset', to: 'starting' },
  { from: 'on', trigger: 'started', to: 'on' },
  { from: 'on', trigger: 'sleep', to: 'asleep' },
  { from: 'on', trigger: 'switch-off', to: 'off' },
  // A fault or the reset pin while it starts.
  { from: 'starting', trigger: 'reset', to: 'starting' },
  { from: 'starting', trigger: 'started', to: 'on' },
  { from: 'starting', trigger: 'switch-off', to: 'off' },
  { from: 'asleep', trigger: 'reset', to: 'starting' },
  { from: 'asleep', trigger: 'switch-off', to: 'off' },
];
