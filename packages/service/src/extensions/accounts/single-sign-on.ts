import type { Clock } from '@moorage/base';
import type { OidcProvider } from '../../engine/outbound/oidc.ts';
import { openOidc } from '../../engine/outbound/oidc.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import type { SsoGroups } from '../../engine/settings/sso-groups.ts';

/** The provider that signs people in, and what its groups are here. */
export interface SingleSignOn {
  readonly provider: OidcProvider;
  readonly groups: SsoGroups | undefined;
}

/** What the files of the settings for single sign-on hold. */
export interface SsoFiles {
  readonly groups?: SsoGroups;
}

/** Page of the console that the provider sends people back to. */
const returnPage = 'sso';

/**
 * Single sign-on as the settings have it; none without a provider. People come back to where `--public-url` says,
 * whatever host a request names.
 *
 * @param fetch the network, for tests
 */
export function openSingleSignOn(
  {
    oidcIssuer,
    oidcClientId,
    oidcClientSecret,
    publicUrl,
  }: Pick<Settings, 'oidcIssuer' | 'oidcClientId' | 'publicUrl'> & Partial<Pick<Settings, 'oidcClientSecret'>>,
  clock: Clock,
  { groups }: SsoFiles = {},
  fetch?: Parameters<typeof openOidc>[2],
): SingleSignOn | undefined {
  if (oidcIssuer === undefined || oidcClientId === undefined || publicUrl === undefined) return undefined;
  const origin = new URL(publicUrl).origin;
  const options = {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    redirectUri: `${origin}/${returnPage}`,
    signedOutUri: `${origin}/`,
    scopes: groups?.scopes,
  };
  return { provider: openOidc(options, clock, fetch), groups };
}
