import { consoleHeader } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { TOTP } from 'otpauth';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { auditedTimes } from '../../testing/audited.ts';
import { softAuthenticator } from '../../testing/authenticator.ts';
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
import { deleteOldChallenges } from './factor-queries.ts';
import { resetFactors } from './factors.ts';
import { challengeMs } from './second-step.ts';

// API-RULE-passkey-1, API-RULE-passkey-2
eachDatabase('a passkey', (open) => {
  let app: TestApp;
  let page: ReturnType<typeof pageOf>;
  beforeAll(async () => {
    app = await buildApp(await open(), { settings: { signUp: 'open' } });
    page = pageOf(app);
  });

  const works = async (token: string) => (await app.client.as(token).call('users.get')).ok;
  const logsOf = (userId: string) =>
    app.storage.db.selectFrom('logs').selectAll().where('user_id', '=', userId).orderBy('created_at').execute();

  // API-EP-POST-user-passkeys-begin, API-EP-POST-user-passkeys, API-EP-GET-user-passkeys
  it('is added for who shows the password, and ends the sessions that did without a second factor', async () => {
    const ada = await person(app);
    const other = unwrap(await ada.login()).value.token;
    const key = softAuthenticator(origin);
    const options = await beginToAdd(ada);
    expect(options).toMatchObject({ rp: { id: 'localhost' }, user: { name: ada.name }, excludeCredentials: [] });
    const credential = key.make(options);
    const added = unwrap(await ada.client.call('passkeys.add', { body: { title: 'Phone', credential } })).value;
    const passkey = { id: added.passkey.id, title: 'Phone', origin, created_at: String(app.clock.now()) };
    expect(added).toEqual({ passkey: { ...passkey, last_used_at: null }, recovery_codes: expect.any(Array) });
    expect(new Set(added.recovery_codes).size).toBe(10);
    expect(unwrap(await ada.client.call('passkeys.list')).value).toEqual([added.passkey]);
    expect([await works(ada.token), await works(other)]).toEqual([true, false]);
    expect(unwrap(await ada.client.call('factors.get')).value).toEqual({
      needed: false,
      totp: null,
      passkeys: 1,
      recovery_codes: 10,
    });
    // API-RULE-audit-1
    expect(await auditedTimes(app.storage, 'passkeys.add', ada)).toBe(1);
    const messages = (await logsOf(ada.id)).filter(({ ip }) => ip === '127.0.0.1').map(({ message }) => message);
    expect(messages).toContain('Passkey "Phone" added');
    const again = await beginToAdd(ada);
    const known = { id: credential.id, type: 'public-key', transports: ['internal'] };
    expect(again.excludeCredentials).toEqual([known]);
    const next = { title: 'Key', credential: softAuthenticator(origin).make(again) };
    expect(unwrap(await ada.client.call('passkeys.add', { body: next })).value.recovery_codes).toEqual([]);
  });

  // API-EP-POST-auth-passkey, API-EP-POST-auth-session-passkey
  it('signs in alone, with a cookie', async () => {
    const ada = await withPasskey(app);
    const request = await toSign(page);
    expect(request).toMatchObject({ rpId: 'localhost', allowCredentials: [], userVerification: 'required' });
    await app.clock.advance(1_000);
    const reply = await app.api.inject({
      method: 'POST',
      url: '/api/auth/session/passkey',
      headers: { [consoleHeader.name]: consoleHeader.value },
      payload: { credential: ada.key.show(request) },
    });
    expect(reply.json()).toMatchObject({ user_id: ada.id, username: ada.name, factor_needed: false });
    // API-RULE-audit-1
    expect(await auditedTimes(app.storage, 'passkeys.open', ada)).toBe(1);
    const cookie = String(reply.headers['set-cookie']).split(';')[0];
    const own = await app.api.inject({ method: 'GET', url: '/api/auth/session', headers: { cookie } });
    expect(own.json()).toMatchObject({ username: ada.name });
    const [found] = unwrap(await ada.client.call('passkeys.list')).value;
    expect(found?.last_used_at).toBe(String(app.clock.now()));
    const lines = (await logsOf(ada.id)).filter(({ type }) => type === 'user.login');
    expect(JSON.parse(lines.at(-1)?.data ?? '{}')).toEqual({ by: 'passkey' });
    const opened = app.storage.db.selectFrom('tokens').select('opened_by').where('user_id', '=', ada.id);
    expect((await opened.execute()).map(({ opened_by }) => opened_by)).toContain('passkey');
  });

  it('finishes a login whose password was right, and so does a recovery code', async () => {
    const ada = await withPasskey(app);
    const challenge = await ada.challenge();
    const request = await toSign(page, challenge);
    expect(request.allowCredentials.map(({ id }) => id)).toHaveLength(1);
    expect(request.userVerification).toBe('preferred');
    // The password has said who it is: a key without a PIN will do.
    const credential = ada.key.show(request, { isVerified: false });
    const { value } = unwrap(await page.call('passkeys.open', { body: { challenge, credential } }));
    expect(value).toMatchObject({ username: ada.name, factor_needed: false });
    const lines = (await logsOf(ada.id)).filter(({ type }) => type === 'user.login');
    expect(JSON.parse(lines.at(-1)?.data ?? '{}')).toEqual({ by: 'factor' });
    const body = { challenge: await ada.challenge(), code: ada.recovery[0] ?? '' };
    expect(await app.client.call('factors.login', { body })).toMatchObject({ ok: true });
  });

  it('is not offered where the account has none, and to nobody without a login', async () => {
    const ada = await person(app);
    const { secret } = unwrap(await ada.client.call('factors.setUpTotp')).value;
    const code = new TOTP({ secret }).generate({ timestamp: app.clock.now() });
    unwrap(await ada.client.call('factors.confirmTotp', { body: { code } }));
    for (const challenge of [await ada.challenge(), 'x'.repeat(32)]) {
      expect(unwrap(await page.call('passkeys.begin', { body: { challenge } })).value).toEqual({ options: null });
    }
  });

  // API-EP-PUT-user-passkeys-passkey_id
  it('has a name, which its user changes', async () => {
    const ada = await withPasskey(app);
    const params = { passkey_id: ada.passkey.id };
    const rename = (client: typeof ada.client) =>
      client.call('passkeys.rename', { params, body: { title: 'Old laptop' } });
    expect(await rename((await person(app)).client)).toMatchObject(refusedWith(404, 'NOT_FOUND'));
    expect(unwrap(await rename(ada.client)).value.title).toBe('Old laptop');
    expect((await logsOf(ada.id)).map(({ message }) => message)).toContain('Passkey renamed to "Old laptop"');
  });

  // API-EP-POST-user-passkeys-passkey_id-remove
  it('goes, and the recovery codes with the last factor', async () => {
    const ada = await withPasskey(app);
    const second = (await addPasskey(ada, softAuthenticator(origin))).passkey;
    const remove = (id: string, client = ada.client) => client.call('passkeys.remove', { params: { passkey_id: id } });
    expect(await remove(second.id, (await person(app)).client)).toMatchObject(refusedWith(404, 'NOT_FOUND'));
    expect(await remove(ada.id)).toMatchObject(refusedWith(404, 'NOT_FOUND'));
    expect(await remove(second.id)).toMatchObject({ ok: true });
    expect(await ada.login()).toMatchObject(refusedWith(401, 'SECOND_FACTOR_REQUIRED'));
    expect(await remove(ada.passkey.id)).toMatchObject({ ok: true });
    expect(unwrap(await ada.client.call('factors.get')).value).toMatchObject({ passkeys: 0, recovery_codes: 0 });
    expect(await ada.login()).toMatchObject({ ok: true });
    const credential = ada.key.show(await toSign(page));
    expect(await page.call('passkeys.open', { body: { credential } })).toMatchObject(refusedWith(403, 'WRONG_PASSKEY'));
    expect((await logsOf(ada.id)).map(({ message }) => message)).toContain('Passkey "Work laptop" removed');
  });

  it('leaves the app for codes what it is when it goes', async () => {
    const ada = await withPasskey(app);
    const { secret } = unwrap(await ada.client.call('factors.setUpTotp')).value;
    const code = new TOTP({ secret }).generate({ timestamp: app.clock.now() });
    unwrap(await ada.client.call('factors.confirmTotp', { body: { code } }));
    unwrap(await ada.client.call('factors.removeTotp'));
    expect(await ada.login()).toMatchObject(refusedWith(401, 'SECOND_FACTOR_REQUIRED'));
    expect(unwrap(await ada.client.call('factors.get')).value).toMatchObject({ passkeys: 1, recovery_codes: 10 });
  });

  // API-EP-DELETE-users-user_id-second-factor
  it.each(['an administrator', 'the command line'])('is forgotten with the second factor by %s', async (by) => {
    const ada = await withPasskey(app);
    const request = await toSign(page);
    if (by === 'the command line') unwrap(await resetFactors(app.service.deps, ada.name));
    else {
      const { token } = await app.make.admin();
      unwrap(await app.client.as(token).call('accounts.resetFactors', { params: { user_id: ada.id } }));
    }
    expect([await works(ada.token), (await ada.login()).ok]).toEqual([false, true]);
    const credential = ada.key.show(request);
    expect(await page.call('passkeys.open', { body: { credential } })).toMatchObject(refusedWith(403, 'WRONG_PASSKEY'));
  });

  it('leaves nothing of sign-ins that were never finished', async () => {
    await toSign(page);
    await app.clock.advance(challengeMs);
    await deleteOldChallenges(app.storage.db, app.clock.now());
    expect(await app.storage.db.selectFrom('passkey_challenges').selectAll().execute()).toEqual([]);
  });
});

// API-RULE-factor-4, API-RULE-passkey-1
eachDatabase('passkeys and the settings', (open) => {
  let storage: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => {
    storage = await open();
  });

  it('satisfy the policy that wants a second factor', async () => {
    const before = await buildApp(storage, { settings: { signUp: 'open' } });
    const { token } = await person(before);
    const app = await buildApp(storage, { settings: { secondFactor: 'all' } });
    const ada = { client: pageOf(app).as(token) };
    expect(await ada.client.call('users.get')).toMatchObject(refusedWith(403, 'SECOND_FACTOR_NEEDED'));
    expect(unwrap(await ada.client.call('passkeys.list')).value).toEqual([]);
    const { passkey } = await addPasskey(ada, softAuthenticator(origin));
    expect(await ada.client.call('users.get')).toMatchObject({ ok: true });
    unwrap(await ada.client.call('passkeys.remove', { params: { passkey_id: passkey.id } }));
    expect(await ada.client.call('users.get')).toMatchObject(refusedWith(403, 'SECOND_FACTOR_NEEDED'));
  });

  it('are for the public address, whatever host a request names', async () => {
    const publicUrl = 'https://hub.example';
    const app = await buildApp(storage, { settings: { signUp: 'open', publicUrl } });
    const page = pageOf(app, { headers: { host: '10.0.0.7:8080' } });
    expect(unwrap(await page.call('auth.policy')).value.passkeys).toBe(publicUrl);
    const ada = await person(app);
    const key = softAuthenticator(publicUrl);
    await addPasskey(ada, key);
    const request = await toSign(page);
    expect(request.rpId).toBe('hub.example');
    const open = (lies: object) => page.call('passkeys.open', { body: { credential: key.show(request, lies) } });
    expect(await open({ origin: 'http://10.0.0.7:8080' })).toMatchObject(refusedWith(403, 'WRONG_PASSKEY'));
    const credential = key.show(await toSign(page));
    expect(await page.call('passkeys.open', { body: { credential } })).toMatchObject({ ok: true });
    // Another address is another service to browsers: its passkeys are not these.
    const moved = await buildApp(storage, { settings: { publicUrl: 'https://hub.test' } });
    const challenge = await ada.challenge();
    expect(unwrap(await pageOf(moved).call('passkeys.begin', { body: { challenge } })).value.options).toBeNull();
    // Another port of it is not.
    const other = await buildApp(storage, { settings: { publicUrl: `${publicUrl}:8443` } });
    const shown = key.show(await toSign(pageOf(other), challenge), { origin: `${publicUrl}:8443` });
    const body = { challenge, credential: shown };
    expect(await pageOf(other).call('passkeys.open', { body })).toMatchObject({ ok: true });
  });

  it('are refused in words where the address can have none', async () => {
    const app = await buildApp(storage, { settings: { signUp: 'open' } });
    const ada = await person(app);
    const page = pageOf(app, { headers: { host: '10.0.0.7:8080' } });
    const refused = {
      ok: false,
      error: {
        status: 409,
        body: {
          code: 'NO_PASSKEYS',
          message: 'The address "http://10.0.0.7:8080" can have no passkeys: they need HTTPS and a name, or localhost',
        },
      },
    };
    expect(unwrap(await page.call('auth.policy')).value.passkeys).toBeNull();
    expect(await page.call('passkeys.begin', { body: {} })).toMatchObject(refused);
    expect(await page.as(ada.token).call('passkeys.register')).toMatchObject(refused);
    await addPasskey(ada, softAuthenticator(origin));
    const challenge = await ada.challenge();
    expect(unwrap(await page.call('passkeys.begin', { body: { challenge } })).value.options).toBeNull();
  });
});
