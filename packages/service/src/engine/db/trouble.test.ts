import { unwrap } from '@moorage/base';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureAdministrator } from '../../core/auth/accounts.ts';
import { openRecords } from '../../tables.ts';
import { buildApp, PostgresServer, type TestApp, testSettings } from '../../testing/index.ts';
import { storageTroubleOf } from './trouble.ts';

const account = { adminEmail: 'harbour@example.com', adminPassword: 'a long password' };
const credentials = { username: account.adminEmail, password: account.adminPassword };

describe('a service whose PostgreSQL goes away', () => {
  let server: PostgresServer;
  const lines: string[] = [];

  /** A service with an administrator, over connections of its own. */
  async function open(): Promise<TestApp> {
    const app = await buildApp(await openRecords(server.url()), {
      logLevel: 'error',
      logStream: { write: (line) => void lines.push(line) },
    });
    unwrap(await ensureAdministrator({ ...app.service.deps, settings: { ...testSettings, ...account } }, () => {}));
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
      await app.client.call('meta.ready'),
    ];
    await server.kill();
    // The first ones meet connections that were open, the others find none.
    for (const reply of [...(await replies()), ...(await replies())]) {
      const body = { code: 'STORAGE_AWAY', message: 'The storage does not answer (database); try again in 5 seconds' };
      expect(reply).toMatchObject({ ok: false, error: { status: 503, body } });
    }
    expect((await app.client.call('meta.health')).ok).toBe(true);
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

describe('what an error says of the storage', () => {
  const coded = (message: string, facts: object) => Object.assign(new Error(message), facts);
  const server = (code: string) => Object.assign(new pg.DatabaseError('said by the server', 20, 'error'), { code });

  it.each([
    ['away', coded('connect ECONNREFUSED', { code: 'ECONNREFUSED' })],
    ['away', coded('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })],
    ['away', new Error('Connection terminated unexpectedly')],
    ['away', new Error('timeout exceeded when trying to connect')],
    ['away', coded('disk I/O error', { errcode: 778 })],
    ['away', server('57P01')],
    ['away', server('08006')],
    ['busy', server('53300')],
    ['busy', server('57014')],
    ['busy', coded('database is locked', { errcode: 517 })],
    ['full', server('53100')],
    ['full', coded('database or disk is full', { errcode: 13 })],
    ['full', coded('disk I/O error', { errcode: 4874 })],
    ['full', coded('ENOSPC: no space left on device, write', { code: 'ENOSPC' })],
    ['full', coded('EDQUOT: quota exceeded', { code: 'EDQUOT' })],
  ])('%s: %s', (kind, error) => expect(storageTroubleOf(error)?.kind).toBe(kind));

  it.each([
    coded('aborted', { code: 'ECONNRESET' }),
    coded('no such table', { code: 'ERR_SQLITE_ERROR', errcode: 1 }),
    server('23505'),
    new TypeError('x is undefined'),
    'text',
  ])('nothing: %s', (error) => expect(storageTroubleOf(error)).toBeUndefined());
});
