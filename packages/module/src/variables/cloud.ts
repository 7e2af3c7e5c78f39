import { bool, file, u32 } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-cloud.*. */
export const cloudVariables = defineVariables([
  {
    name: 'cloud.capabilities',
    shortcut: 'cl c',
    kind: file,
    default: '',
    evidence: 'spec',
    // Spec: MOD-OPT-cloud_capabilities-readonly.
    locked: ({ sources }) => sources.cloud().activated,
    help: 'Capabilities file; fixed while the device is activated',
  },
  {
    name: 'cloud.solo.enabled',
    shortcut: 'cl s e',
    kind: bool,
    default: false,
    apply: 'boot',
    evidence: 'spec',
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
    help: 'Control or stream that a pin belongs to; none for none',
  },
  {
    name: 'cloud.solo.sync_period',
    shortcut: 'cl s p',
    kind: u32(1),
    default: 10,
    evidence: 'spec',
    help: 'Seconds between the exchanges of SOLO mode',
  },
  {
    name: 'cloud.status',
    shortcut: 'cl t',
    kind: bool,
    default: false,
    access: 'get',
    evidence: 'seen',
    // Spec: MOD-VAR-cloud.status.
    read: ({ sources }) => sources.cloud().activated,
    help: 'Whether the device is activated',
  },
]);
