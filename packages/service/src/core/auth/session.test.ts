import { consoleHeader } from '@moorage/api';
import { unwrap } from '@moorage/base';
import type { InjectOptions } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { sessionIdleS, sessionMaxAgeS } from '../../engine/http/console-session.ts';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';
import { ensureAdministrator, issueToken, makeToken } from './accounts.ts';
import { deleteOldSessions } from './queries.ts';

const ownPage = { [consoleHeader.name]: consoleHeader.value };
const maker = { email: 'maker@example.com', password: 'correct horse' };

/** The session's cookie as a browser sends it back. */
const cookieIn = (header: unknown): string => String(header).split(';')[0] ?? '';

eachDatabase('a session of the console', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await buildApp(await open());
    unwrap(await app.client.call('auth.signup', { body: maker }));
  });

  const send = (method: InjectOptions['method'], url: string, headers: object, payload?: object) =>
    app.api.inject({
      method: method ?? 'GET',
      url,
      headers: { host: 'service', ...headers },
      ...(payload && { payload }),
    });
  const begin = (headers: object = ownPage, body: object = { username: 'maker', password: maker.password }) =>
    send('POST', '/api/auth/session', headers, body);

  // API-EP-POST-auth-session, API-RULE-session-1
  it('begins with a cookie that no script can read, and shows no token', async () => {
    const reply = await begin();
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({
      user_id: expect.any(String),
      username: 'maker',
      role: 'user',
      initial_password: false,
      factor_needed: false,
    });
    const cookie = String(reply.headers['set-cookie']);
    expect(cookie).toMatch(
      /^moorage_session=[A-Za-z0-9+/]{32}; Max-Age=2592000; Path=\/api; HttpOnly; SameSite=Strict$/,
    );
    expect(reply.body).not.toContain(cookieIn(cookie).slice('moorage_session='.length));
  });

  it('has a cookie for TLS alone behind a proxy that speaks it', async () => {
    const reply = await begin({ ...ownPage, 'x-forwarded-proto': 'https' });
    expect(reply.headers['set-cookie']).toMatch(/; Secure$/);
  });

  // API-EP-POST-auth-session-signup
  it('begins with a new account', async () => {
    const body = { email: 'new@example.com', password: 'long enough by far' };
    const reply = await send('POST', '/api/auth/session/signup', ownPage, body);
    expect(reply.json()).toMatchObject({ username: 'new', role: 'user', initial_password: false });
    const own = await send('GET', '/api/user', { cookie: cookieIn(reply.headers['set-cookie']) });
    expect(own.json()).toMatchObject({ email: 'new@example.com' });
    expect((await send('POST', '/api/auth/session/signup', ownPage, body)).statusCode).toBe(409);
  });

  it.each([
    [{ username: 'maker', password: 'wrong' }, 401, 'WRONG_LOGIN'],
    [{ username: 'maker' }, 400, 'INVALID_REQUEST'],
  ])('does not begin with %j', async (body, status, code) => {
    const reply = await begin(ownPage, body);
    expect(reply.json()).toMatchObject({ statusCode: status, code });
    expect(reply.headers['set-cookie']).toBeUndefined();
  });

  // API-EP-GET-auth-session
  it('says who is signed in', async () => {
    const cookie = cookieIn((await begin()).headers['set-cookie']);
    expect((await send('GET', '/api/auth/session', { cookie })).json()).toMatchObject({ username: 'maker' });
    expect((await send('GET', '/api/auth/session', { cookie: `other=1; ${cookie}; more=2` })).statusCode).toBe(200);
  });

  it.each(['', 'moorage_session=', 'moorage_session=nonsense', 'other=1'])(
    'is not opened by the cookie "%s"',
    async (cookie) => {
      expect((await send('GET', '/api/auth/session', { cookie })).statusCode).toBe(401);
    },
  );

  it('is not asked when there is a bearer header', async () => {
    const cookie = cookieIn((await begin()).headers['set-cookie']);
    const reply = await send('GET', '/api/user', { cookie, authorization: 'Bearer nonsense' });
    expect(reply.statusCode).toBe(401);
  });

  // API-EP-DELETE-auth-session
  it('ends at once, and takes its cookie away', async () => {
    const cookie = cookieIn((await begin()).headers['set-cookie']);
    const reply = await send('DELETE', '/api/auth/session', { cookie, ...ownPage });
    expect(reply.json()).toEqual({ result: 'ok' });
    expect(reply.headers['set-cookie']).toMatch(/^moorage_session=; Max-Age=0; /);
    expect((await send('GET', '/api/auth/session', { cookie })).statusCode).toBe(401);
  });

  // API-RULE-session-4
  it.each([
    ['30 days', { created_at: 30, last_used_at: 1 }],
    ['7 days without a request', { created_at: 20, last_used_at: 7 }],
    ['7 days in which it was never used', { created_at: 7 }],
  ])('is over after %s, as a cookie and as a bearer; a token made by hand is not', async (_, ages) => {
    const own = await buildApp(await open());
    const user = await own.make.user();
    const session = await makeToken(own.storage.db, {
      userId: user.id,
      title: 'x',
      client: 'c',
      atMs: own.clock.now(),
    });
    const read = async (headers: Record<string, string>) =>
      (await own.api.inject({ url: '/api/user', headers })).statusCode;
    const all = async () => [
      await read({ cookie: `moorage_session=${session.token}` }),
      await read({ authorization: `Bearer ${session.token}` }),
      await read({ authorization: `Bearer ${user.token}` }),
    ];
    const marginMs = 500;
    const at = Object.fromEntries(
      Object.entries(ages).map(([column, days]) => [column, own.clock.now() - days * 86_400_000 + marginMs]),
    );
    const unused = own.storage.db.updateTable('tokens').set({ last_used_at: null, ...at });
    await unused.where('user_id', '=', user.id).execute();
    await own.clock.advance(marginMs * 2);
    expect(await all()).toEqual([401, 401, 200]);
    const { clock, storage } = own;
    await deleteOldSessions(storage.db, clock.now() - sessionMaxAgeS * 1_000, clock.now() - sessionIdleS * 1_000);
    const kept = await storage.db.selectFrom('tokens').select('client').where('user_id', '=', user.id).execute();
    expect(kept).toEqual([{ client: null }]);
  });

  it('goes on as long as it is used, up to 30 days', async () => {
    const own = await buildApp(await open());
    const user = await own.make.user();
    const session = await makeToken(own.storage.db, {
      userId: user.id,
      title: 'x',
      client: 'c',
      atMs: own.clock.now(),
    });
    const headers = { authorization: `Bearer ${session.token}` };
    const found = [];
    for (const _ of [6, 12, 18, 24, 30, 36]) {
      await own.clock.skip(6 * 86_400_000);
      found.push((await own.api.inject({ url: '/api/user', headers })).statusCode);
    }
    expect(found).toEqual([200, 200, 200, 200, 200, 401]);
  });

  // API-RULE-session-2
  describe('takes changes from its own pages alone', () => {
    const rename = async (headers: object) => {
      const cookie = cookieIn((await begin()).headers['set-cookie']);
      return send('PUT', '/api/user', { cookie, ...headers }, { name_given: 'Ada' });
    };

    it.each([
      [ownPage, 200],
      [{ ...ownPage, origin: 'http://service' }, 200],
      [{ ...ownPage, origin: 'https://service', 'sec-fetch-site': 'same-origin' }, 200],
      // A proxy that gives the service another name: the browser's own word counts.
      [{ ...ownPage, origin: 'https://outside', 'sec-fetch-site': 'same-origin' }, 200],
      [{}, 403],
      [{ [consoleHeader.name]: '0' }, 403],
      [{ origin: 'http://service', 'sec-fetch-site': 'same-origin' }, 403],
      [{ ...ownPage, origin: 'http://evil.example' }, 403],
      [{ ...ownPage, origin: 'null' }, 403],
      [{ ...ownPage, origin: 'http://service', 'sec-fetch-site': 'cross-site' }, 403],
      [{ ...ownPage, 'sec-fetch-site': 'same-site' }, 403],
    ])('with %j answers %i', async (headers, status) => {
      const reply = await rename(headers);
      expect(reply.statusCode).toBe(status);
      if (status === 403) expect(reply.json()).toMatchObject({ code: 'CROSS_SITE' });
    });

    it('also where the cookie comes into being', async () => {
      expect((await begin({})).json()).toMatchObject({ statusCode: 403, code: 'CROSS_SITE' });
      const body = { email: 'other@example.com', password: 'long enough by far' };
      expect((await send('POST', '/api/auth/session/signup', {}, body)).statusCode).toBe(403);
    });

    it.each([
      [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }, 200],
      [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' }, 200],
      // A download by its address.
      [{ 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }, 200],
      // A page of another server on the same host.
      [{ 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'image' }, 401],
      [{ 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'document' }, 401],
      [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'empty' }, 401],
      // A file that a user has uploaded, as a script of ours.
      [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'script' }, 401],
      [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'serviceworker' }, 401],
    ])('and is read with %j: %i', async (headers, status) => {
      const cookie = cookieIn((await begin()).headers['set-cookie']);
      expect((await send('GET', '/api/user', { cookie, ...headers })).statusCode).toBe(status);
    });

    it('and asks nothing of a bearer', async () => {
      const session = await app.client.call('auth.login', { body: { username: 'maker', password: maker.password } });
      if (!session.ok) throw new Error('No login');
      const authorization = `Bearer ${session.value.value.token}`;
      const headers = { authorization, origin: 'http://evil.example' };
      expect((await send('PUT', '/api/user', headers, { name_given: 'Ada' })).statusCode).toBe(200);
    });
  });
});

eachDatabase('a changed password', (open) => {
  let app: TestApp;
  let count = 0;
  beforeAll(async () => {
    app = await buildApp(await open());
  });

  const newMaker = async () => {
    const body = { email: `maker${++count}@example.com`, password: maker.password };
    const made = await app.client.call('auth.signup', { body });
    if (!made.ok) throw new Error('No account');
    return { ...body, client: app.client.as(made.value.value.token) };
  };
  const login = (username: string, password: string) => app.client.call('auth.login', { body: { username, password } });

  // API-EP-PUT-user-password, API-RULE-session-3
  it('opens the account, the old one does not, and other login sessions are over', async () => {
    const { client, email } = await newMaker();
    const other = await login(email, maker.password);
    if (!other.ok) throw new Error('No login');
    const byHand = await client.call('tokens.create');
    if (!byHand.ok) throw new Error('No token');
    const body = { current_password: maker.password, password: 'another one of mine' };
    expect(await client.call('session.changePassword', { body })).toMatchObject({ ok: true });
    expect(await login(email, 'another one of mine')).toMatchObject({ ok: true });
    expect(await login(email, maker.password)).toMatchObject({ ok: false, error: { status: 401 } });
    expect(await client.call('users.get')).toMatchObject({ ok: true });
    expect(await app.client.as(other.value.value.token).call('users.get')).toMatchObject({ error: { status: 401 } });
    expect(await app.client.as(byHand.value.value.token).call('users.get')).toMatchObject({ ok: true });
    const logs = await client.call('logs.list', { query: { type: 'user.update' } });
    expect(logs).toMatchObject({ value: { value: [{ message: 'Password changed' }] } });
  });

  it.each([
    [{ current_password: 'wrong', password: 'another one of mine' }, 403, 'WRONG_PASSWORD'],
    [{ current_password: maker.password, password: 'short' }, 400, 'INVALID_REQUEST'],
    [{ current_password: maker.password, password: maker.password }, 400, 'INVALID_REQUEST'],
    [{ password: 'another one of mine' }, 400, 'INVALID_REQUEST'],
  ])('is refused with %j', async (body, status, code) => {
    const { client, email } = await newMaker();
    // Not all of them are what the types allow: that is the point.
    const reply = await client.call('session.changePassword', { body: body as never });
    expect(reply).toMatchObject({ ok: false, error: { status, body: { code } } });
    expect(await login(email, maker.password)).toMatchObject({ ok: true });
  });

  it('may be guessed no more often than at the door', async () => {
    const { client } = await newMaker();
    const guess = () =>
      client.call('session.changePassword', { body: { current_password: 'wrong', password: 'another one of mine' } });
    for (let tries = 0; tries < 10; tries++) expect(await guess()).toMatchObject({ error: { status: 403 } });
    expect(await guess()).toMatchObject({ error: { status: 429, body: { code: 'TOO_MANY_LOGINS' } } });
  });

  it('is asked for as long as it is the one of the first run', async () => {
    const own = await buildApp(await open());
    const announced: string[] = [];
    unwrap(await ensureAdministrator(own.service.deps, (_, password) => void announced.push(password)));
    const admin = await own.storage.db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    const client = own.client.as((await issueToken(own.service.deps, admin.id, 'Test')).token);
    expect(await client.call('session.get')).toMatchObject({ value: { value: { initial_password: true } } });
    const body = { current_password: announced[0] ?? '', password: 'another one of mine' };
    expect(await client.call('session.changePassword', { body })).toMatchObject({ ok: true });
    expect(await client.call('session.get')).toMatchObject({ value: { value: { initial_password: false } } });
  });

  it('is not asked for when the settings have given it', async () => {
    const own = await buildApp(await open(), { settings: { adminPassword: 'configured by hand' } });
    unwrap(await ensureAdministrator(own.service.deps, () => {}));
    const admin = await own.storage.db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    const client = own.client.as((await issueToken(own.service.deps, admin.id, 'Test')).token);
    expect(await client.call('session.get')).toMatchObject({ value: { value: { initial_password: false } } });
  });
});
