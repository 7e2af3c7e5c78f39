import { unwrap } from '@moorage/base';
import { openRecords } from '@moorage/service/tables';
import { buildApp, injectFetch, type TestApp } from '@moorage/service/testing/index';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

let app: TestApp;
let owner: { readonly id: string; readonly token: string };
let product: { readonly id: string; readonly product: string };
beforeAll(async () => {
  app = await buildApp(await openRecords('sqlite::memory:'));
  owner = await app.make.user();
  const { id: platform_id } = await app.make.platform();
  product = await app.make.product({ platform_id, user_id: owner.id });
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

const run = (name: string, args: readonly string[] = [], flags: Readonly<Record<string, string>> = {}) =>
  runCommand('service-account', owner.token, name, [product.product, ...args], flags);

test('a service account is made, gets a token, is disabled, let in, and deleted', async () => {
  const user = `${product.product.toLowerCase()}:ci`;
  expect(await run('add', ['ci'])).toMatchObject([{ event: 'service-account', name: 'ci', user }]);
  const [made] = await run('token', ['ci'], { title: 'Build', scopes: 'publish,operate', days: '3' });
  expect(made).toMatchObject({ event: 'token', title: 'Build', scopes: ['operate', 'publish'] });
  unwrap(await app.client.as(String(made?.token)).call('products.get', { params: { product_id: product.id } }));
  expect(await run('disable', ['ci'])).toMatchObject([{ disabled_at: expect.any(String) }]);
  expect(await run('enable', ['ci'])).toMatchObject([{ disabled_at: null }]);
  expect(await run('list')).toMatchObject([{ name: 'ci', tokens: [{ id: made?.id }] }]);
  expect(await run('revoke', ['ci', String(made?.id)])).toMatchObject([{ event: 'revoked' }]);
  expect(await run('delete', ['ci'])).toMatchObject([{ event: 'deleted', user }]);
  expect(await run('list')).toEqual([]);
});

test('what makes no sense is refused by the name of the argument', async () => {
  await expect(run('add', ['No Name'])).rejects.toThrow('Argument NAME');
  await expect(run('token', ['nobody'])).rejects.toThrow('Argument NAME is "nobody"');
  await expect(run('token', ['ci'], { scopes: 'all' })).rejects.toThrow('Option --scopes is "all", not some of read');
  await expect(run('token', ['ci'], { days: '9999' })).rejects.toThrow('Option --days is 9999');
});
