import { VirtualClock } from '@moorage/base';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { buildApp, PostgresServer } from '../../testing/index.ts';
import { StorageError } from '../stores/health.ts';

const read = ({ db }: Awaited<ReturnType<typeof openRecords>>) => db.selectFrom('settings').selectAll().execute();
const away = { ok: false, error: { status: 503, body: { code: 'STORAGE_AWAY' } } };

describe('a PostgreSQL that is stopped without going away', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.create({ durable: false });
    await server.start();
  });
  // Whatever failed: a stopped server cannot be ended.
  afterEach(() => server.thaw());
  afterAll(() => server.remove());

  // API-ERR-503
  it('ends what is under way within two seconds, refuses more at once, and is back by itself', async () => {
    const clock = new VirtualClock();
    const reported: string[] = [];
    const storage = await openRecords(server.url(), { clock, onError: ({ message }) => reported.push(message) });
    await read(storage);
    server.freeze();
    const underWay = [
      read(storage),
      storage.check(),
      storage.transaction((trx) => trx.insertInto('settings').values({ name: 'a', value: 'b' }).execute()),
      storage.background.db.deleteFrom('settings').execute(),
      storage.hot.deviceById('one'),
      // More than there are connections: the last ones wait for a free one.
      ...Array.from({ length: 40 }, () => read(storage)),
    ].map((work) =>
      work.then(
        () => 'done',
        (error: unknown) => error,
      ),
    );
    await clock.advance(2_000);
    for (const outcome of await Promise.all(underWay)) {
      expect(outcome).toBeInstanceOf(StorageError);
      expect(outcome).toMatchObject({ trouble: { kind: 'away', what: 'database' } });
    }
    // No time has to pass for these.
    await expect(read(storage)).rejects.toBeInstanceOf(StorageError);
    await expect(storage.check()).rejects.toBeInstanceOf(StorageError);
    expect(reported).toEqual(['The database has stopped replying']);
    server.thaw();
    await expect.poll(() => read(storage).catch(() => undefined)).toEqual([]);
    expect(reported).toContain('The database replies again');
    await Promise.all(Array.from({ length: 40 }, () => read(storage)));
    await storage.close();
  });

  it('leaves a slow statement alone while the server replies', async () => {
    const storage = await openRecords(server.url());
    const { rows } = await sql`select 1 as one from pg_sleep(2.5)`.execute(storage.db);
    expect(rows).toEqual([{ one: 1 }]);
    await storage.close();
  });

  it('has the service say so on every route but the one for the process, and close all the same', async () => {
    const storage = await openRecords(server.url());
    const app = await buildApp(storage);
    const { token } = await app.make.user();
    const user = app.client.as(token);
    expect((await user.call('products.list', {})).ok).toBe(true);
    server.freeze();
    expect((await app.client.call('meta.health')).ok).toBe(true);
    const probe = app.client.call('meta.ready');
    await app.clock.advance(1_000);
    expect(await probe).toMatchObject(away);
    expect(await user.call('products.list', {})).toMatchObject(away);
    expect(await user.call('users.update', { body: { name_given: 'Ada' } })).toMatchObject(away);
    expect((await app.client.call('meta.health')).ok).toBe(true);
    await app.service.close();
    await storage.close();
  });

  it('lets a storage close that had nothing to do when the server stopped', async () => {
    const storage = await openRecords(server.url());
    await read(storage);
    server.freeze();
    await storage.close();
    await expect(read(storage)).rejects.toThrow();
  });
});

describe('more requests than a database can take', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.create({ durable: false });
    await server.start();
  });
  afterAll(() => server.remove());

  // API-ERR-503
  it('are refused as overload, while probes and periodic work go on', async () => {
    const storage = await openRecords(server.url());
    const app = await buildApp(storage);
    const { token } = await app.make.user();
    let free = () => {};
    const held = new Promise<void>((resolve) => {
      free = resolve;
    });
    const holders = Array.from({ length: 20 }, () =>
      storage.db.transaction().execute(async (trx) => {
        await trx.selectFrom('settings').select('name').execute();
        await held;
      }),
    );
    const waiters = Array.from({ length: 2_000 }, () =>
      read(storage).then(
        () => 'done',
        (error: unknown) => error,
      ),
    );
    const reply = await app.client.as(token).call('products.list', {});
    expect(reply).toMatchObject({ ok: false, error: { status: 503, body: { code: 'STORAGE_BUSY' } } });
    const raw = await app.api.inject({ url: '/api/products', headers: { authorization: `Bearer ${token}` } });
    expect(raw.headers['retry-after']).toBe('2');
    expect((await app.client.call('meta.ready')).ok).toBe(true);
    expect(await read(storage.background)).toBeInstanceOf(Array);
    free();
    await Promise.all(holders);
    await Promise.all(waiters);
    expect((await app.client.as(token).call('products.list', {})).ok).toBe(true);
    await app.service.close();
    await storage.close();
  });

  it('one statement that goes on for ever is ended by its limit, and is overload', async () => {
    const storage = await openRecords(server.url(), { statementMs: 200 });
    await expect(sql`select pg_sleep(60)`.execute(storage.db)).rejects.toMatchObject({ code: '57014' });
    expect(await read(storage)).toBeInstanceOf(Array);
    await storage.close();
  });
});
