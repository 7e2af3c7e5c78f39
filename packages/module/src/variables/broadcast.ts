import { csv, host, interfaceOrDefault, ip, u16 } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Properties of the broadcast object. Reference: variables 3.1. */
const item = /^(mac|bssid|channel|ip|ssid|rssi|remote_terminal_port|time|uuid|version|gpio\d{1,2}|adc\d{1,2})$/;

/** Spec: MOD-VAR-broadcast.*. */
export const broadcastVariables = defineVariables([
  {
    name: 'broadcast.data',
    shortcut: 'br d',
    kind: csv(item),
    // Spec: MOD-EVENT-3. The later generation sends more; a personality may.
    default: 'ip,mac',
    evidence: 'spec',
    help: 'Properties in the status broadcast, in this order',
  },
  {
    name: 'broadcast.http.host',
    shortcut: 'br h h',
    kind: host,
    default: '',
    evidence: 'documented',
    help: 'Host that gets the status by HTTP post; empty for none',
  },
  {
    name: 'broadcast.interface',
    shortcut: 'br i',
    kind: interfaceOrDefault,
    default: 'default',
    apply: 'net',
    evidence: 'spec',
    help: 'Interface of the status broadcast',
  },
  {
    name: 'broadcast.interval',
    shortcut: 'br t',
    kind: u16(),
    default: 10,
    apply: 'boot',
    evidence: 'documented',
    help: 'Seconds between status broadcasts; 0 for never',
  },
  {
    name: 'broadcast.udp.ip',
    shortcut: 'br u i',
    kind: ip,
    default: '255.255.255.255',
    apply: 'net',
    evidence: 'spec',
    help: 'UDP destination of the status broadcast',
  },
  {
    name: 'broadcast.udp.port',
    shortcut: 'br u p',
    kind: u16(),
    default: 55555,
    apply: 'net',
    evidence: 'spec',
    help: 'UDP port of the status broadcast',
  },
]);
