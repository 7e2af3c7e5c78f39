import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { complaints, inspect, openQuay, photograph, type Quay, settled, skipReason } from './harness.ts';

/** How long a module may take for an update and the restart after it. */
const updateMs = 30_000;

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });

/** Says yes to a question, after a look at what it says. */
async function agree(page: Page, action: string, says: string | RegExp): Promise<void> {
  const question = page.getByRole('dialog');
  await question.getByText(says).waitFor();
  await question.getByRole('button', { name: action, exact: true }).click();
  await question.waitFor({ state: 'hidden' });
}

/** Chooses from a list that opens below a field. */
async function choose(page: Page, field: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option }).first().click();
}

async function createProduct(page: Page, title: string): Promise<string> {
  await page.getByRole('link', { name: 'Products', exact: true }).click();
  await button(page, 'Create a product').click();
  await page.getByRole('textbox', { name: 'Title' }).fill(title);
  await button(page, 'Create the product').click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  return /products\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
}

async function createBundle(page: Page, version: string): Promise<void> {
  await button(page, 'Create a bundle').click();
  await page.getByRole('textbox', { name: 'Version' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Version' }).inputValue()).toBe(version);
  await button(page, 'Create the bundle').click();
  await page.getByRole('heading', { level: 1, name: `Bundle ${version}` }).waitFor();
}

const chooseFiles = async (page: Page, files: readonly { name: string; content: string }[]): Promise<void> =>
  page.locator('input[type=file]').setInputFiles(
    files.map(({ name, content }) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })),
  );

describe.skipIf(skipReason)('the developer workflow', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay();
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('leads from sign-in to a module that runs the new bundle', { timeout: 180_000 }, async () => {
    const page = await quay.open();
    const productId = await createProduct(page, 'Harbour light');
    await page.getByText('OWNER-BERTH1_HARBOUR_LIGHT', { exact: false }).first().waitFor();

    await createBundle(page, '0.0.0.1');
    await chooseFiles(page, [
      { name: 'light.txt', content: 'on at dusk\n' },
      { name: 'notes.txt', content: 'not for devices\n' },
    ]);
    const files = page.getByRole('table', { name: 'Files of the bundle' });
    await files.getByText('light.txt').waitFor();
    await files.getByText('notes.txt').waitFor();
    await button(page, 'Remove notes.txt').click();
    await agree(page, 'Remove', '16 bytes are deleted');
    await files.getByText('notes.txt').waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: /^Exclude them/ }).check();
    await chooseFiles(page, [{ name: 'notes.txt', content: 'not for devices\n' }]);
    await files.getByText('excluded: not sent to devices').waitFor();
    await page.getByText(/devices get 1 file of 11 bytes/).waitFor();

    await button(page, 'Publish').click();
    await agree(page, 'Publish', 'Its files are frozen');
    await page.getByText('The files of a bundle that was published never change', { exact: false }).waitFor();

    await page.goto(`${quay.url}devices/${quay.uuid}`);
    await button(page, /^Activate/).first().click();
    await choose(page, 'Product', /Harbour light/);
    await dialog(page, /ctivate/).getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText(/is activated to OWNER-BERTH1_HARBOUR_LIGHT/).waitFor();

    await page.goto(`${quay.url}products/${productId}/bundles`);
    await button(page, 'Actions for bundle 0.0.0.1').click();
    await page.getByRole('menuitem', { name: 'Tag' }).click();
    const tagging = dialog(page, 'Tag of bundle 0.0.0.1');
    await tagging.getByText('This moves 1 device', { exact: false }).waitFor();
    await tagging.getByText('1 device without a tag: to 0.0.0.1').waitFor();
    await photograph(page, 'product-tag-dialog');
    await tagging.getByRole('button', { name: 'Move the tag release here' }).click();
    await tagging.waitFor({ state: 'hidden' });

    const { client, uuid } = quay;
    const said = await client.call('channel.command', { params: { device_id: uuid }, body: { command: 'ota' } });
    expect(said).toMatchObject({ ok: true });
    // The page learns of it by itself.
    const bar = page.getByRole('img', { name: 'Bundle 0.0.0.1: 1 installed, 0 not yet' });
    await bar.waitFor({ timeout: updateMs });
    await photograph(page, 'product-after-update');
    const device = await client.call('devices.get', { params: { identifier: uuid } });
    expect(device.ok && device.value.value).toMatchObject({
      bundle: '0.0.0.1',
      bundle_ok: true,
      product: 'OWNER-BERTH1_HARBOUR_LIGHT',
    });
    expect(complaints(page)).toEqual([]);
  });
});
