import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Context } from 'oidc-provider';

/** A provider of OpenID Connect that runs in this process, on a free port of loopback. */
export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Signs somebody in as a browser would that was led to this address; what it is led back with. */
  signIn(url: string, login: string): Promise<string>;
  close(): Promise<void>;
}

/** Pages and redirects of one sign-in. */
const stepsLimit = 12;

/** A browser that goes where it is led, and fills in the page that asks who it is. */
async function walk(first: string, redirectUri: string, login: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = first;
  let form: string | undefined;
  for (let step = 0; step < stepsLimit; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }) };
    const method = form === undefined ? 'GET' : 'POST';
    const reply = await fetch(url, { method, headers, redirect: 'manual', ...(form !== undefined && { body: form }) });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    form = undefined;
    const text = await reply.text();
    const location = reply.headers.get('location');
    if (location?.startsWith(`${redirectUri}?`)) return location.slice(redirectUri.length + 1);
    if (location !== null) url = new URL(location, url).href;
    else {
      const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1];
      if (action === undefined) throw new Error(`The provider shows no form: ${text.slice(0, 500)}`);
      url = new URL(action, url).href;
      form = new URLSearchParams({ prompt: 'login', login, password: 'any' }).toString();
    }
  }
  throw new Error('The sign-in does not end');
}

/** Starts a provider with one client, and people who are called as they say, all of the group `makers`. */
export async function startOidcProvider(client: {
  readonly redirectUri: string;
  readonly signedOutUri: string;
}): Promise<TestProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['moorage', 'a secret of the test'];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [client.redirectUri],
        post_logout_redirect_uris: [client.signedOutUri],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['of the test'] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name'], groups: ['groups'] },
    features: { devInteractions: { enabled: true } },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Grant: 600, Session: 600, Interaction: 600 },
    async loadExistingGrant({ oidc }: Context) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid profile email groups');
      await grant.save();
      return grant;
    },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        email: `${accountId}@example.com`,
        email_verified: true,
        given_name: accountId,
        groups: ['makers'],
      }),
    }),
  });
  server.on('request', provider.callback());
  return {
    issuer,
    clientId,
    clientSecret,
    signIn: (url, login) => walk(url, client.redirectUri, login),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
