import { bool, file, u32 } from './kinds.ts';
import { defineVariables } from './variable.ts';

const notBuilt = 'the data cloud is not built yet';

/** Spec: MOD-VAR-cloud.*. */
export const cloudVariables = defineVariables([
  {
    name: 'cloud.capabilities',
    shortcut: 'cl c',
    kind: file,
    default: '',
    evidence: 'spec',
    locked: (context) => context.get('cloud.status') === true,
    inert: notBuilt,
    help: 'Capabilities file; fixed while the device is activated',
  },
  {
    name: 'cloud.solo.enabled',
    shortcut: 'cl s e',
    kind: bool,
    default: false,
    apply: 'boot',
    evidence: 'spec',
    inert: notBuilt,
    help: 'Serve the capabilities without a host',
  },
  {
    name: 'cloud.solo.gpio',
    shortcut: 'cl s g',
    kind: { type: 'str', min: 1, max: 24, pattern: /^[a-z0-9_-]+$/, empty: 'none' },
    default: '',
    evidence: 'spec',
    index: 'gpio',
    ownsPin: true,
    entryLine: (pin, name) => `${pin},${name}`,
    inert: notBuilt,
    help: 'Control or stream that a pin belongs to; none for none',
  },
  {
    name: 'cloud.solo.sync_period',
    shortcut: 'cl s p',
    kind: u32(),
    default: 10,
    evidence: 'spec',
    inert: notBuilt,
    help: 'Seconds between the exchanges of SOLO mode',
  },
  {
    name: 'cloud.status',
    shortcut: 'cl t',
    kind: bool,
    default: false,
    access: 'get',
    evidence: 'seen',
    inert: notBuilt,
    help: 'Whether the device is activated',
  },
]);
