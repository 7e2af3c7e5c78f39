import type { Transition } from '@moorage/base';

export type TwinState = 'off' | 'starting' | 'waiting' | 'asking' | 'updating' | 'asleep' | 'lost' | 'stopped';
export type TwinTrigger =
  | 'switchOn'
  | 'enrolled'
  | 'ask'
  | 'offered'
  | 'answered'
  | 'doze'
  | 'wake'
  | 'cut'
  | 'lose'
  | 'stop';

const on = ['starting', 'waiting', 'asking', 'updating', 'asleep'] as const;

/** Life of a module of a fleet, as the fleet sees it. */
export const twinTransitions: readonly Transition<TwinState, TwinTrigger>[] = [
  { from: 'off', trigger: 'switchOn', to: 'starting' },
  // It has its certificate and its product.
  { from: 'starting', trigger: 'enrolled', to: 'waiting' },
  { from: 'waiting', trigger: 'ask', to: 'asking' },
  { from: 'asking', trigger: 'offered', to: 'updating' },
  { from: 'asking', trigger: 'answered', to: 'waiting' },
  { from: 'updating', trigger: 'answered', to: 'waiting' },
  { from: 'waiting', trigger: 'doze', to: 'asleep' },
  { from: 'asleep', trigger: 'wake', to: 'waiting' },
  // The power goes, or the module restarts into something else.
  ...on.map((from) => ({ from, trigger: 'cut', to: 'off' }) as const),
  // A bad version has it for good.
  { from: 'updating', trigger: 'lose', to: 'lost' },
  ...(['off', ...on, 'lost', 'stopped'] as const).map((from) => ({ from, trigger: 'stop', to: 'stopped' }) as const),
];
