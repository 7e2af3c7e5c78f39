import { ignoreFailure, isUuid, minuteMs, unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildApp, eachDatabase, type MadeUser, type TestApp, testStartMs } from '../../testing/index.ts';
import { issueToken, revokeToken } from './accounts.ts';
import { nextTitle } from './routes.ts';

const maker = { email: 'Maker@Example.com', password: 'correct horse' };
const wrongLogin = {
  statusCode: 401,
  error: 'Unauthorized',
  message: 'User name or password is wrong',
  code: 'WRONG_LOGIN',
};

/** What a refused call looks like. */
const refusedWith = (status: number, code: string, more: object = {}) => ({
  ok: false,
  error: { status, body: { statusCode: status, code, ...more } },
});

const logTypesOf = async ({ storage }: TestApp, userId: string | null) =>
  (
    await storage.db
      .selectFrom('logs')
      .select('type')
      .where('user_id', userId === null ? 'is' : '=', userId)
      .orderBy('created_at')
      .execute()
  ).map(({ type }) => type);

eachDatabase('login', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await buildApp(await open());
    unwrap(await app.client.call('auth.signup', { body: maker }));
  });

  const login = (username: string, password: string) => app.client.call('auth.login', { body: { username, password } });

  // API-EP-POST-auth-login, API-AUTH-2
  it.each(['maker@example.com', 'MAKER@EXAMPLE.COM', 'maker', 'Maker'])('as %s gives a session', async (username) => {
    const reply = await login(username, maker.password);
    expect(reply).toMatchObject({ ok: true, value: { value: { result: 'ok' } } });
    if (!reply.ok) return;
    const { token, client } = reply.value.value;
    expect(Buffer.from(token, 'base64').toString('latin1')).toMatch(/^[A-Za-z0-9]{24}$/);
    expect(client).toMatch(/^[0-9a-f]{32}$/);
    expect(await app.client.as(token).call('users.get')).toMatchObject({ ok: true });
  });

  // API-ERR-401
  it.each([
    ['maker', 'wrong'],
    ['nobody', maker.password],
    ['nobody@example.com', maker.password],
    ['maker', ''],
    ['maker', 'Correct horse'],
  ])('as %s with password "%s" is refused in the same words', async (username, password) => {
    expect(await login(username, password)).toEqual({ ok: false, error: { status: 401, body: wrongLogin } });
  });

  it.each([
    [{}, ['username', 'password']],
    [{ username: 'maker' }, ['password']],
    [{ username: '', password: 'x' }, ['username']],
    [{ username: 'a'.repeat(255), password: 'x' }, ['username']],
    [{ username: 'maker', password: 'x'.repeat(1025) }, ['password']],
    [{ username: 7, password: 'x' }, ['username']],
  ])('with %j is a bad request', async (body, keys) => {
    // Not what the types allow: that is the point.
    const reply = await app.client.call('auth.login', { body: body as never });
    expect(reply).toMatchObject(refusedWith(400, 'INVALID_REQUEST', { validation: { source: 'body', keys } }));
  });

  it('shows its token in the list, under the title Login, with the id of the session', async () => {
    const reply = await login('maker', maker.password);
    if (!reply.ok) throw new Error('No login');
    const { token, client } = reply.value.value;
    const list = await app.client.as(token).call('tokens.list');
    if (!list.ok) throw new Error('No list');
    expect(list.value.value).toContainEqual(
      expect.objectContaining({ title: 'Login', client, token: token.slice(-4) }),
    );
  });

  it('is in the log, and its failures too', async () => {
    const { id } = await app.storage.db
      .selectFrom('users')
      .select('id')
      .where('username', '=', 'maker')
      .executeTakeFirstOrThrow();
    const types = await logTypesOf(app, id);
    expect(types).toContain('user.login');
    expect(types).toContain('user.login_failed');
    expect(await logTypesOf(app, null)).toContain('user.login_failed');
  });

  // API-LIMIT-login, API-ERR-429
  it('after ten failures is closed for that address and name, until the first of them is over', async () => {
    await app.clock.skip(60 * minuteMs);
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await login('maker', 'wrong')).toMatchObject(refusedWith(401, 'WRONG_LOGIN'));
      await app.clock.skip(minuteMs);
    }
    const closed = await app.api.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload: { username: 'Maker', password: maker.password },
    });
    expect(closed.statusCode).toBe(429);
    expect(closed.headers['retry-after']).toBe(String(5 * 60));
    expect(closed.json()).toMatchObject({ code: 'TOO_MANY_LOGINS', error: 'Too Many Requests' });
    // The email is the same account.
    expect(await login('maker@example.com', maker.password)).toMatchObject(refusedWith(429, 'TOO_MANY_LOGINS'));
    await app.clock.skip(5 * minuteMs);
    expect(await login('maker', maker.password)).toMatchObject({ ok: true });
  });
});

eachDatabase('sign-up', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await buildApp(await open());
  });

  // API-EP-POST-auth-signup
  it('makes an account with a user name from the address, and logs in', async () => {
    const body = { email: 'New.Maker@Example.com', password: 'long enough by far', organisation: 'Works' };
    const reply = await app.client.call('auth.signup', { body });
    if (!reply.ok) throw new Error('No account');
    const own = await app.client.as(reply.value.value.token).call('users.get');
    expect(own).toMatchObject({
      ok: true,
      value: {
        value: {
          email: 'new.maker@example.com',
          username: 'new.maker',
          name_given: '',
          name_family: '',
          organisation: 'Works',
          role: 'user',
          customer_id: null,
          avatar_id: null,
          created_at: String(testStartMs),
        },
      },
    });
  });

  it('gives the second of a name a number, and takes a name that was asked for', async () => {
    for (const [email, username] of [
      ['twin@one.example', 'twin'],
      ['twin@two.example', 'twin2'],
      ['twin@three.example', 'twin3'],
    ] as const) {
      const reply = await app.client.call('auth.signup', { body: { email, password: 'long enough by far' } });
      if (!reply.ok) throw new Error('No account');
      const own = await app.client.as(reply.value.value.token).call('users.get');
      expect(own.ok && own.value.value.username).toBe(username);
    }
    const body = { email: 'x@y.example', password: 'long enough by far', username: 'Chosen' };
    const reply = await app.client.call('auth.signup', { body });
    const own = reply.ok ? await app.client.as(reply.value.value.token).call('users.get') : reply;
    expect(own.ok && own.value.value).toMatchObject({ username: 'chosen' });
  });

  it('of many at once with one name gives each its own', async () => {
    const replies = await Promise.all(
      [1, 2, 3, 4].map((number) =>
        app.client.call('auth.signup', { body: { email: `rush@${number}.example`, password: 'long enough by far' } }),
      ),
    );
    expect(replies.map(({ ok }) => ok)).toEqual([true, true, true, true]);
  });

  // API-ERR-409
  it.each([
    [{ email: 'TAKEN@example.com' }, 'Email "TAKEN@example.com" exists already'],
    [{ email: 'other@example.com', username: 'Taken' }, 'User name "Taken" exists already'],
  ])('with %j that is taken is refused', async (fields, message) => {
    // The first row has made it already.
    ignoreFailure(
      await app.client.call('auth.signup', { body: { email: 'taken@example.com', password: 'long enough by far' } }),
    );
    const reply = await app.client.call('auth.signup', { body: { password: 'long enough by far', ...fields } });
    expect(reply).toMatchObject(refusedWith(409, 'DUPLICATE', { error: 'Conflict', message }));
  });

  it.each([
    [{ password: 'long enough by far' }, 'email'],
    [{ email: 'a@b.example' }, 'password'],
    [{ email: 'a@b.example', password: 'short' }, 'password'],
    [{ email: 'nobody', password: 'long enough by far' }, 'email'],
    [{ email: 'a b@c.example', password: 'long enough by far' }, 'email'],
    [{ email: `${'a'.repeat(250)}@b.example`, password: 'long enough by far' }, 'email'],
    [{ email: 'a@b.example', password: 'long enough by far', username: 'with space' }, 'username'],
    [{ email: 'a@b.example', password: 'long enough by far', username: 'a@b' }, 'username'],
    [{ email: 'a@b.example', password: 'long enough by far', name_given: 'x'.repeat(101) }, 'name_given'],
  ])('with %j is a bad request', async (body, key) => {
    const reply = await app.client.call('auth.signup', { body: body as never });
    expect(reply).toMatchObject(refusedWith(400, 'INVALID_REQUEST', { validation: { source: 'body', keys: [key] } }));
  });
});

eachDatabase('bearer token', (open) => {
  let app: TestApp;
  let user: MadeUser;
  beforeAll(async () => {
    app = await buildApp(await open());
    user = await app.make.user();
  });

  const own = (authorization?: string) =>
    app.api.inject({ url: '/api/user', headers: authorization === undefined ? {} : { authorization } });

  // API-AUTH-1
  // API-AUTH-1
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('is taken after the scheme %s', async (scheme) => {
    expect((await own(`${scheme} ${user.token}`)).statusCode).toBe(200);
  });

  it('is taken whatever the case of the header name', async () => {
    const reply = await app.api.inject({ url: '/api/user', headers: { AUTHORIZATION: `Bearer ${user.token}` } });
    expect(reply.statusCode).toBe(200);
  });

  // API-ERR-401
  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['the scheme alone', 'Bearer'],
    ['another scheme', 'Basic bWFrZXI6eA=='],
    ['an unknown value', `Bearer ${'A'.repeat(32)}`],
    ['the value alone', 'VALUE'],
    ['two values', 'Bearer VALUE VALUE'],
  ])('as %s is refused', async (_, header) => {
    const reply = await own(header?.replaceAll('VALUE', user.token));
    expect(reply.statusCode).toBe(401);
    expect(reply.headers['www-authenticate']).toBe('Bearer');
    expect(reply.json()).toEqual({
      statusCode: 401,
      error: 'Unauthorized',
      message: 'A valid bearer token is required',
      code: 'UNAUTHENTICATED',
    });
  });

  it('is stored as its hash alone', async () => {
    const rows = await app.storage.db.selectFrom('tokens').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(user.token);
  });

  it('has its last use recorded at most once a minute', async () => {
    const lastUsed = async () =>
      (
        await app.storage.db
          .selectFrom('tokens')
          .select('last_used_at')
          .where('user_id', '=', user.id)
          .executeTakeFirstOrThrow()
      ).last_used_at;
    await app.clock.skip(10 * minuteMs);
    const firstMs = app.clock.now();
    await own(`Bearer ${user.token}`);
    await expect.poll(lastUsed).toBe(firstMs);
    await app.clock.skip(minuteMs - 1);
    await own(`Bearer ${user.token}`);
    await app.clock.advance(1);
    const secondMs = app.clock.now();
    await own(`Bearer ${user.token}`);
    await expect.poll(lastUsed).toBe(secondMs);
  });

  it('made for the command line works until it is revoked', async () => {
    const { row, token } = await issueToken(app.service.deps, user.id, 'Script');
    expect((await own(`Bearer ${token}`)).statusCode).toBe(200);
    expect(await revokeToken(app.service.deps, row.id)).toBe(true);
    expect((await own(`Bearer ${token}`)).statusCode).toBe(401);
    expect(await revokeToken(app.service.deps, row.id)).toBe(false);
  });
});

eachDatabase('own tokens', (open) => {
  let app: TestApp;
  let user: MadeUser;
  let other: MadeUser;
  beforeAll(async () => {
    app = await buildApp(await open());
    user = await app.make.user();
    other = await app.make.user();
  });

  const mine = () => app.client.as(user.token);
  const add = async () => {
    const reply = await mine().call('tokens.create');
    if (!reply.ok) throw new Error(JSON.stringify(reply.error));
    return reply.value.value;
  };

  // API-EP-POST-user-tokens, API-RULE-token-1
  // API-AUTH-3
  it('show their value when they are made, and its end from then on', async () => {
    const made = await add();
    expect(made).toMatchObject({ title: 'Token 1', client: null, last_used_at: null });
    expect(made.token).toMatch(/^[A-Za-z0-9+/]{32}$/);
    expect(await app.client.as(made.token).call('users.get')).toMatchObject({ ok: true });
    const list = await mine().call('tokens.list');
    expect(list.ok && list.value.value.find(({ id }) => id === made.id)?.token).toBe(made.token.slice(-4));
  });

  // API-EP-GET-user-tokens, API-RULE-list-1
  it('are listed newest first, in pages, with their number', async () => {
    await app.clock.skip(minuteMs);
    const [second, third] = [await add(), await add()];
    const page = await mine().call('tokens.list', { query: { limit: 2, sort: 'title' } });
    if (!page.ok) throw new Error('No list');
    expect(page.value.total).toBe(4);
    expect(page.value.value.map(({ title }) => title)).toEqual(['Test', 'Token 1']);
    const newest = await mine().call('tokens.list', { query: { limit: 2 } });
    expect(newest.ok && newest.value.value.map(({ id }) => id).sort()).toEqual([second.id, third.id].sort());
    expect(second.title).toBe('Token 2');
  });

  // API-LIMIT-page
  it.each([{ limit: 0 }, { limit: 501 }, { offset: -1 }, { sort: 'token_hash' }, { limit: 'many' }])(
    'listed by %j are a bad request',
    async (query) => {
      const reply = await mine().call('tokens.list', { query: query as never });
      expect(reply).toMatchObject(
        refusedWith(400, 'INVALID_REQUEST', { validation: { source: 'query', keys: Object.keys(query) } }),
      );
    },
  );

  // API-EP-PUT-user-tokens-token_id
  // API-FIELD-token-token_id, API-FIELD-token-title
  it('can be renamed', async () => {
    const made = await add();
    const renamed = await mine().call('tokens.rename', { params: { token_id: made.id }, body: { title: 'Robot' } });
    expect(renamed).toMatchObject({ ok: true, value: { value: { id: made.id, title: 'Robot' } } });
  });

  it.each([{}, { title: '' }, { title: 'x'.repeat(101) }, { title: 5 }])(
    'renamed to %j are a bad request',
    async (body) => {
      const made = await add();
      const reply = await mine().call('tokens.rename', { params: { token_id: made.id }, body: body as never });
      expect(reply).toMatchObject(
        refusedWith(400, 'INVALID_REQUEST', { validation: { source: 'body', keys: ['title'] } }),
      );
    },
  );

  // API-EP-DELETE-user-tokens-token_id, API-RULE-token-2
  it('fail from the moment they are revoked', async () => {
    const made = await add();
    const revoked = await mine().call('tokens.revoke', { params: { token_id: made.id } });
    expect(revoked).toMatchObject({ ok: true, value: { value: { result: 'ok' } } });
    expect(await app.client.as(made.token).call('users.get')).toMatchObject(refusedWith(401, 'UNAUTHENTICATED'));
    const again = await mine().call('tokens.revoke', { params: { token_id: made.id } });
    expect(again).toMatchObject(refusedWith(404, 'NOT_FOUND', { message: 'Token not found' }));
  });

  // API-ERR-404
  it('of another user are not there', async () => {
    const made = await add();
    const params = { token_id: made.id };
    const theirs = app.client.as(other.token);
    expect(await theirs.call('tokens.revoke', { params })).toMatchObject(refusedWith(404, 'NOT_FOUND'));
    expect(await theirs.call('tokens.rename', { params, body: { title: 'x' } })).toMatchObject(
      refusedWith(404, 'NOT_FOUND'),
    );
    expect(isUuid(made.id)).toBe(true);
  });

  it('need a valid id', async () => {
    const bad = refusedWith(400, 'INVALID_REQUEST', { validation: { source: 'params', keys: ['token_id'] } });
    expect(await mine().call('tokens.revoke', { params: { token_id: 'x' } })).toMatchObject(bad);
    expect(await mine().call('tokens.rename', { params: { token_id: 'x' }, body: { title: 'y' } })).toMatchObject(bad);
  });

  it.each(['tokens.list', 'tokens.create'] as const)('are refused without a token: %s', async (name) => {
    expect(await app.client.call(name)).toMatchObject(refusedWith(401, 'UNAUTHENTICATED'));
  });

  it('leave a trace in the log', async () => {
    expect(new Set(await logTypesOf(app, user.id))).toEqual(new Set(['token.create', 'token.revoke']));
  });
});

describe('nextTitle', () => {
  it.each([
    [[], 'Token 1'],
    [['Token 1', 'Token 3'], 'Token 2'],
    [['Login', 'Token 1', 'Token 2'], 'Token 3'],
  ])('beside %j is %s', (titles, expected) => {
    expect(nextTitle(titles)).toBe(expected);
  });
});
