import { str } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-user.*. */
export const userVariables = defineVariables([
  {
    name: 'user.data',
    shortcut: 'us d',
    kind: str(64),
    default: '',
    evidence: 'proposed',
    inert: 'it is for the host alone',
    help: 'Free for the host',
  },
]);
