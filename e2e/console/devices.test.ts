import { readFile } from 'node:fs/promises';
import { unwrap } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { accessibilityProblems, complaints, openQuay, photograph, type Quay, settled, skipReason } from './harness.ts';

/** More than one page of the list. */
const deviceCount = 60;

describe.skipIf(skipReason)('the list of devices', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay();
    const init = await quay.client.call('overview.init');
    const platform = init.ok ? init.value.value.platforms.find(({ code }) => code === 'BERTH1') : undefined;
    if (!platform) throw new Error('The example has no platform');
    for (let number = 1; number <= deviceCount; number++) {
      const digits = String(number).padStart(32, '0');
      const title = `Buoy ${String(number).padStart(2, '0')}`;
      const body = { uuid: `${platform.part_id}${digits}`, platform_id: platform.id, title };
      const made = await quay.client.call('devices.provision', { body });
      if (!made.ok) throw new Error(made.error.body.message);
    }
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('has pages, an order and a search, all of them in the address', async () => {
    const page = await quay.open({ path: '/devices' });
    const table = page.getByRole('table', { name: 'Devices' });
    await page.getByText(`1–50 of ${deviceCount + 1} devices`).waitFor();
    await photograph(page, 'devices-many');
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole('button', { name: 'Page 2' }).click();
    await page.getByText(`51–${deviceCount + 1} of ${deviceCount + 1} devices`).waitFor();
    expect(page.url()).toContain('page=2');

    await table.getByRole('button', { name: 'Device', exact: true }).click();
    await table
      .getByRole('columnheader', { name: 'Device', exact: true })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor();
    await table.getByRole('button', { name: 'Device', exact: true }).click();
    await page.waitForURL(/sort=-title/);
    await expect
      .poll(() => table.getByRole('link', { name: /^Buoy/ }).first().textContent())
      .toBe(`Buoy ${deviceCount}`);

    await page.getByRole('searchbox').fill('buoy 07');
    await page.getByText('1 device', { exact: true }).waitFor();
    expect(page.url()).toContain('q=buoy+07');
    // The address shows the same to others.
    const other = await quay.open({ path: new URL(page.url()).pathname + new URL(page.url()).search });
    await other.getByRole('link', { name: 'Buoy 07' }).waitFor();
    await expect.poll(() => other.getByRole('searchbox').inputValue()).toBe('buoy 07');

    await page.getByRole('searchbox').fill('0000000000012');
    await page.getByRole('link', { name: 'Buoy 12' }).waitFor();
    await page.getByRole('searchbox').fill('no such device');
    await page.getByText('No device fits').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByText(`1–50 of ${deviceCount + 1} devices`).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  // API-RULE-export-1
  test('is saved as a whole, as it is filtered and ordered', async () => {
    const page = await quay.open({ path: '/devices?q=Buoy&sort=-title' });
    await page.getByText(`1–50 of ${deviceCount} devices`).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'CSV, for spreadsheets' }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe('devices.csv');
    const [head = '', ...rows] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    const column = head.split(',').indexOf('title');
    expect(rows.map((row) => row.split(',')[column])).toEqual(
      Array.from({ length: deviceCount }, (_, at) => `Buoy ${String(deviceCount - at).padStart(2, '0')}`),
    );
    expect(complaints(page)).toEqual([]);
  });

  // API-RULE-views-1
  test('keeps views under names, for every browser of the user', async () => {
    const page = await quay.open({ path: '/devices?q=Buoy&sort=-title' });
    await page.getByText(`1–50 of ${deviceCount} devices`).waitFor();
    const views = page.getByRole('region', { name: 'Saved views' });
    await views.getByRole('button', { name: 'Views …' }).click();
    await page.getByRole('menuitem', { name: 'Save this view …' }).click();
    await page.getByLabel('Name of the view').fill('Buoys');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await views.getByRole('button', { name: 'Buoys', pressed: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    const other = await quay.open({ path: '/devices' });
    await other.getByRole('button', { name: 'Buoys', pressed: false }).click();
    await other.getByText(`1–50 of ${deviceCount} devices`).waitFor();
    expect(new URL(other.url()).search).toBe('?q=Buoy&sort=-title');
    await other.getByRole('button', { name: 'Views …' }).click();
    await other.getByRole('menuitem', { name: 'Delete "Buoys" …' }).click();
    await other.getByRole('button', { name: 'Delete', exact: true }).click();
    await other.getByRole('button', { name: 'Buoys' }).waitFor({ state: 'detached' });
    expect([...complaints(page), ...complaints(other)]).toEqual([]);
  });

  // API-RULE-import-1
  test('makes devices from a file after showing what would happen', async () => {
    const page = await quay.open({ path: '/devices' });
    const init = await quay.client.call('overview.init');
    const platform = init.ok ? init.value.value.platforms.find(({ code }) => code === 'BERTH1') : undefined;
    const uuid = `${platform?.part_id}${'f'.repeat(32)}`;
    const csv = (...uuids: string[]) => ({
      name: 'devices.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['uuid,platform,title', ...uuids.map((one) => `${one},berth1,Imported`)].join('\n')),
    });
    await page.getByRole('button', { name: 'Import …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import devices' });
    await dialog.locator('input[type=file]').setInputFiles(csv(uuid, uuid));
    await dialog.getByRole('button', { name: 'Show what would happen' }).click();
    await dialog.getByText('1 of 2 devices cannot be made').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.locator('input[type=file]').setInputFiles(csv(uuid));
    await dialog.getByRole('button', { name: 'Show what would happen' }).click();
    await dialog.getByText('1 device would be made').waitFor();
    await dialog.getByRole('button', { name: 'Import 1 device' }).click();
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save the tokens' }).click();
    expect(await readFile(await (await saving).path(), 'utf8')).toContain(uuid);
    const found = await quay.client.call('devices.get', { params: { identifier: uuid } });
    expect(found).toMatchObject({ value: { value: { title: 'Imported' } } });
    const { id = '' } = found.ok ? found.value.value : {};
    expect(await quay.client.call('devices.remove', { params: { device_id: id } })).toMatchObject({ ok: true });
    expect(complaints(page)).toEqual([]);
  });

  test('has 20 rows of a line each on a desk, a head that stays, and keeps its columns and page size', async () => {
    const page = await quay.open({ path: '/devices' });
    const table = page.getByRole('table', { name: 'Devices' });
    await table.getByRole('link', { name: 'Buoy 40' }).waitFor();
    const boxes = `[...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().toJSON())`;
    // Safe: it is what the browser gives for each row.
    const rows = (await page.evaluate(boxes)) as readonly { readonly height: number; readonly bottom: number }[];
    expect(Math.max(...rows.map(({ height }) => height))).toBeLessThanOrEqual(40);
    expect(rows[19]?.bottom).toBeLessThanOrEqual(900);

    const head = table.getByRole('columnheader', { name: 'Device', exact: true });
    const { y } = (await head.boundingBox()) ?? { y: 0 };
    await table.getByRole('link', { name: 'Buoy 12' }).scrollIntoViewIfNeeded();
    expect(Math.abs(((await head.boundingBox())?.y ?? 0) - y)).toBeLessThan(60);

    // Back to the top: a link that is half under the head is no target, and where rows lie depends on the fonts.
    await page.evaluate(`document.querySelector('.table-scroll').scrollTo(0, 0)`);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Hardware uuid' }).check();
    await page.getByRole('checkbox', { name: 'Claimed by' }).uncheck();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page
      .getByRole('combobox', { name: 'Rows of a page' })
      .or(page.getByRole('textbox', { name: 'Rows of a page' }))
      .click();
    await page.getByRole('option', { name: '200 rows' }).click();
    await page.getByText(`${deviceCount + 1} devices`, { exact: true }).waitFor();
    await page.reload();
    await page.getByText(`${deviceCount + 1} devices`, { exact: true }).waitFor();
    await table.getByRole('columnheader', { name: 'Hardware uuid' }).waitFor();
    expect(await table.getByRole('columnheader', { name: 'Claimed by' }).count()).toBe(0);
    expect(complaints(page)).toEqual([]);
  });

  test('shows name, state and last seen on a phone, and the filters behind one button', async () => {
    const page = await quay.open({ path: '/devices', width: 'phone' });
    const table = page.getByRole('table', { name: 'Devices' });
    await table.waitFor();
    expect(await table.getByRole('columnheader').allTextContents()).toEqual(['', 'Device', 'State', 'Last seen']);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page
      .getByRole('combobox', { name: 'Last seen' })
      .or(page.getByRole('textbox', { name: 'Last seen' }))
      .click();
    await page.getByRole('option', { name: 'never' }).click();
    await page.getByText(`of ${deviceCount} devices`).waitFor();
    await page.getByRole('button', { name: 'Filters (1)' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(complaints(page)).toEqual([]);
  });

  test('tags many at once, says how many before, and another window sees it', async () => {
    const watching = await quay.open({ path: '/devices?tag=beta' });
    await watching.getByText('No device fits').waitFor();

    const page = await quay.open({ path: '/devices?q=Buoy' });
    await settled(page);
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    await page.getByText('50 devices selected').waitFor();
    await page.getByRole('button', { name: `Select all ${deviceCount} that fit the filters` }).click();
    await page.getByText(`${deviceCount} devices selected`).waitFor();
    await page.getByRole('button', { name: 'Tag …' }).click();
    // Nothing is chosen for the user, and nothing happens by a slip.
    await expect.poll(() => page.getByRole('button', { name: `Tag ${deviceCount} devices` }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Tag …' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Tag' }).click();
    await page.getByRole('option', { name: 'beta' }).click();
    await page.getByText(`${deviceCount} devices will follow the tag "beta"`).waitFor();
    await photograph(page, 'devices-bulk-tag');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: `Tag ${deviceCount} devices` }).click();
    await page.getByText(`${deviceCount} of ${deviceCount} devices`).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();

    await watching.getByText(`of ${deviceCount} devices`).waitFor();
    expect([...complaints(page), ...complaints(watching)]).toEqual([]);
  });

  test('activates those that are marked, and lists what was refused', async () => {
    const page = await quay.open({ path: '/devices?q=Buoy+0&sort=title' });
    await page.getByRole('checkbox', { name: 'Select Buoy 01' }).check();
    await page.getByRole('checkbox', { name: 'Select Buoy 02' }).check();
    await page.getByRole('button', { name: 'Activate …' }).click();
    // That of the dialogue: the page has a filter of the same name.
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('textbox', { name: 'Product' })
      .or(dialog.getByRole('combobox', { name: 'Product' }))
      .fill('TIDE');
    await page.getByRole('option', { name: /TIDE_GAUGE/ }).click();
    await page.getByRole('button', { name: 'Activate 2 devices' }).click();
    await page.getByText('2 of 2 devices').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Close');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // What was selected stays so, for what is done next.
    await page.getByText('2 devices selected').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    const products = await quay.client.call('products.list', { query: { q: 'TIDE_GAUGE' } });
    const product_id = products.ok ? products.value.value[0]?.id : undefined;
    const devices = await quay.client.call('devices.list', { query: { ...(product_id && { product_id }) } });
    const titles = devices.ok ? devices.value.value.map(({ title }) => title) : [];
    // They are unclaimed: only the owner of a device may activate it, and the administrator may.
    expect(titles).toEqual(expect.arrayContaining(['Buoy 01', 'Buoy 02']));
  });

  test('lives on in twelve tabs of one browser, each with a device of its own', async () => {
    const first = await quay.open({ path: '/devices' });
    const listed = await quay.client.call('devices.list', { query: { q: 'Buoy', sort: 'title', limit: 12 } });
    const devices = listed.ok ? listed.value.value : [];
    const tabs = await Promise.all(
      devices.map(async ({ id }) => {
        const tab = await first.context().newPage();
        await tab.goto(`${quay.url}devices/${id}`);
        return tab;
      }),
    );
    expect(tabs).toHaveLength(12);
    for (const [index, tab] of tabs.entries()) {
      await tab.getByRole('heading', { level: 1, name: devices[index]?.title ?? '' }).waitFor();
    }
    // Changes arrive everywhere, without a reload.
    const last = devices.at(-1);
    const body = { title: 'Buoy with a new name' };
    unwrap(await quay.client.call('devices.update', { params: { device_id: last?.id ?? '' }, body }));
    await tabs.at(-1)?.getByRole('heading', { level: 1, name: body.title }).waitFor();
    unwrap(
      await quay.client.call('devices.update', {
        params: { device_id: last?.id ?? '' },
        body: { title: last?.title ?? '' },
      }),
    );
    await tabs
      .at(-1)
      ?.getByRole('heading', { level: 1, name: last?.title ?? '' })
      .waitFor();
    await first.context().close();
  });

  test('says that a device is not there, under a heading, with a way back', async () => {
    const page = await quay.open({ path: '/devices/00000000-0000-4000-8000-000000000000' });
    await page.getByRole('heading', { level: 1, name: 'Device not found' }).waitFor();
    await page.getByRole('navigation', { name: 'Pages above this one' }).getByRole('link', { name: 'Devices' }).click();
    await page.getByText(/of \d+ devices/).waitFor();
  });

  test('makes a device whose token is shown once', async () => {
    const page = await quay.open({ path: '/devices?new=1' });
    await page.getByRole('textbox', { name: 'Title' }).fill('Lighthouse');
    await page.getByRole('button', { name: 'Provision' }).click();
    await page.getByText('The token is shown this once').waitFor();
    await photograph(page, 'devices-provisioned');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'To the device' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lighthouse' }).waitFor();
    expect(page.url()).not.toContain('new=');
    expect(complaints(page)).toEqual([]);
  });
});
