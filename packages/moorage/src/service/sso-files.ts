import type { ServiceOptions } from '@moorage/service';
import type { Settings } from '@moorage/service/engine/settings/settings';
import { readGroups } from '@moorage/service/engine/settings/sso-groups';
import { UserError } from '../command-line/define.ts';
import { readSetting } from '../files/given-file.ts';

/**
 * What the file holds that the settings of single sign-on name.
 *
 * @throws {UserError} when it cannot be read or is wrong
 */
export function readSsoFiles({ oidcGroups }: Pick<Settings, 'oidcGroups'>): NonNullable<ServiceOptions['ssoFiles']> {
  const groups = oidcGroups === undefined ? undefined : readGroups(readSetting('--oidc-groups', oidcGroups));
  if (groups && !groups.ok) throw new UserError(`Setting --oidc-groups: file "${oidcGroups}" ${groups.error}`, 2);
  return groups ? { groups: groups.value } : {};
}
