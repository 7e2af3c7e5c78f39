import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from './folder.ts';

const top = mkdtempSync(join(tmpdir(), 'moorage-folder-'));
afterAll(() => rmSync(top, { recursive: true }));

test('a folder is made with those above it, and one that is there stays', () => {
  const path = join(top, 'a', 'b', 'c');
  makeFolder(path, 0o700);
  makeFolder(path, 0o755);
  for (const each of [path, join(top, 'a')]) expect(statSync(each).mode & 0o777).toBe(0o700);
});

test('a folder that cannot be is refused as the host says', () => {
  const file = join(top, 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file, 0o700)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'x'), 0o700)).toThrow('ENOTDIR');
});

test.runIf(process.platform === 'linux')('a folder that refuses new ones as missing is no endless search', () => {
  for (const path of ['/proc/moorage', '/proc/moorage/x']) expect(() => makeFolder(path, 0o700)).toThrow('ENOENT');
});
