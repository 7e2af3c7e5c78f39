import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureAdministrator } from '../auth/accounts.ts';
import { buildApp, PostgresServer, type TestApp, testSettings } from '../testing/index.ts';
import { isStorageAway } from './away.ts';
import { openStorage } from './open.ts';

const account = { adminEmail: 'harbour@example.com', adminPassword: 'a long password' };
const credentials = { username: account.adminEmail, password: account.adminPassword };

describe('a service whose PostgreSQL goes away', () => {
  let server: PostgresServer;
  const lines: string[] = [];

  /** A service with an administrator, over connections of its own. */
  async function open(): Promise<TestApp> {
    const app = await buildApp(await openStorage(server.url()), {
      logLevel: 'error',
      logStream: { write: (line) => void lines.push(line) },
    });
    await ensureAdministrator({ ...app.service.deps, settings: { ...testSettings, ...account } }, () => {});
    return app;
  }

  beforeAll(async () => {
    server = await PostgresServer.create({ durable: false });
    await server.start();
  });
  afterAll(() => server.remove());

  // API-ERR-503
  it('says so on every route while it is away, and goes on when it is back', async () => {
    const app = await open();
    const logIn = () => app.client.call('auth.login', { body: credentials });
    const session = await logIn();
    if (!session.ok) throw new Error(session.error.body.message);
    const user = app.client.as(session.value.value.token);
    const replies = async () => [
      await logIn(),
      await user.call('products.list', {}),
      await app.client.call('auth.signup', { body: { email: 'ada@example.com', password: 'another password' } }),
      await app.client.call('meta.health'),
      await app.client.call('meta.ready'),
    ];
    await server.kill();
    // The first ones meet connections that were open, the others find none.
    for (const reply of [...(await replies()), ...(await replies())]) {
      const body = { code: 'STORAGE_AWAY', message: 'The storage does not answer; try again in 5 seconds' };
      expect(reply).toMatchObject({ ok: false, error: { status: 503, body } });
    }
    const raw = await app.api.inject({ method: 'POST', url: '/api/auth/login', payload: credentials });
    expect(raw.headers['retry-after']).toBe('5');
    expect(lines.some((line) => line.includes('The storage does not answer'))).toBe(true);
    await server.start();
    for (const reply of await replies()) expect(reply).toMatchObject({ ok: true });
    await app.service.close();
    await app.storage.close();
  });

  it('closes while it is away: first the service, which then takes no calls, and then its storage', async () => {
    const app = await open();
    await server.kill();
    await app.service.close();
    await expect(app.client.call('meta.health')).rejects.toThrow();
    await app.storage.close();
    await expect(app.storage.db.selectFrom('users').select('id').execute()).rejects.toThrow(/destroyed/);
    await server.start();
  });
});

describe('what counts as the database being away', () => {
  const coded = (message: string, facts: object) => Object.assign(new Error(message), facts);

  it.each([
    coded('connect ECONNREFUSED', { code: 'ECONNREFUSED' }),
    coded('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' }),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
  ])('%s does', (error) => expect(isStorageAway(error)).toBe(true));

  it.each([
    coded('aborted', { code: 'ECONNRESET' }),
    coded('no such table', { code: 'ERR_SQLITE_ERROR' }),
    new TypeError('x is undefined'),
    'text',
  ])('%s does not', (error) => expect(isStorageAway(error)).toBe(false));
});
