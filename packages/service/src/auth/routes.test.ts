import { beforeAll, expect, it } from 'vitest';
import { buildApp, eachDatabase, type TestApp } from '../testing/index.ts';

const maker = { email: 'Maker@Example.com', password: 'correct horse' };
const wrong = {
  statusCode: 401,
  error: 'Unauthorized',
  message: 'User name or password is wrong',
  code: 'WRONG_LOGIN',
};

eachDatabase('login', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await buildApp(await open());
    await app.client.call('auth.signup', { body: maker });
  });

  // API-EP-POST-auth-login, API-AUTH-2
  it.each(['maker@example.com', 'MAKER@EXAMPLE.COM', 'maker', 'Maker'])(
    'login as %s gives a session',
    async (username) => {
      const reply = await app.client.call('auth.login', { body: { username, password: maker.password } });
      expect(reply).toMatchObject({ ok: true, value: { value: { result: 'ok' } } });
      if (!reply.ok) return;
      const { token, client } = reply.value.value;
      expect(Buffer.from(token, 'base64').toString('latin1')).toMatch(/^[A-Za-z0-9]{24}$/);
      expect(client).toMatch(/^[0-9a-f]{32}$/);
      expect(await app.client.as(token).call('users.get')).toMatchObject({ ok: true });
    },
  );

  // API-ERR-401
  it.each([
    ['maker', 'wrong'],
    ['nobody', 'correct horse'],
    ['maker', ''],
  ])('login as %s with password "%s" is refused', async (username, password) => {
    const reply = await app.client.call('auth.login', { body: { username, password } });
    expect(reply).toEqual({ ok: false, error: { status: 401, body: wrong } });
  });
});
