import { unwrap } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { accessibilityProblems, openQuay, photograph, type Quay, skipReason } from './harness.ts';

describe.skipIf(skipReason)('accounts of programs, and the audit', () => {
  let quay: Quay;
  let product: { readonly id: string; readonly product: string };
  beforeAll(async () => {
    quay = await openQuay();
    const [found] = unwrap(await quay.client.call('products.list', { query: { q: 'TIDE' } })).value;
    if (!found) throw new Error('The example has no such product');
    product = found;
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  // API-RULE-service-account-1
  test('a service account is made with a token, is disabled and deleted on the page of its product', async () => {
    const page = await quay.open({ path: `/products/${product.id}/users` });
    const button = (name: string | RegExp) => page.getByRole('button', { name });
    const user = `${product.product.toLowerCase()}:ci`;
    await page.getByText('There is none yet').waitFor();
    await button('New service account').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('ci');
    await button('Make it').click();
    await button(`New token of ${user}`).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Build');
    await button('Make the token').click();
    await page.getByText('is shown this once').waitFor();
    const value = page
      .getByRole('dialog')
      .getByText(/^[0-9A-Za-z_-]{30,}$/)
      .first();
    const token = String(await value.textContent());
    unwrap(await quay.client.as(token).call('products.get', { params: { product_id: product.id } }));
    await button('I have copied it').click();
    const table = page.getByRole('table', { name: 'Service accounts' });
    await table.getByText('Build (Read)').waitFor();
    await photograph(page, 'product-service-accounts');
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(`Disable: ${user}`).click();
    await button(`Let in: ${user}`).waitFor();
    const refused = await quay.client.as(token).call('products.get', { params: { product_id: product.id } });
    expect(refused).toMatchObject({ ok: false, error: { status: 401 } });
    await button(`Delete: ${user}`).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There is none yet').waitFor();
  });

  // API-RULE-audit-1, API-RULE-audit-2
  test('an administrator finds who has changed what, and checks that nobody altered it', async () => {
    const params = { product_id: product.id };
    const { code } = unwrap(await quay.client.call('products.get', { params })).value;
    unwrap(await quay.client.call('products.update', { params, body: { code, summary: 'By the pier' } }));
    const page = await quay.open({ path: '/administration' });
    await page.getByRole('link', { name: 'Audit' }).click();
    const table = page.getByRole('table', { name: 'Audit' });
    await table.getByText('"By the pier"', { exact: false }).first().waitFor();
    const filter = page.getByRole('textbox', { name: 'Action' });
    await filter.fill('products.update');
    await filter.press('Enter');
    await expect.poll(() => table.getByRole('row').count()).toBe(2);
    // All of it stands in a dialogue: a line has room for its begin.
    await table.getByRole('row').nth(1).getByRole('button').click();
    await page.getByRole('dialog').getByText('"summary": "By the pier"', { exact: false }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    const object = page.getByRole('textbox', { name: 'Object or product (id)' });
    await object.fill('nothing');
    await object.press('Enter');
    await page.getByText('No change fits the filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByText(/rows are as they were written/)
      .waitFor();
    await photograph(page, 'audit');
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
