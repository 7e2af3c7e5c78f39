import { randomUUID } from 'node:crypto';
import { callUrl, contract, endpointsOf } from '@moorage/api';
import { unwrap } from '@moorage/base';
import type { InjectOptions } from 'fastify';
import { TOTP } from 'otpauth';
import { beforeAll, expect, it } from 'vitest';
import { proofMs } from '../../core/access/token-limits.ts';
import { makeToken } from '../../core/auth/accounts.ts';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';
import { pageOf, refusedWith, toSign, withPasskey } from '../../testing/passkey-scene.ts';

const password = 'correct horse';
const needed = { error: { status: 403, body: { code: 'PROOF_NEEDED' } } };

/** By which an account could be taken. One that is missing here, or asks for no proof, fails the test. */
const takes: Readonly<Record<string, object | undefined>> = {
  'factors.setUpTotp': undefined,
  'factors.confirmTotp': { code: '123456' },
  'factors.removeTotp': undefined,
  'factors.renewCodes': undefined,
  'passkeys.register': undefined,
  'passkeys.add': {
    title: 'x',
    credential: { id: 'x', response: { clientDataJSON: 'x', attestationObject: 'x' } },
  },
  'passkeys.remove': undefined,
  'sso.link': {},
  'sso.unlink': undefined,
  'invitations.create': { role: 'admin' },
  'users.update': { email: 'given in each call' },
  'accounts.update': { role: 'admin' },
  'accounts.resetPassword': undefined,
  'accounts.resetFactors': undefined,
  'accounts.remove': undefined,
  'tokens.create': {},
  'serviceAccounts.addToken': { title: 'x', scopes: ['read'] },
};

// API-RULE-proof-1
eachDatabase('the proof of who calls', (open) => {
  let app: TestApp;

  beforeAll(async () => {
    app = await buildApp(await open(), { settings: { signUp: 'open' } });
  });

  async function person(name: string) {
    const body = { email: `${name}@example.com`, password };
    const { token } = unwrap(await app.client.call('auth.signup', { body })).value;
    return { token, client: app.client.as(token), login: { username: name, password } };
  }

  /** The code with which each endpoint of the list refuses a token. */
  async function refusals(token: string) {
    const found: Record<string, string | undefined> = {};
    const params = Object.fromEntries(
      ['user_id', 'passkey_id', 'link_id', 'product_id', 'service_account_id'].map((name) => [
        name,
        '00000000-0000-4000-8000-000000000000',
      ]),
    );
    for (const { name, shape } of endpointsOf(contract)) {
      if (!(name in takes)) continue;
      const payload = name === 'users.update' ? { email: `${randomUUID()}@example.com` } : takes[name];
      const reply = await app.api.inject({
        // Safe: only the contract's methods.
        method: shape.method as NonNullable<InjectOptions['method']>,
        url: callUrl(shape, { params }),
        headers: { authorization: `Bearer ${token}` },
        ...(payload && { payload }),
      });
      found[name] = /"code":"(\w+)"/.exec(reply.payload)?.[1];
    }
    return found;
  }

  it('is asked for by everything that an account could be taken by, and by nothing else', () => {
    const asks = endpointsOf(contract).filter(({ shape: { proof } }) => proof !== undefined && proof !== 'in the body');
    expect(asks.map(({ name }) => name).sort()).toEqual(Object.keys(takes).sort());
  });

  it('is what a session begins with, for ten minutes, and a token alone never has', async () => {
    const ada = await person('ada');
    const fresh = await refusals(ada.token);
    expect(Object.values(fresh)).not.toContain('PROOF_NEEDED');
    const again = unwrap(await app.client.call('auth.login', { body: ada.login })).value.token;
    const { id } = unwrap(await app.client.as(again).call('users.get')).value;
    const limits = { scopes: ['all'] as const, days: 1 };
    const made = await makeToken(app.storage.db, {
      userId: id,
      title: 'x',
      client: null,
      atMs: app.clock.now(),
      ...limits,
    });
    const all = Object.fromEntries(Object.keys(takes).map((name) => [name, 'PROOF_NEEDED']));
    expect(await refusals(made.token)).toEqual(all);
    await app.clock.skip(proofMs);
    expect(await refusals(again)).toEqual(all);
    const { until } = unwrap(
      await app.client.as(again).call('proof.show', { body: { current_password: password } }),
    ).value;
    expect(until).toBe(String(app.clock.now() + proofMs));
    const proven = await refusals(again);
    expect(Object.values(proven)).not.toContain('PROOF_NEEDED');
  });

  it('is asked for of a token that shall outlive the one that makes it, and of no other', async () => {
    const bob = await person('bob');
    const { token } = unwrap(await bob.client.call('tokens.create', { body: { days: 10 } })).value;
    await app.clock.skip(proofMs);
    const byHand = app.client.as(token);
    expect(await byHand.call('tokens.create', { body: {} })).toMatchObject(needed);
    expect(await byHand.call('tokens.create', { body: { days: 10 } })).toMatchObject(needed);
    expect(await byHand.call('tokens.create', { body: { days: 9 } })).toMatchObject({ ok: true });
  });

  it('is not asked for where the address stays', async () => {
    const cyd = await person('cyd');
    await app.clock.skip(proofMs);
    expect(await cyd.client.call('users.update', { body: { name_given: 'Cyd' } })).toMatchObject({ ok: true });
    expect(await cyd.client.call('users.update', { body: { email: 'new@example.com' } })).toMatchObject(needed);
  });

  // API-EP-POST-user-proof
  it('is a password, a code or a passkey of the caller, and counts for the token that it came with', async () => {
    const dan = await person('dan');
    const other = unwrap(await app.client.call('auth.login', { body: dan.login })).value.token;
    const { secret } = unwrap(await dan.client.call('factors.setUpTotp')).value;
    const code = () => new TOTP({ secret }).generate({ timestamp: app.clock.now() });
    unwrap(await dan.client.call('factors.confirmTotp', { body: { code: code() } }));
    await app.clock.skip(proofMs);
    const show = (body: object) => dan.client.call('proof.show', { body });
    expect(await show({})).toMatchObject(refusedWith(400, 'INVALID_REQUEST'));
    expect(await show({ current_password: 'wrong' })).toMatchObject(refusedWith(403, 'WRONG_PASSWORD'));
    expect(await show({ code: 'abcdef' })).toMatchObject(refusedWith(403, 'WRONG_SECOND_FACTOR'));
    expect(await dan.client.call('factors.renewCodes')).toMatchObject(needed);
    expect(await show({ code: code() })).toMatchObject({ ok: true });
    expect(await dan.client.call('factors.renewCodes')).toMatchObject({ ok: true });
    expect(await app.client.as(other).call('factors.get')).toMatchObject({ error: { status: 401 } });
  });

  it('is no passkey of another', async () => {
    const [eve, fay] = [await withPasskey(app), await withPasskey(app)];
    await app.clock.skip(proofMs);
    const show = async ({ key }: typeof eve) =>
      eve.client.call('proof.show', { body: { credential: key.show(await toSign(pageOf(app))) } });
    expect(await show(fay)).toMatchObject(refusedWith(403, 'WRONG_PASSKEY'));
    expect(await show(eve)).toMatchObject({ ok: true });
  });
});
