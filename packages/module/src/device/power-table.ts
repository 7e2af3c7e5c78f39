import type { Transition } from '@moorage/base';

/** Whether the board answers: it does, it starts again, it sleeps, its supply is cut, or it is switched off for good. */
export const powerStates = ['on', 'starting', 'asleep', 'unpowered', 'off'] as const;
export type PowerState = (typeof powerStates)[number];

export const powerTriggers = ['reset', 'started', 'sleep', 'cut-power', 'power-up', 'switch-off'] as const;
export type PowerTrigger = (typeof powerTriggers)[number];

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
  { from: 'on', trigger: 'cut-power', to: 'unpowered' },
  { from: 'starting', trigger: 'cut-power', to: 'unpowered' },
  { from: 'asleep', trigger: 'cut-power', to: 'unpowered' },
  { from: 'unpowered', trigger: 'power-up', to: 'starting' },
  { from: 'unpowered', trigger: 'switch-off', to: 'off' },
];
