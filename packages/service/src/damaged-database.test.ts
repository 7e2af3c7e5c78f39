import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildService } from './app.ts';
import { openSqliteSnapshot } from './engine/db/dialect/sqlite/snapshot.ts';
import { sqliteTrouble } from './engine/db/dialect/sqlite/trouble.ts';
import { UnusableError } from './engine/stores/health.ts';
import { openRecords } from './tables.ts';
import { buildApp, testSettings } from './testing/index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'damaged-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'away'],
  [10, 'away'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'away'],
  [26, 'damaged'],
  [19, undefined],
  [1, undefined],
])('code %i of SQLite is the trouble %s of the database', (errcode, kind) => {
  expect(sqliteTrouble(Object.assign(new Error('x'), { errcode }))).toBe(kind);
});

it('a malformed page is told of, and nothing is changed from then on', async () => {
  const path = join(folder, 'moorage.db');
  const first = await openRecords(`sqlite:${path}`);
  const made = await buildApp(first);
  const user = await made.make.user();
  for (let row = 0; row < 200; row++) {
    const about = { userId: user.id, type: 'user.update', level: 'info', data: '{}', quiet: 0 } as const;
    const { userId, ...own } = about;
    const message = randomBytes(400).toString('hex');
    await first.db
      .insertInto('logs')
      .values({ ...own, id: `${row}`, message, user_id: userId, created_at: row })
      .execute();
  }
  await made.service.close();
  await first.close();
  const file = openSync(path, 'r+');
  for (let at = statSync(path).size - 40 * 4_096; at < statSync(path).size; at += 4_096) {
    writeSync(file, randomBytes(600), 0, 600, at);
  }
  const storage = await openRecords(`sqlite:${path}`);
  const app = await buildApp(storage);
  const caller = app.client.as(user.token);
  expect(await app.client.call('meta.ready')).toMatchObject({ ok: true });
  const read = await caller.call('logs.list', { query: { limit: 500 } });
  expect(read).toMatchObject({ ok: false, error: { status: 503, body: { code: 'STORAGE_DAMAGED' } } });
  expect(await app.client.call('meta.ready')).toMatchObject({ ok: false, error: { status: 503 } });
  const changed = await caller.call('tokens.create', { body: { title: 'Later' } });
  expect(changed).toMatchObject({ ok: false, error: { status: 503 } });
  await app.service.close();
  await storage.close();
});

it('an empty file of records beside stored files is no first start, and no backup', async () => {
  const database = `sqlite:${join(folder, 'moorage.db')}`;
  const blobs = `file:${join(folder, 'blobs')}`;
  writeFileSync(join(folder, 'moorage.db'), '');
  const settings = { ...testSettings, database, blobs };
  const name = 'a'.repeat(64);
  mkdirSync(join(folder, 'blobs', 'aa', 'aa'), { recursive: true });
  writeFileSync(join(folder, 'blobs', 'aa', 'aa', name), 'x');
  await expect(buildService({ settings })).rejects.toThrow(UnusableError);
  expect(statSync(join(folder, 'moorage.db')).size).toBe(0);
  await expect(openSqliteSnapshot(join(folder, 'moorage.db'), join(folder, 'scratch'))).rejects.toThrow(UnusableError);
});

it('after a stop that was not orderly a malformed page is found by the service itself', async () => {
  const path = join(folder, 'moorage.db');
  const database = `sqlite:${path}`;
  const first = await openRecords(database);
  for (let row = 0; row < 200; row++) {
    const message = randomBytes(400).toString('hex');
    const about = { type: 'user.update', level: 'info', data: '{}', created_at: row } as const;
    await first.db
      .insertInto('logs')
      .values({ ...about, id: `${row}`, message })
      .execute();
  }
  await first.close();
  // As a killed process leaves it: its log file has something.
  const file = openSync(path, 'r+');
  for (let at = statSync(path).size - 40 * 4_096; at < statSync(path).size; at += 4_096) {
    writeSync(file, randomBytes(600), 0, 600, at);
  }
  const settings = { ...testSettings, database, blobs: `file:${join(folder, 'blobs')}` };
  const cut = async (isCut: boolean) => {
    if (isCut) writeFileSync(`${path}-wal`, randomBytes(32));
    const service = await buildService({ settings, logLevel: 'silent', withoutBackgroundWork: true });
    return service;
  };
  const orderly = await cut(false);
  expect(orderly.deps.health.hasDamagedRecords).toBe(false);
  await orderly.close();
  const service = await cut(true);
  await expect.poll(() => service.deps.health.hasDamagedRecords).toBe(true);
  await service.close();
});
