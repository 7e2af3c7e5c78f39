import type { ServiceOptions } from '@moorage/service';
import type { Settings } from '@moorage/service/engine/settings/config';
import { readGroups } from '@moorage/service/engine/settings/sso-groups';
import { UserError } from '../command-line/define.ts';
import { readSetting } from '../files/given-file.ts';

type SsoFileSettings = Pick<Settings, 'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcGroups' | 'publicUrl'>;

/**
 * What the files hold that the settings of single sign-on name.
 *
 * @throws {UserError} when a setting lacks another, or a file cannot be read or is wrong
 */
export function readSsoFiles(settings: SsoFileSettings): NonNullable<ServiceOptions['ssoFiles']> {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcGroups, publicUrl } = settings;
  if (oidcIssuer === undefined) {
    const named = oidcClientId ?? oidcClientSecret ?? oidcGroups;
    if (named !== undefined) throw new UserError('Settings of single sign-on are of use only with --oidc-issuer', 2);
    return {};
  }
  if (oidcClientId === undefined) throw new UserError('--oidc-issuer needs --oidc-client-id', 2);
  if (publicUrl === undefined) {
    throw new UserError('--oidc-issuer needs --public-url: the provider sends people back there', 2);
  }
  const groups = oidcGroups === undefined ? undefined : readGroups(readSetting('--oidc-groups', oidcGroups));
  if (groups && !groups.ok) throw new UserError(`Setting --oidc-groups: file "${oidcGroups}" ${groups.error}`, 2);
  return groups ? { groups: groups.value } : {};
}
