import type { Interface } from '@moorage/net';
import type { VariableStore } from '../variables/store.ts';
import type { JoinSettings } from './join-parts.ts';
import type { RadioSettings } from './radio.ts';
import type { SoftApSettings } from './soft-ap.ts';

/** The variables that the radio reads, each time it needs them. */
export type Variables = Pick<VariableStore, 'get'>;

/** How the radio looks for networks. */
export function radioSettings(variables: Variables): RadioSettings {
  const antenna = variables.get('wlan.antenna.select');
  return {
    // Spec: MOD-VAR-wlan.scan.channel_mask.
    channelMask: variables.get('wlan.scan.channel_mask'),
    // Spec: MOD-VAR-wlan.scan.active.
    active: variables.get('wlan.scan.active'),
    // Spec: MOD-VAR-wlan.scan.retries.
    repeats: variables.get('wlan.scan.retries'),
    // Spec: MOD-VAR-wlan.tx_power.
    txPowerDbm: variables.get('wlan.tx_power'),
    // Spec: MOD-VAR-wlan.antenna.select.
    antenna: antenna === 'auto' ? 'auto' : antenna === '2' ? 2 : 1,
  };
}

/** How the next join goes, and with what addresses. Times in ms. */
export function joinSettings(variables: Variables): JoinSettings {
  return {
    ssid: variables.get('wlan.ssid'),
    passkey: variables.get('wlan.passkey'),
    bssid: variables.get('wlan.bssid'),
    security: variables.get('wlan.security'),
    channelMask: variables.get('wlan.scan.channel_mask'),
    // Spec: MOD-VAR-wlan.rate.protocol.
    protocol: variables.get('wlan.rate.protocol'),
    // None at all would never join: the first attempt is always made.
    retries: Math.max(1, variables.get('wlan.join.retries')),
    associateTimeoutMs: variables.get('wlan.join.timeout'),
    dhcpTimeoutMs: variables.get('network.dhcp.timeout') * 1000,
    fixed: variables.get('network.dhcp.enabled')
      ? undefined
      : {
          ip: variables.get('static.ip'),
          netmask: variables.get('static.netmask'),
          gateway: variables.get('static.gateway'),
          dns: variables.get('static.dns'),
        },
  };
}

export const softApSettings = (variables: Variables): SoftApSettings => ({
  ssid: variables.get('softap.ssid'),
  substitutes: variables.get('system.string_substitution'),
  ip: variables.get('softap.static.ip'),
  channel: variables.get('softap.channel'),
  passkey: variables.get('softap.passkey'),
});

/** The access point of web setup. Spec: MOD-VAR-setup.web.ssid, MOD-VAR-setup.web.passkey. */
export const setupApSettings = (variables: Variables): SoftApSettings => ({
  ...softApSettings(variables),
  ssid: variables.get('setup.web.ssid'),
  passkey: variables.get('setup.web.passkey'),
});

interface AutoJoinSettings {
  readonly enabled: boolean;
  /** Whole sequences; 0 is for ever. */
  readonly retries: number;
  readonly retryDelayMs: number;
}

export const autoJoinSettings = (variables: Variables): AutoJoinSettings => ({
  enabled: variables.get('wlan.auto_join.enabled') && variables.get('wlan.ssid') !== '',
  retries: variables.get('wlan.auto_join.retries'),
  retryDelayMs: variables.get('wlan.auto_join.retry_delay') * 1000,
});

/** `default` and a missing option both mean `network.default_interface`. Spec: MOD-VAR-network.default_interface. */
export function interfaceOf(variables: Variables, named: string | undefined): Interface {
  const name = named === undefined || named === 'default' ? variables.get('network.default_interface') : named;
  return name === 'softap' ? 'softap' : 'wlan';
}
