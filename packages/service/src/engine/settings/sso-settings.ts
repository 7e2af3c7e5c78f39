import { type SsoAccountPolicy, ssoAccountPolicies } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Setting } from './config.ts';
import { anyText, isLoopbackHost, oneOf } from './setting-texts.ts';

/** Single sign-on; there is none without an issuer. */
export interface SsoSettings {
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  /** Of a confidential client. */
  readonly oidcClientSecret: string | undefined;
  /** What the console calls the provider. */
  readonly oidcName: string;
  /** File (JSON) that says what the groups of the provider are here. */
  readonly oidcGroups: string | undefined;
  readonly oidcAccounts: SsoAccountPolicy;
}

/** An address of a provider: in the clear on this machine alone. */
function issuer(text: string): Result<string, string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  const isPlain = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return isSafe && isPlain
    ? success(text)
    : failure(`must be an https address, or an http address of this machine, not "${text}"`);
}

export const ssoSettings: readonly Setting[] = [
  {
    name: 'oidcIssuer',
    flag: 'oidc-issuer',
    placeholder: 'URL',
    help: 'provider of OpenID Connect that signs people in, with --oidc-client-id and --public-url: https://id.example/realms/main',
    parse: issuer,
    secret: false,
  },
  {
    name: 'oidcClientId',
    flag: 'oidc-client-id',
    placeholder: 'ID',
    help: 'what the provider calls this service',
    parse: anyText,
  },
  {
    name: 'oidcClientSecret',
    flag: 'oidc-client-secret',
    placeholder: 'SECRET',
    help: 'secret of that client; a public client has none',
    parse: anyText,
    secret: true,
  },
  {
    name: 'oidcName',
    flag: 'oidc-name',
    placeholder: 'NAME',
    help: 'what the console calls the provider',
    default: 'single sign-on',
    parse: (text) => (text.length > 60 ? failure('must not have more than 60 characters') : anyText(text)),
  },
  {
    name: 'oidcGroups',
    flag: 'oidc-groups',
    placeholder: 'FILE',
    help: 'file (JSON) that says which roles the groups of the provider have; who is in none of them is kept out',
    parse: anyText,
  },
  {
    name: 'oidcAccounts',
    flag: 'oidc-accounts',
    placeholder: 'POLICY',
    help: 'who gets in by single sign-on: create (an account is made for whoever the provider signs in) or invited (with an account or an invitation)',
    default: 'invited',
    parse: oneOf('must be', ssoAccountPolicies, ' or '),
  },
];
