import { beforeEach, expect, it } from 'vitest';
import { buildApp, eachDatabase, type MadeUser, type TestApp, testStartMs } from '../../testing/index.ts';

eachDatabase('own details', (open) => {
  let app: TestApp;
  let user: MadeUser;
  let shared: Awaited<ReturnType<typeof open>> | undefined;
  beforeEach(async () => {
    shared ??= await open();
    app ??= await buildApp(shared);
    user = await app.make.user();
  });

  const mine = () => app.client.as(user.token);

  // API-EP-GET-user
  // API-FIELD-user-email, API-FIELD-user-name_given, API-FIELD-user-name_family, API-FIELD-user-organisation: the
  // whole record is compared.
  it('are the whole record, and never the password', async () => {
    const reply = await mine().call('users.get');
    expect(reply.ok && reply.value.value).toEqual({
      id: user.id,
      email: user.email,
      username: user.username,
      name_given: 'Given',
      name_family: 'Family',
      organisation: 'Organisation',
      role: 'user',
      customer_id: null,
      customer_role: null,
      avatar_id: null,
      created_at: String(testStartMs),
      email_confirmed_at: null,
      email_pending: null,
    });
  });

  // API-EP-PUT-user
  it('change as far as they are given', async () => {
    const body = { email: 'New@Example.com', name_given: 'Ada', organisation: '' };
    const reply = await mine().call('users.update', { body });
    const expected = { email: 'new@example.com', name_given: 'Ada', name_family: 'Family', organisation: '' };
    expect(reply).toMatchObject({ ok: true, value: { value: expected } });
    expect(await mine().call('users.get')).toMatchObject({ ok: true, value: { value: expected } });
    const log = await app.storage.db.selectFrom('logs').selectAll().where('user_id', '=', user.id).execute();
    expect(log).toMatchObject([{ type: 'user.update', level: 'info' }]);
    expect(JSON.parse(log[0]?.data ?? '')).toEqual({ fields: ['email', 'name_given', 'organisation'] });
  });

  it('stay as they are when nothing is given, also when other fields are', async () => {
    const reply = await mine().call('users.update', { body: { role: 'admin', username: 'root' } as never });
    expect(reply).toMatchObject({ ok: true, value: { value: { role: 'user', username: user.username } } });
    expect(await app.storage.db.selectFrom('logs').selectAll().where('user_id', '=', user.id).execute()).toEqual([]);
  });

  it('may be sent again with their own address', async () => {
    const body = { email: user.email.toUpperCase() };
    expect(await mine().call('users.update', { body })).toMatchObject({ ok: true });
  });

  // API-ERR-409
  it('cannot have the address of another user', async () => {
    const other = await app.make.user();
    const reply = await mine().call('users.update', { body: { email: other.email.toUpperCase() } });
    expect(reply).toMatchObject({
      ok: false,
      error: {
        status: 409,
        body: { code: 'DUPLICATE', error: 'Conflict', message: `Email "${other.email}" exists already` },
      },
    });
  });

  it('of two who want one address at once go to one of them', async () => {
    const other = await app.make.user();
    const body = { email: `wanted-${user.username}@example.com` };
    const replies = await Promise.all(
      [user, other].map(({ token }) => app.client.as(token).call('users.update', { body })),
    );
    expect(replies.map((reply) => (reply.ok ? 200 : reply.error.status)).sort()).toEqual([200, 409]);
  });

  it.each([
    [{ email: 'nobody' }, 'email'],
    [{ email: 7 }, 'email'],
    [{ name_given: 'x'.repeat(101) }, 'name_given'],
    [{ name_family: null }, 'name_family'],
    [{ organisation: 'x'.repeat(201) }, 'organisation'],
  ])('with %j are a bad request', async (body, key) => {
    const reply = await mine().call('users.update', { body: body as never });
    expect(reply).toMatchObject({
      ok: false,
      error: { status: 400, body: { code: 'INVALID_REQUEST', validation: { source: 'body', keys: [key] } } },
    });
  });

  it('are refused without a token', async () => {
    expect(await app.client.call('users.get')).toMatchObject({ ok: false, error: { status: 401 } });
    expect(await app.client.call('users.update', { body: {} })).toMatchObject({ ok: false, error: { status: 401 } });
  });

  it('need a JSON body', async () => {
    const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'text/plain' };
    const reply = await app.api.inject({ method: 'PUT', url: '/api/user', headers, payload: 'x' });
    expect(reply.json()).toMatchObject({ statusCode: 415, code: 'WRONG_MEDIA_TYPE' });
  });
});
