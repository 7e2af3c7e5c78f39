import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { diskBlobs } from './engine/blobs/backends/disk-blobs.ts';
import { openSnapshot } from './engine/db/open-snapshot.ts';
import { openRecords } from './tables.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'moorage-rights-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** Files and folders below a folder that others than their owner have any right to. */
const openToOthers = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(folder, name)).mode & 0o077) !== 0,
  );

it('records, and what SQLite keeps beside them, are their owner’s alone', async () => {
  const storage = await openRecords(`sqlite:${join(parent, 'data', 'moorage.db')}`);
  expect(readdirSync(join(parent, 'data'))).toContain('moorage.db');
  expect(openToOthers(parent)).toEqual([]);
  await storage.close();
});

it('the copy of the records that a backup is made from is its owner’s alone', async () => {
  const url = `sqlite:${join(parent, 'data', 'moorage.db')}`;
  await (await openRecords(url)).close();
  const snapshot = await openSnapshot(url, join(parent, 'scratch'));
  expect(readdirSync(parent)).toContain('scratch');
  expect(openToOthers(parent)).toEqual([]);
  await snapshot.close();
});

it('stored files are their owner’s alone', async () => {
  const blobs = await diskBlobs(join(parent, 'blobs'));
  await blobs.put(Buffer.from('content'), 100);
  expect(readdirSync(join(parent, 'blobs'), { recursive: true }).length).toBeGreaterThan(3);
  expect(openToOthers(parent)).toEqual([]);
});
