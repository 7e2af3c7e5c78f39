import { realClock, unwrap } from '@moorage/base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientId, fakeProvider, issuer } from '../../testing/fake-provider.ts';
import { startOidcProvider, type TestProvider } from '../../testing/oidc-provider.ts';
import type { OidcProvider } from './oidc.ts';
import { openOidc } from './oidc.ts';

// A real provider, on loopback: what the other tests take for granted of the protocol is so.
let provider: TestProvider;
let client: OidcProvider;
const redirectUri = 'http://127.0.0.1:1/sso';

beforeAll(async () => {
  provider = await startOidcProvider({ redirectUri, signedOutUri: 'http://127.0.0.1:1/' });
  const { issuer, clientId, clientSecret } = provider;
  const options = {
    issuer,
    clientId,
    clientSecret,
    redirectUri,
    signedOutUri: 'http://127.0.0.1:1/',
    scopes: 'groups',
  };
  client = openOidc(options, realClock);
});
afterAll(() => provider?.close());

it('signs a person in at a real provider, with the groups that it says, and out again', async () => {
  const begun = unwrap(await client.begin());
  const query = await provider.signIn(begun.url, 'ada');
  const person = unwrap(await client.finish(query, begun));
  expect(person).toMatchObject({
    issuer: provider.issuer,
    subject: 'ada',
    claims: { email: 'ada@example.com', email_verified: true, groups: ['makers'] },
  });
  const url = new URL((await client.signOutUrl(person.idToken)) ?? '');
  expect(url.origin).toBe(provider.issuer);
  expect((await fetch(url)).status).toBe(200);
  // Its code is of no use a second time.
  expect(await client.finish(query, begun)).toMatchObject({ ok: false, error: { kind: 'invalid' } });
});

it('takes nothing from a real provider without the secret of the sign-in', async () => {
  const [one, other] = [unwrap(await client.begin()), unwrap(await client.begin())];
  const query = await provider.signIn(one.url, 'ada');
  const wrong = { ...one, verifier: other.verifier };
  expect(await client.finish(query, wrong)).toMatchObject({ ok: false, error: { kind: 'invalid' } });
});

it('says that a provider is away', async () => {
  const options = { issuer: 'http://127.0.0.1:1', clientId: 'x', clientSecret: undefined, scopes: undefined };
  const away = openOidc({ ...options, redirectUri, signedOutUri: redirectUri }, realClock);
  expect(await away.begin()).toMatchObject({ ok: false, error: { kind: 'away' } });
});

// API-RULE-sso-2
it.each(['', ' '])('takes nobody whose subject is %j, at providers with and without more about people', async (sub) => {
  for (const evil of [fakeProvider(true), fakeProvider(false)]) {
    const options = { issuer, clientId, clientSecret: undefined, scopes: undefined };
    const own = openOidc({ ...options, redirectUri, signedOutUri: redirectUri }, realClock, evil.fetch);
    const begun = unwrap(await own.begin());
    const finish = async (person: object) => own.finish(evil.signIn(begun.url, { ...person }), begun);
    expect(await finish({ sub })).toMatchObject({ ok: false, error: { kind: 'invalid' } });
    expect(await finish({ sub: 'ada' })).toMatchObject({ ok: true, value: { subject: 'ada' } });
  }
});
