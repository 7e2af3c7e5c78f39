import { bool, host, interfaceOrDefault, u16 } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-ntp.*. */
export const ntpVariables = defineVariables([
  {
    name: 'ntp.enabled',
    shortcut: 'nt e',
    kind: bool,
    default: true,
    apply: 'net',
    evidence: 'documented',
    help: 'Keep the clock by network time',
  },
  {
    name: 'ntp.interface',
    shortcut: 'nt f',
    kind: interfaceOrDefault,
    default: 'default',
    apply: 'net',
    evidence: 'documented',
    help: 'Interface of network time',
  },
  {
    name: 'ntp.interval',
    shortcut: 'nt i',
    kind: u16(300),
    default: 3600,
    evidence: 'documented',
    help: 'Seconds between polls',
  },
  {
    name: 'ntp.server',
    shortcut: 'nt s',
    kind: host,
    default: 'pool.ntp.org',
    evidence: 'documented',
    help: 'Time server',
  },
]);
