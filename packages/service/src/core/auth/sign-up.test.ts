import { dayMs, unwrap } from '@moorage/base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  buildApp,
  eachDatabase,
  extensionsRun,
  type MadeUser,
  type TestApp,
  testSettings,
} from '../../testing/index.ts';
import { lookUps } from '../access/accounts.ts';
import { nameClashes } from '../access/names.ts';
import { signUpPolicy } from './sign-up.ts';
import { limits } from './throttle.ts';

const password = 'a long password';

// API-RULE-signup-1
describe('the policy of signing up', () => {
  it.each([
    [{ host: '127.0.0.1' }, 'open'],
    [{ host: '::1', publicUrl: 'http://localhost:8080' }, 'open'],
    [{ host: '127.0.0.1', publicUrl: 'https://hub.example' }, 'invite'],
    [{ host: '0.0.0.0' }, 'invite'],
    [{ host: '192.0.2.7' }, 'invite'],
    [{ host: '0.0.0.0', signUp: 'open' }, 'open'],
    [{ host: '127.0.0.1', signUp: 'closed' }, 'closed'],
  ] as const)('of %j is %s', (settings, policy) => {
    expect(signUpPolicy({ ...testSettings, ...settings })).toBe(policy);
  });
});

eachDatabase('signing up', (open) => {
  let app: TestApp;
  let admin: MadeUser;
  let number = 0;

  const start = async (signUp: 'open' | 'invite' | 'closed') => {
    const storage = await open();
    app = await buildApp(storage, { settings: { signUp } });
    admin = await app.make.admin({ username: 'boss', email: 'boss@example.com' });
  };
  const signUp = (more: object = {}) =>
    app.client.call('auth.signup', { body: { email: `maker${++number}@example.com`, password, ...more } });
  const code = (reply: Awaited<ReturnType<typeof signUp>>) => (reply.ok ? 'ok' : reply.error.body.code);
  const invite = async (body: object = {}) => {
    const made = await app.client.as(admin.token).call('invitations.create', { body });
    if (!made.ok) throw new Error(made.error.body.message);
    return made.value.value;
  };

  beforeEach(() => start('invite'));
  afterEach(() => app.service.close());

  // API-RULE-signup-1, API-EP-GET-auth-sign-up
  it.runIf(extensionsRun)(
    'needs an invitation, is open or closed, as the policy says, which anybody may read',
    async () => {
      for (const [policy, plain, invited] of [
        ['open', 'ok', 'ok'],
        ['invite', 'INVITATION_NEEDED', 'ok'],
        ['closed', 'SIGN_UP_CLOSED', 'SIGN_UP_CLOSED'],
      ] as const) {
        await app.service.close();
        await start(policy);
        const shown = await app.client.call('auth.policy', {});
        expect(shown.ok && shown.value.value).toEqual({
          sign_up: policy,
          mail: false,
          second_factor: 'optional',
          sso: null,
          passkeys: 'http://localhost',
        });
        expect([policy, code(await signUp())]).toEqual([policy, plain]);
        expect([policy, code(await signUp({ invitation: (await invite()).token }))]).toEqual([policy, invited]);
      }
    },
  );

  // API-RULE-signup-2, API-EP-POST-auth-invitation, API-EP-POST-invitations
  it('uses an invitation once, of thirty at a time one, for its address and role, until its end', async () => {
    const { token } = await invite();
    const both = await Promise.all(Array.from({ length: 8 }, () => signUp({ invitation: token })));
    expect(both.map(code).sort()).toEqual([...Array.from({ length: 7 }, () => 'WRONG_INVITATION'), 'ok']);
    const own = await invite({ email: 'Ada@Example.com', role: 'admin', days: 1 });
    const shown = await app.client.call('auth.invitation', { body: { invitation: own.token } });
    const expires_at = String(app.clock.now() + dayMs);
    expect(shown.ok && shown.value.value).toEqual({ email: 'ada@example.com', role: 'admin', expires_at });
    expect(code(await signUp({ invitation: own.token }))).toBe('WRONG_INVITATION');
    expect(code(await signUp({ invitation: own.token, email: 'ADA@example.com' }))).toBe('ok');
    const ada = await app.storage.db.selectFrom('users').select('role').where('username', '=', 'ada').execute();
    expect(ada).toEqual([{ role: 'admin' }]);
    const late = await invite({ days: 1 });
    await app.clock.skip(dayMs);
    expect(code(await signUp({ invitation: late.token }))).toBe('WRONG_INVITATION');
    const over = await app.client.call('auth.invitation', { body: { invitation: late.token } });
    expect(over).toMatchObject({ ok: false, error: { status: 403, body: { code: 'WRONG_INVITATION' } } });
  });

  it('leaves an invitation unused when the account is refused', async () => {
    const { token } = await invite();
    expect(code(await signUp({ invitation: token, email: 'boss@example.com' }))).toBe('DUPLICATE');
    expect(code(await signUp({ invitation: token }))).toBe('ok');
  });

  // API-EP-GET-invitations, API-EP-DELETE-invitations-invitation_id
  it('by invitations that administrators list and take back, and others do not', async () => {
    const { id, token } = await invite({ email: 'eve@example.com' });
    const calls = app.client.as(admin.token);
    const listed = await calls.call('invitations.list', { query: {} });
    expect(listed.ok && listed.value.value).toMatchObject([
      { id, token: token.slice(-4), email: 'eve@example.com', role: 'user', created_by: 'boss', used_at: null },
    ]);
    const user = await app.make.user();
    const refused = await app.client.as(user.token).call('invitations.create', { body: {} });
    expect(refused).toMatchObject({ ok: false, error: { status: 403 } });
    const revoked = await calls.call('invitations.revoke', { params: { invitation_id: id } });
    expect(revoked.ok).toBe(true);
    expect(code(await signUp({ invitation: token, email: 'eve@example.com' }))).toBe('WRONG_INVITATION');
    const again = await calls.call('invitations.revoke', { params: { invitation_id: id } });
    expect(again).toMatchObject({ ok: false, error: { status: 404 } });
  });

  // API-LIMIT-invitations
  it('has 1,000 open invitations at most', async () => {
    const row = { tail: 'x', role: 'user' as const, created_at: 0, expires_at: app.clock.now() + dayMs };
    const rows = Array.from({ length: 999 }, (_, each) => ({ ...row, id: `id ${each}`, token_hash: `hash ${each}` }));
    for (let at = 0; at < rows.length; at += 333)
      await app.storage.db
        .insertInto('invitations')
        .values(rows.slice(at, at + 333))
        .execute();
    await invite();
    await expect(invite()).rejects.toThrow('1000 open invitations');
  });

  // API-LIMIT-signup
  it('is limited for one address, thirty at once too, and opens again after an hour', async () => {
    await app.service.close();
    await start('open');
    const codes = (await Promise.all(Array.from({ length: 30 }, () => signUp()))).map(code);
    expect(codes.filter((one) => one === 'ok')).toHaveLength(20);
    expect(codes.filter((one) => one === 'TOO_MANY_SIGN_UPS')).toHaveLength(10);
    expect(code(await signUp({ invitation: (await invite()).token }))).toBe('ok');
    await app.clock.skip(3_600_000);
    expect(code(await signUp())).toBe('ok');
  });

  it('is open to others when attempts from many networks fail, and bounded by the accounts that are made', async () => {
    await app.service.close();
    await start('open');
    const from = (remoteAddress: string, email: string) =>
      app.api
        .inject({
          method: 'POST',
          url: '/api/auth/signup',
          payload: { email, password: 'long enough by far' },
          remoteAddress,
        })
        .then((reply) => reply.json().code ?? 'ok');
    const codes: string[] = [];
    for (let net = 0; net < 7; net++)
      for (let time = 0; time < 50; time++)
        codes.push(await from(`2001:db8:${net}:${time % 10}::1`, 'boss@example.com'));
    expect(codes.filter((one) => one === 'DUPLICATE')).toHaveLength(7 * 40);
    expect(await from('192.0.2.1', 'new@example.com')).toBe('ok');
    const { attempts } = app.service.deps;
    for (let made = 2; made < limits.signUpInAll.most; made++) unwrap(await attempts.begin(limits.signUpInAll, ''));
    expect(await from('192.0.2.1', 'newer@example.com')).toBe('ok');
    expect(await from('192.0.2.1', 'newest@example.com')).toBe('TOO_MANY_SIGN_UPS');
  });

  // API-LIMIT-look-ups
  it('with one invitation tries no more names and addresses than an account looks up', async () => {
    const { token } = await invite();
    const codes: string[] = [];
    for (let time = 0; time <= lookUps.most; time++)
      codes.push(code(await signUp({ invitation: token, username: 'boss' })));
    expect(codes.filter((one) => one === 'DUPLICATE')).toHaveLength(lookUps.most);
    expect(codes.at(-1)).toBe('TOO_MANY_LOOK_UPS');
  });

  // API-LIMIT-login
  it('and logging in: one address is stopped across names, and others are not', async () => {
    const from = (remoteAddress: string, username: string) =>
      app.api.inject({
        method: 'POST',
        url: '/api/auth/login',
        payload: { username, password: 'wrong' },
        remoteAddress,
      });
    for (let each = 0; each < 100; each++) {
      const { statusCode } = await from(`2001:db8::${each.toString(16)}`, `name${each}`);
      if (statusCode !== 401) expect([each, statusCode]).toEqual([each, 401]);
    }
    expect((await from('2001:db8::ffff', 'another')).statusCode).toBe(429);
    expect((await from('2001:db8:0:1::1', 'another')).statusCode).toBe(401);
  });

  // API-RULE-names-1
  it.runIf(extensionsRun)(
    'takes no name that a customer, a manufacturer or another user has, in any letter case, nor the reverse',
    async () => {
      await app.service.close();
      await start('open');
      const calls = app.client.as(admin.token);
      const customer = (name: string) => calls.call('customers.create', { body: { name } });
      const platform = (manufacturer: string) =>
        calls.call('platforms.create', { body: { code: `P${++number}`, title: 'x', manufacturer } });
      expect((await customer('Acme')).ok).toBe(true);
      expect((await platform('Tide Works')).ok).toBe(true);
      for (const username of ['ACME', 'tide_works', 'Tide.Works', 'Boss'])
        expect([username, code(await signUp({ username }))]).toEqual([
          username,
          username === 'Tide.Works' ? 'ok' : 'DUPLICATE',
        ]);
      // A name that is made from an address gives way.
      expect(code(await signUp({ email: 'acme@example.com' }))).toBe('ok');
      const made = await app.storage.db
        .selectFrom('users')
        .select('username')
        .where('email', '=', 'acme@example.com')
        .execute();
      expect(made).toEqual([{ username: 'acme2' }]);
      expect((await customer('tide_works')).ok).toBe(false);
      expect((await platform('ACME')).ok).toBe(false);
      expect((await platform('acme2')).ok).toBe(false);
      expect((await platform('Tide Works')).ok).toBe(true);
      // An administrator may be the maker of their own platforms.
      expect((await platform('Boss')).ok).toBe(true);
      expect(await nameClashes(app.storage.db)).toEqual(['boss']);
    },
  );

  it('gives a name to one of two that want it at once', async () => {
    await app.service.close();
    await start('open');
    const calls = app.client.as(admin.token);
    for (const name of ['one', 'two', 'three']) {
      const won = await Promise.all([signUp({ username: name }), calls.call('customers.create', { body: { name } })]);
      expect([name, won.filter(({ ok }) => ok).length]).toEqual([name, 1]);
    }
  });
});
