import type { Log } from '../device/log.ts';
import type { JoinVoice } from './join.ts';

/** The lines and notices of a join, in the words of the personality. Spec: MOD-EVENT-associating and its like. */
export const joinVoice = (log: Log): JoinVoice => ({
  associating: (ssid) => log.notice('wlan_joining', { ssid }),
  security: (security) => log.say('securityFromProbe', { security }),
  obtaining: () => log.say('obtainingAddress'),
  address: (ip) => log.say('addressObtained', { ip }),
  associated: () => log.notice('wlan_joined'),
  disassociated: () => log.notice('wlan_leave'),
  failed: () => log.notice('wlan_failed'),
  noSsid: () => log.say('ssidNotSet'),
});
