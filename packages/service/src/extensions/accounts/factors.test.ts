import { consoleHeader } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { TOTP } from 'otpauth';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { replacePassword } from '../../core/auth/accounts.ts';
import { checkDeviceLogin } from '../../core/auth/credentials.ts';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';
import { deleteChallenges, deleteOldChallenges } from './factor-queries.ts';
import { resetFactors } from './factors.ts';
import { challengeMs, totpStep, totpUrl } from './second-step.ts';

const password = 'correct horse';
const stepMs = 30_000;
const refusedWith = (status: number, code: string) => ({ ok: false, error: { status, body: { code } } });
const wrongFactor = refusedWith(403, 'WRONG_SECOND_FACTOR');
const wrongChallenge = refusedWith(403, 'WRONG_CHALLENGE');
const none = { needed: false, totp: null, passkeys: 0, recovery_codes: 0 };

describe('codes of an app', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

  // The vectors of RFC 6238, of which an app shows the last six digits.
  it.each([
    [59_000, '287082', 1],
    [1_111_111_109_000, '081804', 37_037_036],
    [20_000_000_000_000, '353130', 666_666_666],
  ])('at %i ms: %s', (now, code, step) => {
    expect(totpStep(secret, code, now)).toBe(step);
    expect([totpStep(secret, code, now + stepMs), totpStep(secret, code, now - stepMs)]).toEqual([step, step]);
    expect([totpStep(secret, code, now + 2 * stepMs), totpStep(secret, code, now - 2 * stepMs)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('come from an address that apps read', () => {
    expect(totpUrl(secret, 'ada')).toBe(
      `otpauth://totp/Moorage:ada?issuer=Moorage&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
  });
});

// API-RULE-factor-1, API-RULE-factor-2, API-RULE-factor-3
eachDatabase('a second factor', (open) => {
  let app: TestApp;
  let counter = 0;
  beforeAll(async () => {
    app = await buildApp(await open(), { settings: { signUp: 'open' } });
  });

  /** A new account; none of the tests sees that of another. */
  async function person() {
    const name = `ada${++counter}`;
    const body = { email: `${name}@example.com`, password };
    const { token } = unwrap(await app.client.call('auth.signup', { body })).value;
    const client = app.client.as(token);
    const { id } = unwrap(await client.call('users.get')).value;
    const login = () => app.client.call('auth.login', { body: { username: name, password } });
    const challenge = async (): Promise<string> => {
      const refused = await login();
      expect(refused).toMatchObject(refusedWith(401, 'SECOND_FACTOR_REQUIRED'));
      return refused.ok ? '' : (refused.error.body.challenge ?? '');
    };
    return { id, name, token, client, login, challenge };
  }

  /** An account whose app shows codes; each call gives the next one that counts. */
  async function withApp() {
    const made = await person();
    const { url, secret } = unwrap(await made.client.call('factors.setUpTotp')).value;
    expect(url).toContain(secret);
    const code = () => new TOTP({ secret }).generate({ timestamp: app.clock.now() });
    const next = async () => {
      await app.clock.advance(stepMs);
      return code();
    };
    const confirmed = await made.client.call('factors.confirmTotp', { body: { code: code() } });
    return { ...made, secret, code, next, recovery: unwrap(confirmed).value.recovery_codes };
  }

  const finish = (challenge: string, code: string) => app.client.call('factors.login', { body: { challenge, code } });
  const works = async (token: string) => (await app.client.as(token).call('users.get')).ok;
  const logsOf = (userId: string) =>
    app.storage.db.selectFrom('logs').selectAll().where('user_id', '=', userId).orderBy('created_at').execute();

  // API-EP-POST-user-second-factor-totp, API-EP-POST-user-second-factor-totp-confirm, API-EP-GET-user-second-factor
  it('counts once a code has confirmed it, and ends the sessions that did without', async () => {
    const ada = await person();
    const other = unwrap(await ada.login()).value.token;
    const { secret } = unwrap(await ada.client.call('factors.setUpTotp')).value;
    expect(unwrap(await ada.client.call('factors.get')).value).toEqual(none);
    expect(await ada.login()).toMatchObject({ ok: true });
    expect(await ada.client.call('factors.confirmTotp', { body: { code: 'abcdef' } })).toMatchObject(wrongFactor);
    const code = new TOTP({ secret }).generate({ timestamp: app.clock.now() });
    const { recovery_codes } = unwrap(await ada.client.call('factors.confirmTotp', { body: { code } })).value;
    expect(new Set(recovery_codes).size).toBe(10);
    expect(unwrap(await ada.client.call('factors.get')).value).toEqual({
      needed: false,
      totp: { created_at: String(app.clock.now()) },
      passkeys: 0,
      recovery_codes: 10,
    });
    expect([await works(ada.token), await works(other)]).toEqual([true, false]);
    expect(await ada.client.call('factors.confirmTotp', { body: { code } })).toMatchObject(wrongFactor);
    const stored = JSON.stringify(await app.storage.db.selectFrom('recovery_codes').selectAll().execute());
    expect(recovery_codes.some((one) => stored.includes(one))).toBe(false);
    const messages = (await logsOf(ada.id)).filter(({ ip }) => ip === '127.0.0.1').map(({ message }) => message);
    expect(messages).toEqual(
      expect.arrayContaining(['Secret of an app for codes made', 'Second factor: codes of an app']),
    );
  });

  // API-EP-POST-auth-second-factor
  it('finishes a login, which opens no session before', async () => {
    const ada = await withApp();
    const challenge = await ada.challenge();
    const { token } = unwrap(await finish(challenge, await ada.next())).value;
    expect(await works(token)).toBe(true);
    const lines = (await logsOf(ada.id)).filter(({ type }) => type === 'user.login');
    expect(JSON.parse(lines.at(-1)?.data ?? '{}')).toEqual({ by: 'factor' });
  });

  it('is asked for by every door that takes a password', async () => {
    const ada = await withApp();
    const body = { username: ada.name, password };
    const deps = app.service.deps;
    expect(await app.client.call('auth.login', { body })).toMatchObject(refusedWith(401, 'SECOND_FACTOR_REQUIRED'));
    const headers = { host: 'service', [consoleHeader.name]: consoleHeader.value };
    const session = await app.api.inject({ method: 'POST', url: '/api/auth/session', headers, payload: body });
    expect([session.json().code, session.headers['set-cookie']]).toEqual(['SECOND_FACTOR_REQUIRED', undefined]);
    expect(await checkDeviceLogin(deps, { ...body, ip: '127.0.0.1' })).toMatchObject({
      error: { code: 'TOKEN_NEEDED' },
    });
    const basic = `Basic ${Buffer.from(`${ada.name}:${password}`).toString('base64')}`;
    const withBasic = await app.api.inject({ method: 'GET', url: '/api/user', headers: { authorization: basic } });
    expect(withBasic.statusCode).toBe(401);
  });

  // API-EP-POST-auth-session-second-factor
  it('finishes a login from a page of the service with a cookie', async () => {
    const ada = await withApp();
    const payload = { challenge: await ada.challenge(), code: await ada.next() };
    const send = (headers: object) =>
      app.api.inject({
        method: 'POST',
        url: '/api/auth/session/second-factor',
        headers: { host: 'service', ...headers },
        payload,
      });
    expect((await send({})).json()).toMatchObject({ code: 'CROSS_SITE' });
    const reply = await send({ [consoleHeader.name]: consoleHeader.value });
    expect(reply.json()).toMatchObject({ username: ada.name, factor_needed: false });
    const cookie = String(reply.headers['set-cookie']).split(';')[0];
    const own = await app.api.inject({ method: 'GET', url: '/api/auth/session', headers: { cookie } });
    expect(own.json()).toMatchObject({ username: ada.name, factor_needed: false });
  });

  it('refuses a code that was used, by two at once as well', async () => {
    const ada = await withApp();
    const code = await ada.next();
    const [one, two, later] = [await ada.challenge(), await ada.challenge(), await ada.challenge()];
    const both = await Promise.all([finish(one, code), finish(two, code)]);
    expect(both.filter(({ ok }) => ok).length).toBe(1);
    expect(await finish(later, code)).toMatchObject(wrongFactor);
    expect(await finish(later, await ada.next())).toMatchObject({ ok: true });
  });

  it('refuses the code of another account, and its recovery code', async () => {
    const [ada, eve] = [await withApp(), await withApp()];
    const challenge = await ada.challenge();
    expect(await finish(challenge, await eve.next())).toMatchObject(wrongFactor);
    expect(await finish(challenge, eve.recovery[0] ?? '')).toMatchObject(wrongFactor);
    // The challenge of another account wants a code of that account.
    expect(await finish(await eve.challenge(), await ada.next())).toMatchObject(wrongFactor);
  });

  it('takes a challenge once, by two at once as well', async () => {
    const ada = await withApp();
    const challenge = await ada.challenge();
    const [one = '', two = '', three = ''] = ada.recovery;
    const both = await Promise.all([finish(challenge, one), finish(challenge, two)]);
    expect(both.filter(({ ok }) => ok).length).toBe(1);
    expect(await finish(challenge, three)).toMatchObject(wrongChallenge);
    expect(await finish('x'.repeat(32), three)).toMatchObject(wrongChallenge);
  });

  it('takes a challenge for five minutes', async () => {
    const ada = await withApp();
    const challenge = await ada.challenge();
    await app.clock.advance(challengeMs);
    expect(await finish(challenge, ada.code())).toMatchObject(wrongChallenge);
    await deleteOldChallenges(app.storage.db, app.clock.now());
    const left = await app.storage.db.selectFrom('challenges').selectAll().where('user_id', '=', ada.id).execute();
    expect(left).toEqual([]);
  });

  // API-LIMIT-factor
  it('is guessed five times for a challenge, and ten times in 15 minutes for an account', async () => {
    const ada = await withApp();
    const guess = async (challenge: string, times: number) => {
      for (let time = 0; time < times; time++) expect(await finish(challenge, 'abcdef')).toMatchObject(wrongFactor);
    };
    const first = await ada.challenge();
    await guess(first, 5);
    expect(await finish(first, await ada.next())).toMatchObject(wrongChallenge);
    await guess(await ada.challenge(), 5);
    expect(await finish(await ada.challenge(), await ada.next())).toMatchObject(refusedWith(429, 'TOO_MANY_LOGINS'));
    const proof = { body: { code: ada.recovery[0] ?? '' } };
    expect(await ada.client.call('proof.show', proof)).toMatchObject(refusedWith(429, 'TOO_MANY_LOGINS'));
    await app.clock.advance(15 * 60_000);
    expect(await finish(await ada.challenge(), ada.code())).toMatchObject({ ok: true });
  });

  it('has recovery codes that work once each, however they are typed', async () => {
    const ada = await withApp();
    const [code = ''] = ada.recovery;
    expect(await finish(await ada.challenge(), code.toUpperCase().replaceAll('-', ' '))).toMatchObject({ ok: true });
    expect(await finish(await ada.challenge(), code)).toMatchObject(wrongFactor);
    expect(unwrap(await ada.client.call('factors.get')).value.recovery_codes).toBe(9);
  });

  // API-EP-POST-user-second-factor-recovery-codes
  it('has other recovery codes when they are asked for', async () => {
    const ada = await withApp();
    const { recovery_codes } = unwrap(await ada.client.call('factors.renewCodes')).value;
    expect(recovery_codes).toHaveLength(10);
    const challenge = await ada.challenge();
    expect(await finish(challenge, ada.recovery[0] ?? '')).toMatchObject(wrongFactor);
    expect(await finish(challenge, recovery_codes[0] ?? '')).toMatchObject({ ok: true });
  });

  it('stays until the app that replaces it is confirmed', async () => {
    const ada = await withApp();
    const { secret } = unwrap(await ada.client.call('factors.setUpTotp')).value;
    expect(await finish(await ada.challenge(), await ada.next())).toMatchObject({ ok: true });
    await app.clock.advance(stepMs);
    const code = new TOTP({ secret }).generate({ timestamp: app.clock.now() });
    expect(unwrap(await ada.client.call('factors.confirmTotp', { body: { code } })).value).toEqual({
      recovery_codes: [],
    });
    const challenge = await ada.challenge();
    expect(await finish(challenge, await ada.next())).toMatchObject(wrongFactor);
    const now = new TOTP({ secret }).generate({ timestamp: app.clock.now() });
    expect(await finish(challenge, now)).toMatchObject({ ok: true });
  });

  // API-EP-POST-user-second-factor-totp-remove
  it('goes, with its recovery codes', async () => {
    const ada = await withApp();
    expect(await ada.client.call('factors.removeTotp')).toMatchObject({
      ok: true,
    });
    expect(unwrap(await ada.client.call('factors.get')).value).toEqual(none);
    expect(await ada.login()).toMatchObject({ ok: true });
    for (const call of ['factors.removeTotp', 'factors.renewCodes'] as const) {
      expect(await ada.client.call(call)).toMatchObject(refusedWith(404, 'NOT_FOUND'));
    }
  });

  // API-EP-DELETE-users-user_id-second-factor
  it('is forgotten by an administrator for who has lost it', async () => {
    const ada = await withApp();
    const { token, id: user } = await app.make.admin();
    const params = { user_id: ada.id };
    const listed = async () => unwrap(await app.client.as(token).call('accounts.get', { params })).value.second_factor;
    expect(await listed()).toBe(true);
    expect(await ada.client.call('accounts.resetFactors', { params })).toMatchObject(refusedWith(403, 'FORBIDDEN'));
    expect(await app.client.as(token).call('accounts.resetFactors', { params })).toMatchObject({ ok: true });
    expect([await listed(), await works(ada.token)]).toEqual([false, false]);
    expect(await ada.login()).toMatchObject({ ok: true });
    expect(await logsOf(user)).toContainEqual(
      expect.objectContaining({
        message: `Second factor of ${ada.name} removed by an administrator`,
        ip: '127.0.0.1',
      }),
    );
  });

  it('is forgotten on the command line', async () => {
    const ada = await withApp();
    expect(await resetFactors(app.service.deps, ada.name)).toMatchObject({ value: { id: ada.id } });
    expect([await works(ada.token), (await ada.login()).ok]).toEqual([false, true]);
    expect(await resetFactors(app.service.deps, 'nobody')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('leaves no login open when the account is disabled or gets another password', async () => {
    const ada = await withApp();
    const { token } = await app.make.admin();
    const params = { user_id: ada.id };
    const disable = (disabled: boolean) => app.client.as(token).call('accounts.update', { params, body: { disabled } });
    const before = await ada.challenge();
    unwrap(await disable(true));
    unwrap(await disable(false));
    expect(await finish(before, await ada.next())).toMatchObject(wrongChallenge);
    const again = await ada.challenge();
    unwrap(await replacePassword(app.service.deps, ada.name, 'battery staple', deleteChallenges));
    expect(await finish(again, await ada.next())).toMatchObject(wrongChallenge);
  });

  // API-RULE-factor-5
  it('keeps devices to tokens that may operate them', async () => {
    const ada = await withApp();
    const eve = await person();
    const made = async (body: object) => unwrap(await ada.client.call('tokens.create', { body })).value.token;
    const claim = (username: string, shown: string) =>
      checkDeviceLogin(app.service.deps, { username, password: shown, ip: '127.0.0.1' });
    const good = [await made({}), await made({ scopes: ['operate'], days: 1 })];
    for (const token of good) {
      expect(await claim(ada.name, token)).toMatchObject({ value: { id: ada.id } });
      expect(await claim(eve.name, token)).toMatchObject({ error: { code: 'WRONG_LOGIN' } });
    }
    for (const token of [await made({ scopes: ['read'] }), ada.token]) {
      expect(await claim(ada.name, token)).toMatchObject({ error: { code: 'WRONG_LOGIN' } });
    }
    await app.storage.db
      .updateTable('tokens')
      .set({ expires_at: app.clock.now() })
      .where('expires_at', 'is not', null)
      .execute();
    expect(await claim(ada.name, good[1] ?? '')).toMatchObject({ error: { code: 'WRONG_LOGIN' } });
    expect(await claim(eve.name, password)).toMatchObject({ value: { id: eve.id } });
  });
});

// API-RULE-factor-4
eachDatabase('the policy of second factors', (open) => {
  let storage: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => {
    storage = await open();
  });

  const needed = refusedWith(403, 'SECOND_FACTOR_NEEDED');

  it('holds sessions without one to setting it up, also those that were open before; tokens go on', async () => {
    const before = await buildApp(storage, { settings: { signUp: 'open' } });
    const body = { email: 'ada@example.com', password };
    const { token } = unwrap(await before.client.call('auth.signup', { body })).value;
    const byHand = unwrap(await before.client.as(token).call('tokens.create', {})).value.token;
    const app = await buildApp(storage, { settings: { secondFactor: 'all' } });
    expect(unwrap(await app.client.call('auth.policy')).value.second_factor).toBe('all');
    const ada = app.client.as(token);
    expect(await ada.call('users.get')).toMatchObject(needed);
    expect(await ada.call('tokens.create', {})).toMatchObject(needed);
    expect(await app.client.as(byHand).call('users.get')).toMatchObject({ ok: true });
    expect(unwrap(await ada.call('session.get')).value.factor_needed).toBe(true);
    expect(unwrap(await ada.call('factors.get')).value.needed).toBe(true);
    const { secret } = unwrap(await ada.call('factors.setUpTotp')).value;
    const code = new TOTP({ secret }).generate({ timestamp: app.clock.now() });
    unwrap(await ada.call('factors.confirmTotp', { body: { code } }));
    expect(await ada.call('users.get')).toMatchObject({ ok: true });
    expect(unwrap(await ada.call('session.get')).value.factor_needed).toBe(false);
    unwrap(await ada.call('factors.removeTotp'));
    expect(await ada.call('users.get')).toMatchObject(needed);
  });

  it('may be about administrators alone', async () => {
    const app = await buildApp(storage, { settings: { signUp: 'open', secondFactor: 'administrators' } });
    const body = { email: 'ada@example.com', password };
    const { token } = unwrap(await app.client.call('auth.signup', { body })).value;
    expect(await app.client.as(token).call('users.get')).toMatchObject({ ok: true });
    await storage.db.updateTable('users').set({ role: 'admin' }).where('username', '=', 'ada').execute();
    const again = unwrap(await app.client.call('auth.login', { body: { username: 'ada', password } })).value.token;
    expect(await app.client.as(again).call('users.get')).toMatchObject(needed);
  });
});
