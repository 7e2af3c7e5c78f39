import { bool } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-stream.*. */
export const streamVariables = defineVariables([
  {
    name: 'stream.auto_close',
    shortcut: 'st a',
    kind: bool,
    default: true,
    evidence: 'documented',
    help: 'Whether a stream goes by itself when the remote side has closed it and its data is read',
  },
]);
