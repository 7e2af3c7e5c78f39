import { host, str, u16, words } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-ota.*. */
export const otaVariables = defineVariables([
  {
    name: 'ota.bundle_id',
    shortcut: 'ot b',
    kind: str(64),
    default: '',
    evidence: 'inferred',
    help: 'Bundle that ota asks for by itself',
  },
  {
    name: 'ota.consent',
    shortcut: 'ot c',
    kind: words('yes', 'later', 'no'),
    default: 'yes',
    evidence: 'proposed',
    help: 'Answer to an update that is not forced: no refuses it for good',
  },
  {
    name: 'ota.host',
    shortcut: 'ot h',
    kind: host,
    default: 'ota.local',
    evidence: 'seen',
    help: 'Host of the device service',
  },
  {
    name: 'ota.port',
    shortcut: 'ot p',
    kind: u16(1),
    default: 443,
    evidence: 'seen',
    help: 'Port of the device service',
  },
]);
