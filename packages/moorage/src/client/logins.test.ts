import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLogins, writeLogins } from './logins.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moorage-logins-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const login = { username: 'maker', token: 'secret', session: true };
const logins = { last: 'http://quay', services: { 'http://quay': login } };

test('saved logins come back, in a file and a folder of their user alone, also over one that others could read', async () => {
  const path = join(folder, 'conf', 'logins.json');
  expect(await readLogins(path)).toEqual({ services: {} });
  await writeLogins(path, logins);
  await chmod(path, 0o644);
  await writeLogins(path, logins);
  expect(await readLogins(path)).toEqual(logins);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'conf'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(folder, 'conf'))).toEqual(['logins.json']);
});

test.each([
  ['no JSON', 'cannot be used'],
  ['[]', 'cannot be used'],
  ['{"services": 1}', 'cannot be used'],
])('a file with %s is refused with its name', async (text, said) => {
  const path = join(folder, 'logins.json');
  await writeFile(path, text);
  await expect(readLogins(path)).rejects.toThrow(said);
  await expect(readLogins(path)).rejects.toThrow(path);
});

test('a login that lacks something is left out', async () => {
  const path = join(folder, 'logins.json');
  await writeFile(path, JSON.stringify({ services: { a: login, b: { username: 'x' }, c: null } }));
  expect(await readLogins(path)).toEqual({ services: { a: login }, last: undefined });
});

test('a file that cannot be written is said in one line', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(writeLogins(join(folder, 'file', 'logins.json'), logins)).rejects.toThrow('The login cannot be saved');
});
