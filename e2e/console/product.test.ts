import { createServer } from 'node:http';
import { unwrap } from '@moorage/base';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import {
  accessibilityProblems,
  complaints,
  inspect,
  openQuay,
  openSection,
  photograph,
  type Quay,
  skipReason,
} from './harness.ts';
import { tabKeys } from './pages.ts';

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
  page
    .locator('input[type=file]')
    .setInputFiles(files.map(({ name, content }) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })));

describe.skipIf(skipReason)('the developer workflow', () => {
  let quay: Quay;
  beforeAll(async () => {
    // The party of a connector is on this machine.
    quay = await openQuay({ env: { MOORAGE_CONNECTOR_ALLOW: '127.0.0.0/8' } });
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('leads from sign-in to a module that runs the new bundle', async () => {
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
    await page.getByRole('textbox', { name: 'Folder of the files added next' }).fill('papers/');
    await chooseFiles(page, [{ name: 'notes.txt', content: 'not\n' }]);
    await files.getByText('papers/notes.txt').waitFor();
    await chooseFiles(page, [{ name: 'notes.txt', content: 'not for devices\n' }]);
    await agree(page, 'Replace', 'papers/notes.txt');
    await files.getByText('16 bytes').waitFor();
    await files.getByText('excluded: not sent to devices').waitFor();
    await page.getByText(/devices get 1 file of 11 bytes/).waitFor();

    await button(page, 'Publish').click();
    await agree(page, 'Publish', 'Its files are frozen');
    await page.getByText('The files of a bundle that was published never change', { exact: false }).waitFor();

    await page.goto(`${quay.url}devices/${quay.uuid}`);
    await button(page, /^Activate/)
      .first()
      .click();
    await choose(page, 'Product', /Harbour light/);
    await dialog(page, /ctivate/)
      .getByRole('button', { name: 'Activate', exact: true })
      .click();
    await page.getByText(/is activated to OWNER-BERTH1_HARBOUR_LIGHT/).waitFor();

    await page.goto(`${quay.url}products/${productId}/bundles`);
    await button(page, 'Actions for bundle 0.0.0.1').click();
    await page.getByRole('menuitem', { name: 'Tag' }).click();
    const tagging = dialog(page, 'Tag of bundle 0.0.0.1');
    await tagging.getByText('This moves 1 device', { exact: false }).waitFor();
    await tagging.getByText('1 device: to 0.0.0.1').waitFor();
    await photograph(page, 'product-tag-dialog');
    await tagging.getByRole('button', { name: 'Move the tag release here' }).click();
    await tagging.waitFor({ state: 'hidden' });

    await page.goto(`${quay.url}devices/${quay.uuid}/console`);
    await page.getByRole('textbox', { name: 'Command line of the device' }).focus();
    await page.keyboard.type('ota');
    await page.keyboard.press('Enter');
    await page.goto(`${quay.url}products/${productId}/bundles`);
    // The page learns of it by itself.
    const bar = page.getByRole('img', { name: 'Bundle 0.0.0.1: 1 run it' });
    await bar.waitFor();
    await photograph(page, 'product-after-update');
    const device = await quay.client.call('devices.get', { params: { identifier: quay.uuid } });
    expect(device.ok && device.value.value).toMatchObject({
      bundle: '0.0.0.1',
      bundle_ok: true,
      product: 'OWNER-BERTH1_HARBOUR_LIGHT',
    });
    expect(complaints(page)).toEqual([]);
  });

  test('keeps what belongs to a product, and other windows see it at once', async () => {
    const { client, url } = quay;
    const page = await quay.open();
    const productId = await createProduct(page, 'Fog horn');
    const other = await quay.open({ path: `/products/${productId}` });

    await page.getByRole('tab', { name: 'Overview' }).click();
    const write = page.getByRole('textbox', { name: 'Description' });
    await write.fill('# Loud\n\n*very* <script>');
    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.getByRole('heading', { name: 'Loud' }).waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Fog horn 2');
    await button(page, 'Save the texts').click();
    await other.getByRole('heading', { level: 1, name: 'Fog horn 2' }).waitFor();

    await openSection(page, 'Settings', 'Users');
    const hand = { email: 'hand@example.com', password: 'long enough by far' };
    unwrap(await client.as(undefined).call('auth.signup', { body: hand }));
    await button(page, 'Add a user').click();
    await page.getByRole('textbox', { name: 'User name or email' }).fill('hand@example.com');
    await button(page, 'Add the user').click();
    await choose(page, 'Role of hand', 'Tester');
    await page.getByText('hand is tester now').waitFor();
    await button(page, 'Take hand off the product').click();
    await agree(page, 'Take off', 'They no longer see it');
    await page.getByText('Nobody else works on this product').waitFor();

    await openSection(page, 'Onboarding', 'Activation tokens');
    await button(page, 'Make a token').click();
    await page.getByRole('textbox', { name: 'Devices that can be claimed with it' }).fill('5');
    await button(page, 'Make the token').click();
    await page.getByText(/^dms claim OWNER-BERTH1_FOG_HORN \S{32}$/).waitFor();
    await button(page, 'I have copied it').click();
    await page.getByText(/^dms claim/).waitFor({ state: 'detached' });
    await button(page, /^Revoke the token/).click();
    await agree(page, 'Revoke', '5 devices could still be claimed');
    await page.getByText('No activation tokens').waitFor();

    await openSection(page, 'Releases', 'Assets');
    await page.getByRole('textbox', { name: 'Folder for the files added next' }).fill('sounds');
    await chooseFiles(page, [{ name: 'low.txt', content: 'booo' }]);
    await page.getByRole('table', { name: 'Assets' }).getByText('sounds/low.txt').waitFor();
    await chooseFiles(page, [{ name: 'low.txt', content: 'boom' }]);
    await agree(page, 'Replace', 'sounds/low.txt');
    await page.getByText('2 uploads ended').waitFor();
    await button(page, 'Delete sounds/low.txt').click();
    await agree(page, 'Delete', '4 bytes are gone');
    await page.getByText('No assets yet').waitFor();

    await button(page, 'Change the state').click();
    await page.getByRole('menuitem', { name: 'Publish' }).click();
    await agree(page, 'Publish', 'Everybody on this service will see the product');
    await other.getByLabel('State of the product').getByText('published').waitFor();
    await button(page, 'Change the state').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    // The answer comes late, as on a busy machine: an event has reported it, and the page has requested what is gone.
    await page.route(`**/api/products/${productId}`, async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      const askedAgain = page.waitForResponse((response) => response.status() === 404);
      const response = await route.fetch();
      await askedAgain;
      return route.fulfill({ response });
    });
    await agree(page, 'Delete', 'gone for good');
    await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
    expect(page.url()).toBe(`${url}products`);
    expect(complaints(page)).toEqual([]);
  });

  test('sends what happens through a connector', async () => {
    const received: string[] = [];
    const party = createServer((request, response) => {
      received.push(String(request.headers['x-key']));
      request.resume().on('end', () => response.writeHead(received.length === 1 ? 500 : 200).end());
    });
    await new Promise<void>((resolve) => party.listen(0, '127.0.0.1', resolve));
    const address = party.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const page = await quay.open();
    const productId = await createProduct(page, 'Signal mast');
    await page.goto(`${quay.url}products/${productId}/connectors?new=1`);
    await page.getByRole('textbox', { name: 'Title' }).fill('Port office');
    expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe('PORT_OFFICE');
    await page.getByRole('textbox', { name: 'URL' }).fill(`http://127.0.0.1:${port}/`);
    await button(page, 'Add a header').click();
    await page.getByRole('textbox', { name: 'Name of header 1' }).fill('X-Key');
    await page.getByRole('textbox', { name: 'Value of header 1' }).fill('sea');
    await button(page, 'Add the connector').click();

    await button(page, 'Test PORT_OFFICE').click();
    await page.getByRole('alert').getByText('The target of the connector failed').waitFor();
    await button(page, 'Test PORT_OFFICE').click();
    await page.getByText('PORT_OFFICE works: it answered 200').waitFor();
    await button(page, 'Actions for connector PORT_OFFICE').click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    // The value is a secret; saved as it reads, it stays what it is.
    expect(await page.getByRole('textbox', { name: 'Value of header 1' }).inputValue()).toBe('***');
    await page.getByRole('textbox', { name: 'Title' }).fill('Harbour office');
    await button(page, 'Save the connector').click();
    await page.getByRole('cell', { name: /Harbour office/ }).waitFor();
    await button(page, 'Test PORT_OFFICE').click();
    await expect.poll(() => received).toEqual(['sea', 'sea', 'sea']);
    await button(page, 'Actions for connector PORT_OFFICE').click();
    await page.getByRole('menuitem', { name: 'Deliveries' }).click();
    await dialog(page, 'Deliveries of PORT_OFFICE').getByRole('cell', { name: 'test' }).first().waitFor();
    await photograph(page, 'product-deliveries');
    expect(await accessibilityProblems(page)).toEqual([]);
    await new Promise((resolve) => party.close(resolve));
  });

  test('shows how far a file is, lets it be cancelled, and moves bundles by dragging', async () => {
    const page = await quay.open();
    const productId = await createProduct(page, 'Ship bell');
    await createBundle(page, '0.0.0.1');
    await chooseFiles(page, [{ name: 'too large.bin', content: 'x'.repeat(12 * 1024 * 1024) }]);
    await page.getByText(/Failed: It is 3 KiB over the limit of 12 MiB/).waitFor();

    const wire = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 100_000 };
    await wire.send('Network.emulateNetworkConditions', slow);
    await chooseFiles(page, [{ name: 'long.bin', content: 'x'.repeat(3_000_000) }]);
    await page.getByRole('progressbar', { name: 'Progress of long.bin' }).waitFor();
    await page.getByText(/· [1-9]\d* %/).waitFor();
    await photograph(page, 'bundle-uploading');
    await button(page, 'Cancel long.bin').click();
    await page.getByText(/Cancelled/).waitFor();
    await wire.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    await chooseFiles(page, [{ name: 'long.bin', content: 'x'.repeat(3_000_000) }]);
    await page.getByRole('table', { name: 'Files of the bundle' }).getByText('2.9 MiB').waitFor();

    await page.goto(`${quay.url}products/${productId}/bundles`);
    await createBundle(page, '0.0.0.2');
    await button(page, 'Delete').click();
    await agree(page, 'Delete', 'No device has it.');
    await page.getByRole('region', { name: 'Preview (1)' }).waitFor();
    const card = page.getByRole('listitem').filter({ hasText: '0.0.0.1' });
    await card.first().dragTo(page.getByRole('region', { name: /^Published/ }));
    await agree(page, 'Publish', 'Its files are frozen');
    await page.getByRole('region', { name: 'Published (1)' }).waitFor();
    await card.first().dragTo(page.getByRole('region', { name: 'Trash' }));
    // A published bundle cannot be deleted: the column does not take it.
    expect(await page.getByRole('dialog').count()).toBe(0);
    await card.first().dragTo(page.getByRole('region', { name: /^Archive/ }));
    await agree(page, 'Archive', 'No device can ask for it any more');
    await page.getByRole('region', { name: 'Archive (1)' }).waitFor();
    await card.first().dragTo(page.getByRole('region', { name: 'Trash' }));
    await agree(page, 'Delete', 'gone for good with all its files');
    await page.getByRole('region', { name: 'Archive (0)' }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  describe('every view', () => {
    let base: string;
    let bundle: string;
    let preview: string;
    const bundlesOf = async (product_id: string) => {
      const bundles = await quay.client.call('bundles.list', { params: { product_id } });
      return bundles.ok ? bundles.value.value : [];
    };
    beforeAll(async () => {
      // The one that the module is activated to by now.
      const products = await quay.client.call('products.list', { query: { q: 'HARBOUR_LIGHT' } });
      const product_id = (products.ok && products.value.value[0]?.id) || '';
      base = `/products/${product_id}`;
      const params = { product_id };
      const [released] = await bundlesOf(product_id);
      const body = { product_id, firmware_id: released?.firmware_id ?? '' };
      for (const state of ['preview', 'archive', 'published', 'preview'] as const) {
        unwrap(await quay.client.call('bundles.create', { params, body }));
        const bundle_id = (await bundlesOf(product_id))[0]?.id ?? '';
        for (const to of state === 'preview' ? [] : (['published', state] as const)) {
          unwrap(await quay.client.call('bundles.setState', { params: { bundle_id }, body: { state: to } }));
        }
      }
      bundle = `/bundles/${released?.id}`;
      preview = `/bundles/${(await bundlesOf(product_id))[0]?.id}`;
      unwrap(
        await quay.client.call('assets.upload', {
          params: { ...params, path: 'images/quay wall.txt' },
          query: {},
          body: 'granite',
        }),
      );
      unwrap(await quay.client.call('products.addToken', { params, body: { uses: 25 } }));
      unwrap(
        await quay.client.call('connectors.create', {
          params,
          body: { title: 'Tide board', code: 'TIDES', opts: { type: 'webhook', url: 'https://example.com/hook' } },
        }),
      );
      unwrap(
        await quay.client.as(undefined).call('auth.signup', {
          body: { email: 'tester@example.com', password: 'long enough by far', name_given: 'Tess', name_family: 'Ter' },
        }),
      );
      unwrap(
        await quay.client.call('productPeople.add', { params, body: { user: 'tester@example.com', role: 'tester' } }),
      );
    });

    test.each<[string, string]>([
      ['/products', 'products'],
      ['/products?new=1', 'products-new'],
      ...tabKeys('product/tabs.ts').map((key): [string, string] => [`/${key}`, `product-${key}`]),
      ['/bundles?new=1', 'product-bundles-new'],
      ['/connectors?new=1', 'product-connectors-new'],
      ['bundle', 'bundle'],
      ['preview', 'bundle-preview'],
    ])('"%s" can be used by everybody, at any width', async (path, name) => {
      const places: Readonly<Record<string, string>> = { bundle, preview };
      await inspect(quay, { path: places[path] ?? (path.startsWith('/products') ? path : base + path), name });
    });
  });
});
