import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRecords } from '@moorage/service/tables';
import { buildApp, type TestApp } from '@moorage/service/testing/index';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

let folder: string;
let app: TestApp;
let owner: { readonly username: string };
let lamp: { readonly id: string; readonly product: string };
let gauge: { readonly id: string; readonly product: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moorage-token-'));
  app = await buildApp(await openRecords(`sqlite:${join(folder, 'moorage.db')}`));
  const made = await app.make.user();
  const { id: platform_id } = await app.make.platform();
  owner = made;
  lamp = await app.make.product({ platform_id, user_id: made.id });
  gauge = await app.make.product({ platform_id, user_id: made.id });
});

afterAll(async () => {
  await app.service.close();
  await app.storage.close();
  await rm(folder, { recursive: true });
});

const add = (flags: Readonly<Record<string, string>>) =>
  runCommand('token', '', 'add', [owner.username], { data: folder, ...flags });

/** What a token that the command has made sees of the products. */
async function seen(flags: Readonly<Record<string, string>>): Promise<string[]> {
  const [made] = await add(flags);
  const client = app.client.as(String(made?.token));
  const replies = await Promise.all(
    [lamp, gauge].map(({ id }) => client.call('products.get', { params: { product_id: id } })),
  );
  return replies.map((reply) => (reply.ok ? 'ok' : reply.error.body.code));
}

// API-RULE-token-4
test('moorage token add makes a token for all products, or for those alone that it names', async () => {
  expect(await seen({})).toEqual(['ok', 'ok']);
  expect(await seen({ products: lamp.product.toLowerCase() })).toEqual(['ok', 'TOKEN_PRODUCT']);
  expect(await seen({ products: `${lamp.product},${gauge.product}` })).toEqual(['ok', 'ok']);
});

test.each([
  [{ products: 'ACME-NONE' }, 'Product "ACME-NONE" not found'],
  [{ products: '' }, 'Product "" not found'],
  [{ scopes: 'read,rule' }, 'Option --scopes is "read,rule"'],
  [{ days: '0' }, 'Option --days is 0'],
])('moorage token add refuses %j', async (flags, said) => {
  const before = await app.storage.db.selectFrom('tokens').select('id').execute();
  await expect(add(flags)).rejects.toThrow(said);
  expect(await app.storage.db.selectFrom('tokens').select('id').execute()).toEqual(before);
});
