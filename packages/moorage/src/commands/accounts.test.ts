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

const accounts = (name: string, args: readonly string[] = [], flags: Readonly<Record<string, string | true>> = {}) =>
  runCommand('accounts', token, name, args, flags);

test('an account is listed, promoted, demoted, disabled and let in again', async () => {
  const user = await app.make.user();
  expect(await accounts('list', [], { find: user.email })).toMatchObject([{ event: 'account', id: user.id }]);
  expect(await accounts('promote', [user.username])).toMatchObject([{ role: 'admin' }]);
  expect(await accounts('demote', [user.email.toUpperCase()])).toMatchObject([{ role: 'user' }]);
  expect(await accounts('disable', [user.username])).toMatchObject([{ disabled_at: expect.any(String) }]);
  expect(await accounts('enable', [user.username])).toMatchObject([{ disabled_at: null }]);
  await expect(accounts('disable', ['nobody'])).rejects.toThrow('Argument USER is "nobody": there is no such account');
});

test('a lost password is replaced, and sessions are ended', async () => {
  const user = await app.make.user();
  const [{ password } = {}] = await accounts('password', [user.username]);
  const body = { username: user.username, password: String(password) };
  unwrap(await app.client.call('auth.login', { body }));
  expect(await accounts('end-sessions', [user.username])).toMatchObject([{ event: 'ended', ended: 1 }]);
  expect(await accounts('end-sessions', [user.username], { tokens: true })).toMatchObject([{ ended: 1 }]);
});

test('an account is deleted with an heir, who gets what it owns', async () => {
  const [user, heir] = [await app.make.user(), await app.make.user()];
  const { id: platform_id } = await app.make.platform();
  await app.make.product({ platform_id, user_id: user.id });
  await expect(accounts('delete', [user.username])).rejects.toThrow('owns 1 product; name the heir');
  await expect(accounts('delete', [user.username], { heir: 'nobody' })).rejects.toThrow('Heir "nobody" not found');
  const [deleted] = await accounts('delete', [user.username], { heir: heir.username });
  expect(deleted).toMatchObject({ event: 'deleted', heir: heir.username, owns: { products: 1 } });
  expect(await accounts('list', [], { find: user.email })).toEqual([]);
});
