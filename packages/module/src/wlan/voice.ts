import type { Log } from '../device/log.ts';
import type { JoinVoice } from './join-parts.ts';

/** The lines and notices of a join, in the words of the personality. */
export const joinVoice = (log: Log): JoinVoice => ({
  // Spec: MOD-EVENT-associating.
  associating: (ssid) => log.notice('wlan_joining', { ssid }),
  security: (security) => log.say('securityFromProbe', { security }),
  obtaining: () => log.say('obtainingAddress'),
  address: (ip) => log.say('addressObtained', { ip }),
  // Spec: MOD-EVENT-associated.
  associated: () => log.notice('wlan_joined'),
  // Spec: MOD-EVENT-disassociated.
  disassociated: () => log.notice('wlan_leave'),
  // Spec: MOD-EVENT-join-failed.
  failed: () => log.notice('wlan_failed'),
  noSsid: () => log.say('ssidNotSet'),
});
