import { ip } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-static.*. */
export const staticVariables = defineVariables([
  {
    name: 'static.dns',
    shortcut: 'st d',
    aliases: ['wlan.static.dns'],
    kind: ip,
    default: '0.0.0.0',
    apply: 'net',
    evidence: 'seen',
    help: 'Name server without DHCP',
  },
  {
    name: 'static.gateway',
    shortcut: 'st g',
    aliases: ['wlan.static.gateway'],
    kind: ip,
    default: '0.0.0.0',
    apply: 'net',
    evidence: 'seen',
    help: 'Gateway without DHCP',
  },
  {
    name: 'static.ip',
    shortcut: 'st i',
    aliases: ['wlan.static.ip'],
    kind: ip,
    default: '0.0.0.0',
    apply: 'net',
    evidence: 'seen',
    help: 'Address without DHCP',
  },
  {
    name: 'static.netmask',
    shortcut: 'st n',
    aliases: ['wlan.static.netmask'],
    kind: ip,
    default: '255.255.255.0',
    apply: 'net',
    evidence: 'seen',
    help: 'Network mask without DHCP',
  },
]);
