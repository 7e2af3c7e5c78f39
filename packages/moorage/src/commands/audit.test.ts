import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '@moorage/base';
import { openRecords } from '@moorage/service/tables';
import { buildApp, injectFetch, type TestApp } from '@moorage/service/testing/index';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

let app: TestApp;
let token = '';
beforeAll(async () => {
  app = await buildApp(await openRecords('sqlite::memory:'));
  ({ token } = await app.make.admin());
  for (const title of ['a', 'b']) unwrap(await app.client.as(token).call('tokens.create', { body: { title } }));
});
afterAll(async () => {
  await app.service.close();
  await app.storage.close();
});
beforeEach(() => {
  vi.stubGlobal('fetch', injectFetch(app.api));
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const audit = (name: string, args: readonly string[] = [], flags: Readonly<Record<string, string>> = {}) =>
  runCommand('audit', token, name, args, flags);

// API-EP-GET-audit
test('moorage audit list shows changes, the newest first, by time and action', async () => {
  expect(await audit('list')).toMatchObject([
    { event: 'change', seq: 2, action: 'tokens.create', after: { title: 'b' } },
    { seq: 1, after: { title: 'a' } },
  ]);
  expect(await audit('list', [], { to: '2023-11-14' })).toEqual([]);
  expect(await audit('list', [], { from: '2023-11-14', action: 'tokens.create', limit: '1' })).toHaveLength(1);
  await expect(audit('list', [], { from: 'soon' })).rejects.toThrow('Option --from is "soon", not a day');
});

test('moorage audit export writes a file, the oldest first, in the form that its name asks for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-audit-'));
  const [lines, table] = [join(folder, 'audit.jsonl'), join(folder, 'audit.csv')];
  await audit('export', [lines]);
  const rows = (await readFile(lines, 'utf8')).trim().split('\n');
  expect(rows.map((line) => JSON.parse(line).seq)).toEqual([1, 2]);
  await audit('export', [table], { user: 'nobody' });
  expect((await readFile(table, 'utf8')).trim()).toMatch(/^\ufeff?seq,at,user_id,/);
  await expect(audit('export', ['audit.txt'])).rejects.toThrow('which ends neither in .jsonl nor in .csv');
  await rm(folder, { recursive: true });
});

// API-EP-GET-audit-verify
test('moorage audit verify says that the chain is whole, or fails', async () => {
  const [{ last_seq, hash } = {}] = await audit('verify');
  expect(await audit('verify', [], { noted: `${last_seq}:${hash}` })).toMatchObject([{ ok: true, rows: 2 }]);
  expect(await audit('verify', [], { days: '30' })).toMatchObject([{ ok: true, first_seq: 1 }]);
  await expect(audit('verify', [], { noted: `1:${hash}` })).rejects.toThrow(
    'Row 1 is not the one whose hash was noted',
  );
  await expect(audit('verify', [], { noted: 'x' })).rejects.toThrow('Option --noted is "x", not ROW:HASH');
});
