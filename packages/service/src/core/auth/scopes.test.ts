import type { InputOf } from '@moorage/api';
import { dayMs, unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { buildApp, eachDatabase, extensionsRun, type MadeUser, type TestApp } from '../../testing/index.ts';

type Limits = NonNullable<InputOf<'tokens.create'>['body']>;

/** What a refused call looks like. */
const refusedWith = (status: number, code: string, more: object = {}) => ({
  ok: false,
  error: { status, body: { statusCode: status, code, ...more } },
});

// API-EP-POST-user-tokens, API-RULE-token-3, API-RULE-token-4
eachDatabase('limits of tokens', (open) => {
  let app: TestApp;
  let user: MadeUser;
  beforeAll(async () => {
    app = await buildApp(await open());
    user = await app.make.user();
  });

  const mine = () => app.client.as(user.token);
  const add = async (body: Limits) => unwrap(await mine().call('tokens.create', { body })).value;
  const product = async () => app.make.product({ user_id: user.id, platform_id: (await app.make.platform()).id });

  it('are none where nothing is said, as tokens always were', async () => {
    expect(await add({})).toMatchObject({ scopes: ['all'], product_ids: null, expires_at: null, user_agent: null });
    expect(await add({ scopes: ['read', 'all'] })).toMatchObject({ scopes: ['all'] });
  });

  it('are in the record, the list and the log', async () => {
    const { id } = await product();
    const scopes = ['publish' as const, 'publish' as const];
    const body = { title: 'CI', scopes, product_ids: [id], days: 2 };
    const expires_at = String(app.clock.now() + 2 * dayMs);
    const limits = { scopes: ['publish'], product_ids: [id], expires_at };
    const made = await add(body);
    expect(made).toMatchObject({ title: 'CI', current: false, ...limits });
    const list = unwrap(await mine().call('tokens.list')).value;
    expect(list.find((token) => token.id === made.id)).toMatchObject(limits);
    expect(list.filter(({ current }) => current).map(({ title }) => title)).toEqual(['Test']);
    const logs = unwrap(await mine().call('logs.list', { query: { type: 'token.create' } })).value;
    expect(logs).toContainEqual(expect.objectContaining({ message: 'Token "CI" made', data: limits }));
  });

  it.each([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['root'] }, 'scopes'],
    [{ product_ids: [] }, 'product_ids'],
    [{ days: 0 }, 'days'],
    [{ days: 3651 }, 'days'],
    [{ title: ' ' }, 'title'],
  ])('of %j are a bad request', async (body, key) => {
    const reply = await mine().call('tokens.create', { body: body as never });
    const keys = [expect.stringContaining(key)];
    expect(reply).toMatchObject(refusedWith(400, 'INVALID_REQUEST', { validation: { source: 'body', keys } }));
  });

  it('are not the products of strangers', async () => {
    const other = await app.make.product({ platform_id: (await app.make.platform()).id });
    const reply = await mine().call('tokens.create', { body: { product_ids: [other.id] } });
    expect(reply).toMatchObject(refusedWith(404, 'NOT_FOUND'));
  });

  it('end a token at its time, also where it was remembered', async () => {
    const { token } = await add({ days: 1 });
    const calls = app.client.as(token);
    expect(await calls.call('users.get')).toMatchObject({ ok: true });
    await app.clock.skip(dayMs - 1);
    expect(await calls.call('users.get')).toMatchObject({ ok: true });
    await app.clock.skip(1);
    expect(await calls.call('users.get')).toMatchObject(refusedWith(401, 'UNAUTHENTICATED'));
  });

  it.runIf(extensionsRun)('are not shaken off with the token itself', async () => {
    const calls = app.client.as((await add({ scopes: ['administer', 'operate', 'publish'] })).token);
    const refused = refusedWith(403, 'TOKEN_SCOPE', { message: 'The token lacks the scope "all"' });
    expect(await calls.call('tokens.create', { body: { scopes: ['read'] } })).toMatchObject(refused);
    expect(await calls.call('users.update', { body: { email: 'mine@example.com' } })).toMatchObject(refused);
    const body = { current_password: 'x', password: 'long enough by far' };
    expect(await calls.call('session.changePassword', { body })).toMatchObject(refused);
    const root = await app.make.admin();
    const made = unwrap(await app.client.as(root.token).call('tokens.create', { body: { scopes: ['administer'] } }));
    const boss = app.client.as(made.value.token);
    const params = { user_id: root.id };
    expect(await boss.call('accounts.resetPassword', { params })).toMatchObject(refused);
    expect(await boss.call('invitations.create', { body: { role: 'admin' } })).toMatchObject(refused);
    const role = { params: { user_id: user.id }, body: { role: 'admin' } } as const;
    expect(await boss.call('accounts.update', role)).toMatchObject(refused);
  });

  it.runIf(extensionsRun)(
    'to products leave out the others in lists, in bodies and where a record lies ready',
    async () => {
      const [one, other] = [await product(), await product()];
      const device = await app.make.device({ user_id: user.id, platform_id: other.platform_id, product_id: other.id });
      const calls = app.client.as((await add({ product_ids: [one.id] })).token);
      expect(unwrap(await calls.call('products.list')).value).toMatchObject([{ id: one.id }]);
      const refused = refusedWith(403, 'TOKEN_PRODUCT');
      const params = { identifier: device.id };
      for (const _ of [1, 2, 3]) {
        expect(await mine().call('devices.get', { params })).toMatchObject({ ok: true });
        expect(await calls.call('devices.get', { params })).toMatchObject(refused);
      }
      expect(await calls.call('devices.list')).toMatchObject(refused);
      expect(await calls.call('devices.list', { query: { product_id: one.id } })).toMatchObject({ ok: true });
      const own = await app.make.device({ user_id: user.id, platform_id: one.platform_id, product_id: one.id });
      const away = { params: { device_id: own.id }, body: { product_id: other.id } };
      expect(await calls.call('devices.activate', away)).toMatchObject(refused);
      expect(await calls.call('events.stream')).toMatchObject(refused);
      const many = (device_ids: string[]) =>
        calls.call('manyDevices.activate', { body: { device_ids, product_id: one.id } });
      expect(await many([own.id, device.id])).toMatchObject(refused);
      expect(await many([own.id])).toMatchObject({ ok: true });
    },
  );

  it('hold for messages through a connector', async () => {
    const [one, other] = [await product(), await product()];
    const body = { title: 'x', code: 'X', type: 'webhook', opts: { url: 'https://example.com/' } } as never;
    const { id } = unwrap(await mine().call('connectors.create', { params: { product_id: one.id }, body })).value;
    const send = async (limits: Limits) => {
      const headers = { authorization: `Bearer ${(await add(limits)).token}` };
      const payload = { device_id: 'aabbccddeeff', action: 'x' };
      const reply = await app.api.inject({ method: 'POST', url: `/api/connectors/${id}/messages`, headers, payload });
      return reply.json<{ code: string }>().code;
    };
    expect(await send({ scopes: ['publish'] })).toBe('TOKEN_SCOPE');
    expect(await send({ product_ids: [other.id] })).toBe('TOKEN_PRODUCT');
    expect(await send({ scopes: ['operate'], product_ids: [one.id] })).toBe('NOT_FOUND');
  });

  it('say who used a token last, and which program has logged in', async () => {
    const payload = { email: 'ada@example.com', password: 'long enough by far' };
    const headers = { 'user-agent': `Browser ${'x'.repeat(400)}` };
    const reply = await app.api.inject({ method: 'POST', url: '/api/auth/signup', payload, headers });
    const { token } = reply.json<{ token: string }>();
    const own = () => app.client.as(token).call('tokens.list');
    unwrap(await own());
    await expect
      .poll(async () => unwrap(await own()).value[0])
      .toMatchObject({
        title: 'Login',
        current: true,
        last_used_ip: '127.0.0.1',
        user_agent: headers['user-agent'].slice(0, 300),
      });
  });
});
