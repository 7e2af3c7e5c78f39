import type { Client } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { limits } from '../../core/auth/throttle.ts';
import { type Lies, softAuthenticator } from '../../testing/authenticator.ts';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';
import {
  addPasskey,
  beginToAdd,
  origin,
  pageOf,
  person,
  refusedWith,
  toSign,
  withPasskey,
} from '../../testing/passkey-scene.ts';
import { challengeMs } from './second-step.ts';
import { challengeIn, verifyMade, wireText } from './webauthn.ts';

const wrong = refusedWith(403, 'WRONG_PASSKEY');
const wrongChallenge = refusedWith(403, 'WRONG_CHALLENGE');
const tooMany = refusedWith(429, 'TOO_MANY_LOGINS');

type Shown = ReturnType<ReturnType<typeof softAuthenticator>['show']>;

/** What is wrong with a signature, whatever it is for. */
const lies: readonly (readonly [string, Lies])[] = [
  ['made on a page of another service', { origin: 'https://evil.example' }],
  ['made on another port of the host', { origin: `${origin}:8081` }],
  ['for another service', { rpId: 'evil.example' }],
  ['of a passkey that is being made', { type: 'webauthn.create' }],
  ['for another user', { userHandle: wireText('6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e') }],
  ['of a copy that has counted less', { counter: 1 }],
  ['of a passkey that nobody has', { credentialId: 'bW9vcmFnZQ' }],
  ['for a challenge of its own', { challenge: wireText('made up') }],
];

// API-RULE-passkey-1, API-RULE-passkey-2
eachDatabase('who attacks a passkey', (open) => {
  let app: TestApp;
  let page: Client;
  beforeAll(async () => {
    app = await buildApp(await open(), { settings: { signUp: 'open' } });
    page = pageOf(app);
  });

  const alone = (credential: Shown) => page.call('passkeys.open', { body: { credential } });
  const second = (challenge: string, credential: Shown) =>
    page.call('passkeys.open', { body: { challenge, credential } });
  const pageAt = (address: string): Client => pageOf(app, { address });

  it.each(lies)('signs in with no signature %s', async (_, lie) => {
    const ada = await withPasskey(app);
    expect(await alone(ada.key.show(await toSign(page), lie))).toMatchObject(wrong);
    expect(await alone(ada.key.show(await toSign(page)))).toMatchObject({ ok: true });
  });

  it.each(lies)('finishes no login with a signature %s', async (_, lie) => {
    const ada = await withPasskey(app);
    const challenge = await ada.challenge();
    const request = await toSign(page, challenge);
    expect(await second(challenge, ada.key.show(request, lie))).toMatchObject(wrong);
    expect(await second(challenge, ada.key.show(request))).toMatchObject({ ok: true });
  });

  it('has nothing from another port of the host, whatever host it says that it has called', async () => {
    const ada = await withPasskey(app);
    const next = pageOf(app, { headers: { host: 'localhost:8081' } });
    const lie = { origin: `${origin}:8081` };
    const credential = ada.key.show(await toSign(next), lie);
    expect(await next.call('passkeys.open', { body: { credential } })).toMatchObject(wrong);
    const challenge = await ada.challenge();
    expect(unwrap(await next.call('passkeys.begin', { body: { challenge } })).value.options).toBeNull();
    const body = { challenge, credential: ada.key.show(await toSign(page, challenge), lie) };
    expect(await next.call('passkeys.open', { body })).toMatchObject(wrong);
  });

  it('signs in alone with no key that does not know its user', async () => {
    const ada = await withPasskey(app);
    expect(await alone(ada.key.show(await toSign(page), { isVerified: false }))).toMatchObject(wrong);
  });

  it('changes nothing of what was signed', async () => {
    const ada = await withPasskey(app);
    const shown = ada.key.show(await toSign(page), { isVerified: false });
    const data = Buffer.from(shown.response.authenticatorData, 'base64url');
    data[32] = (data[32] ?? 0) | 4;
    const response = { ...shown.response, authenticatorData: data.toString('base64url') };
    expect(await alone({ ...shown, response })).toMatchObject(wrong);
  });

  it('uses a signature once, by two at once as well', async () => {
    const ada = await withPasskey(app);
    const shown = ada.key.show(await toSign(page));
    const both = await Promise.all([alone(shown), alone(shown)]);
    expect(both.filter(({ ok }) => ok).length).toBe(1);
    expect(await alone(shown)).toMatchObject(wrong);
    const challenge = await ada.challenge();
    const next = ada.key.show(await toSign(page, challenge));
    const steps = await Promise.all([second(challenge, next), second(challenge, next)]);
    expect(steps.filter(({ ok }) => ok).length).toBe(1);
    expect(await second(challenge, next)).toMatchObject(wrongChallenge);
  });

  it('signs in with one of two copies that have counted as far, at once as well', async () => {
    const ada = await withPasskey(app);
    const requests = [await toSign(page), await toSign(page)];
    const both = await Promise.all(requests.map((request) => alone(ada.key.show(request, { counter: 9 }))));
    expect(both.filter(({ ok }) => ok).length).toBe(1);
  });

  it('uses no challenge for what it was not made for', async () => {
    const [ada, eve] = [await withPasskey(app), await withPasskey(app)];
    const forAdding = (await beginToAdd(ada)).challenge;
    const login = await ada.challenge();
    const forLogin = await toSign(page, login);
    const forSignIn = await toSign(page);
    // A passkey that is to be made, and the second step of a login, are no sign-in.
    expect(await alone(ada.key.show({ ...forSignIn, challenge: forAdding }))).toMatchObject(wrong);
    expect(await alone(ada.key.show(forLogin))).toMatchObject(wrong);
    // Nor is a sign-in, or the login of another account, the second step of this one.
    expect(await second(login, ada.key.show(forSignIn))).toMatchObject(wrong);
    const other = await eve.challenge();
    expect(await second(other, ada.key.show(await toSign(page, other)))).toMatchObject(wrong);
    expect(await second(login, eve.key.show(forLogin))).toMatchObject(wrong);
    // A sign-in adds no passkey, and what one account has begun, another does not finish.
    const options = await beginToAdd(ada);
    const add = (client: Client, challenge: string) => {
      const credential = softAuthenticator(origin).make({ ...options, challenge });
      return client.call('passkeys.add', { body: { title: 'x', credential } });
    };
    expect(await add(ada.client, forSignIn.challenge)).toMatchObject(wrong);
    expect(await add(ada.client, forLogin.challenge)).toMatchObject(wrong);
    expect(await add(eve.client, options.challenge)).toMatchObject(wrong);
    expect(await add(ada.client, options.challenge)).toMatchObject({ ok: true });
    expect(await add(ada.client, options.challenge)).toMatchObject(wrong);
  });

  it('has five minutes for it', async () => {
    const ada = await withPasskey(app);
    const login = await ada.challenge();
    const [request, step] = [await toSign(page), await toSign(page, login)];
    const options = await beginToAdd(ada);
    await app.clock.advance(challengeMs);
    expect(await alone(ada.key.show(request))).toMatchObject(wrong);
    expect(await second(login, ada.key.show(step))).toMatchObject(wrongChallenge);
    expect(unwrap(await page.call('passkeys.begin', { body: { challenge: login } })).value.options).toBeNull();
    const credential = softAuthenticator(origin).make(options);
    expect(await ada.client.call('passkeys.add', { body: { title: 'x', credential } })).toMatchObject(wrong);
  });

  it('is kept out of a disabled account, and of one that is gone', async () => {
    const ada = await withPasskey(app);
    const { token } = await app.make.admin();
    const params = { user_id: ada.id };
    const login = await ada.challenge();
    const [request, step] = [await toSign(page), await toSign(page, login)];
    unwrap(await app.client.as(token).call('accounts.update', { params, body: { disabled: true } }));
    expect(await alone(ada.key.show(request))).toMatchObject(refusedWith(403, 'ACCOUNT_DISABLED'));
    expect(await second(login, ada.key.show(step))).toMatchObject(wrongChallenge);
    unwrap(await app.client.as(token).call('accounts.remove', { params }));
    expect(await alone(ada.key.show(await toSign(page)))).toMatchObject(wrong);
  });

  it('learns of no account by beginning, and of no passkey by trying', async () => {
    const ada = await withPasskey(app);
    const [one, two] = [await toSign(page), await toSign(page)];
    expect({ ...one, challenge: '' }).toEqual({ ...two, challenge: '' });
    const unknown = await alone(ada.key.show(one, { credentialId: 'bW9vcmFnZQ' }));
    const known = await alone(ada.key.show(two, { origin: 'https://evil.example' }));
    expect(unknown).toEqual(known);
  });

  // API-LIMIT-login
  it('tries ten times in 15 minutes, as with a password', async () => {
    const ada = await withPasskey(app);
    const from = pageAt('10.0.0.1');
    const show = async (lie?: Lies) =>
      from.call('passkeys.open', { body: { credential: ada.key.show(await toSign(from), lie) } });
    for (let time = 0; time < limits.loginOfName.most; time++) {
      expect(await show({ origin: 'https://evil.example' })).toMatchObject(wrong);
    }
    expect(await show()).toMatchObject(tooMany);
    // Another address is another client.
    expect(await alone(ada.key.show(await toSign(page)))).toMatchObject({ ok: true });
    await app.clock.advance(limits.loginOfName.windowMs);
    expect(await show()).toMatchObject({ ok: true });
  });

  // API-LIMIT-factor
  it('tries a second step five times for a challenge', async () => {
    const ada = await withPasskey(app);
    const challenge = await ada.challenge();
    const request = await toSign(page, challenge);
    for (let time = 0; time < 5; time++) {
      expect(await second(challenge, ada.key.show(request, { rpId: 'evil.example' }))).toMatchObject(wrong);
    }
    expect(await second(challenge, ada.key.show(request))).toMatchObject(wrongChallenge);
  });

  // API-LIMIT-passkey
  it('begins so many times from one address', async () => {
    const from = pageAt('10.0.0.2');
    for (let time = 0; time < limits.passkeyOfAddress.most; time++) await toSign(from);
    expect(await from.call('passkeys.begin', { body: {} })).toMatchObject(tooMany);
    expect(await page.call('passkeys.begin', { body: {} })).toMatchObject({ ok: true });
  });

  it('comes from no other page', async () => {
    const ada = await withPasskey(app);
    const credential = ada.key.show(await toSign(page));
    const crossSite = refusedWith(403, 'CROSS_SITE');
    expect(await app.client.call('passkeys.open', { body: { credential } })).toMatchObject(crossSite);
    expect(await app.client.call('passkeys.begin', { body: {} })).toMatchObject(crossSite);
  });

  it('adds none that is not its own', async () => {
    const [ada, eve] = [await withPasskey(app), await person(app)];
    const taken = ada.key.show(await toSign(page)).id;
    const certificate = new Map([['x5c', [new Uint8Array(3)]]]);
    const made: readonly Lies[] = [
      { credentialId: taken },
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { type: 'webauthn.get' },
      { format: 'packed', statement: certificate },
      { format: 'tpm' },
    ];
    for (const lie of made) {
      const credential = softAuthenticator(origin).make(await beginToAdd(eve), lie);
      expect(await eve.client.call('passkeys.add', { body: { title: 'x', credential } })).toMatchObject(wrong);
    }
    expect(unwrap(await eve.client.call('passkeys.list')).value).toEqual([]);
    expect(await eve.login()).toMatchObject({ ok: true });
    // Before anything in it is looked at: what a certificate names, the library may ask other machines for.
    const options = await beginToAdd(eve);
    const certified = softAuthenticator(origin).make(options, { format: 'packed', statement: certificate });
    const found = await verifyMade(certified, { origin, rpId: 'localhost' }, options.challenge);
    expect(found).toEqual({ ok: false, error: 'There is a certificate in it' });
  });

  it('keeps no more than twenty', async () => {
    const ada = await withPasskey(app);
    const options = await beginToAdd(ada);
    for (let count = 1; count < 20; count++) await addPasskey(ada, softAuthenticator(origin));
    const full = refusedWith(409, 'LIMIT_REACHED');
    expect(await ada.client.call('passkeys.register')).toMatchObject(full);
    const credential = softAuthenticator(origin).make(options);
    expect(await ada.client.call('passkeys.add', { body: { title: 'x', credential } })).toMatchObject(full);
  });

  it('sends what is no answer of a browser', async () => {
    const ada = await withPasskey(app);
    const shown = ada.key.show(await toSign(page));
    for (const text of ['bnVsbA', 'e30', 'AA', Buffer.from('{"challenge":1}').toString('base64url')]) {
      expect(challengeIn(text)).toBeUndefined();
      const response = { ...shown.response, clientDataJSON: text };
      expect(
        await pageAt('10.0.0.3').call('passkeys.open', { body: { credential: { ...shown, response } } }),
      ).toMatchObject(wrong);
    }
  });
});
