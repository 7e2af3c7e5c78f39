import { bool, gpio, host, u16, words } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-ioconn.*. */
export const ioconnVariables = defineVariables([
  {
    name: 'ioconn.control_gpio',
    shortcut: 'io c',
    kind: gpio,
    default: -1,
    evidence: 'documented',
    ownsPin: true,
    help: 'Pin that opens and closes the connection',
  },
  {
    name: 'ioconn.enabled',
    shortcut: 'io e',
    kind: bool,
    default: false,
    evidence: 'inferred',
    help: 'Connection driven by pins',
  },
  {
    name: 'ioconn.local_port',
    shortcut: 'io l',
    kind: u16(),
    default: 0,
    evidence: 'inferred',
    help: 'Local port; 0 for any',
  },
  {
    name: 'ioconn.protocol',
    shortcut: 'io p',
    kind: words('tcp', 'udp', 'tls'),
    default: 'tcp',
    evidence: 'inferred',
    help: 'Protocol of the connection',
  },
  {
    name: 'ioconn.remote_host',
    shortcut: 'io h',
    kind: host,
    default: '',
    evidence: 'inferred',
    help: 'Host of the connection',
  },
  {
    name: 'ioconn.remote_port',
    shortcut: 'io r',
    kind: u16(),
    default: 0,
    evidence: 'inferred',
    help: 'Port of the connection',
  },
  {
    name: 'ioconn.status_gpio',
    shortcut: 'io s',
    kind: gpio,
    default: -1,
    evidence: 'documented',
    ownsPin: true,
    help: 'Pin that is high while the connection is open',
  },
]);
