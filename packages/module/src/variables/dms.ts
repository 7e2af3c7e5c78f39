import { bool, interfaceOrDefault, str, u8, u32 } from './kinds.ts';
import { defineVariables } from './variable.ts';

const notBuilt = 'the message channel is not built yet';

/** Spec: MOD-VAR-dms.*. */
export const dmsVariables = defineVariables([
  {
    name: 'dms.auto_start_enabled',
    shortcut: 'dm a',
    kind: bool,
    default: false,
    apply: 'net',
    evidence: 'documented',
    inert: notBuilt,
    help: 'Open the message channel by itself',
  },
  {
    name: 'dms.bundle_id',
    shortcut: 'dm b',
    kind: str(64),
    default: '',
    access: 'get',
    evidence: 'documented',
    read: ({ sources }) => sources.link().bundleId,
    help: 'Bundle of the last update',
  },
  {
    name: 'dms.cmd.enabled',
    shortcut: 'dm c e',
    kind: bool,
    default: false,
    evidence: 'documented',
    inert: notBuilt,
    help: 'Accept commands over the message channel',
  },
  {
    name: 'dms.interface',
    shortcut: 'dm i',
    kind: interfaceOrDefault,
    default: 'default',
    apply: 'net',
    evidence: 'documented',
    help: 'Interface of the device service',
  },
  {
    name: 'dms.ota_result',
    shortcut: 'dm o',
    kind: u8(0, 9),
    default: 0,
    access: 'get',
    evidence: 'documented',
    read: ({ sources }) => sources.link().otaResult,
    help: 'Result of the last update',
  },
  {
    name: 'dms.provision.status',
    shortcut: 'dm p s',
    kind: u8(0, 3),
    default: 0,
    access: 'get',
    evidence: 'documented',
    read: ({ sources }) => sources.link().provisionStatus,
    help: '0 not provisioned, 1 token held, 2 not acknowledged, 3 complete',
  },
  {
    name: 'dms.provision.token',
    shortcut: 'dm p t',
    kind: str(128),
    default: '',
    evidence: 'documented',
    secret: true,
    help: 'Token that provisions the device',
  },
  {
    name: 'dms.telemetry.interval',
    shortcut: 'dm t i',
    kind: u32(),
    default: 0,
    evidence: 'documented',
    inert: notBuilt,
    help: 'Seconds between telemetry messages; 0 for never',
  },
]);
