import { nameWithDigits } from '@moorage/base';
import type { Interface } from '@moorage/net';
import type { ServiceParts } from './service.ts';

/** The IPv4 address of an interface that is up. */
export const addressOf = ({ wlan }: Pick<ServiceParts, 'wlan'>, iface: Interface): string =>
  (iface === 'softap' ? wlan.softAp?.addresses : wlan.addresses)?.ip ?? '0.0.0.0';

/**
 * The module's own name without `.local`; empty when it has none that can be written. Spec: MOD-VAR-mdns.name,
 * MOD-VAR-system.string_substitution.
 */
export function hostName({ identity, variables }: Pick<ServiceParts, 'identity' | 'variables'>): string {
  const name = variables.get('mdns.name');
  const given = variables.get('system.string_substitution') ? nameWithDigits(name, identity.mac) : name;
  // No host name has the letter itself.
  const labels = given
    .replace(/#$/, '')
    // The domain is added anyway.
    .replace(/\.local\.?$/i, '')
    .split('.')
    .filter((label) => label !== '');
  return labels.join('.').slice(0, maxNameLength);
}

/** Longest name, in characters: that of one label. */
const maxNameLength = 63;

/** Where the name services run. Spec: MOD-VAR-mdns.enabled, MOD-VAR-mdns.interface. */
export function nameInterfaces(
  parts: Pick<ServiceParts, 'identity' | 'variables' | 'wlan'>,
): readonly [Interface] | [] {
  const { variables, wlan } = parts;
  if (!variables.get('mdns.enabled') || hostName(parts) === '') return [];
  return [wlan.interfaceOf(variables.get('mdns.interface'))];
}
