import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { complaints, openQuay, openSection, photograph, type Quay, settled, signIn, skipReason } from './harness.ts';
import { openSerialLine, type SerialLine } from './serial-line.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const fill = (page: Page, name: string, text: string) => page.getByRole('textbox', { name }).fill(text);
const file = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

/** Goes back to the dashboard and takes the step that it names next. */
async function nextStep(page: Page, action: string): Promise<void> {
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
  await page.getByRole('link', { name: action }).click();
}

/** Says yes to what a dialogue asks. */
async function agree(page: Page, action: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

describe.skipIf(skipReason)('an empty service and a module from the factory', () => {
  let quay: Quay;
  let uuid: string;
  let line: SerialLine;
  beforeAll(async () => {
    quay = await openQuay({ example: false });
    const { devices } = await eventOf(quay.program, 'ready');
    const bench = moorage([
      'module',
      '--seed',
      '7',
      '--serial',
      'tcp:127.0.0.1:0',
      '--service',
      String(devices),
      '--json',
    ]);
    const ready = await eventOf(bench, 'ready');
    uuid = String(ready.uuid);
    line = await openSerialLine(String(ready.serial));
  });
  afterAll(async () => {
    line?.close();
    await quay?.close();
    killAll();
  });

  async function addPlatform(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Add a platform' }).click();
    await fill(page, 'Title', 'Test bench');
    await fill(page, 'Code', 'BENCH');
    await fill(page, 'Part id', uuid.slice(0, 8));
    await button(page, 'Add the platform').click();
    await page.getByRole('heading', { level: 1, name: 'Test bench' }).waitFor();
    await button(page, 'New firmware').click();
    await page.setInputFiles('input[type=file][multiple]', file('main.exe', 'firmware'));
    await button(page, 'Upload the firmware').click();
    await page.getByRole('cell', { name: '1.0.0.0' }).waitFor();
  }

  async function releaseBundle(page: Page): Promise<void> {
    await button(page, 'Create a bundle').click();
    await button(page, 'Create the bundle').click();
    await page.getByRole('heading', { level: 1, name: 'Bundle 0.0.0.1' }).waitFor();
    await page.setInputFiles('input[type=file]', file('hello.txt', 'ahoy'));
    await page.getByRole('table', { name: 'Files of the bundle' }).getByText('hello.txt').waitFor();
    await button(page, 'Publish').click();
    await agree(page, 'Publish');
    await button(page, 'Tag').click();
    await page.getByText('This moves no device.').waitFor();
    await button(page, 'Move the tag release here').click();
    await page.getByLabel('State of the bundle').getByText('release').waitFor();
  }

  /** A value that a dialogue shows this once. */
  const shownOnce = async (page: Page, pattern: RegExp): Promise<string> =>
    (await page.getByRole('dialog').getByText(pattern).first().textContent()) ?? '';

  test('are led to the first update, step by step', async () => {
    const page = await quay.open();
    await addPlatform(page);

    await nextStep(page, 'Create a product');
    await fill(page, 'Title', 'Bilge alarm');
    await button(page, 'Create the product').click();
    await page.getByRole('heading', { level: 1, name: 'Bilge alarm' }).waitFor();
    const product = page.url();

    await nextStep(page, 'Make and publish a bundle');
    await releaseBundle(page);

    await nextStep(page, 'Add a device');
    await fill(page, 'Hardware uuid', uuid.toLowerCase());
    await button(page, 'Provision').click();
    const token = await shownOnce(page, /^[A-Za-z0-9+/]{32}$/);
    await button(page, 'Close').last().click();
    for (const typed of ['set wlan.ssid harbour', 'set wlan.passkey moorings', 'set wlan.auto_join.enabled 1']) {
      await line.run(typed);
    }
    await line.run(`set dms.provision.token ${token}`);
    await line.run('save');
    // Whom the module trusts: at a factory this is part of its firmware.
    const authority = await quay.client.call('identity.authority', {});
    const pem = authority.ok ? Buffer.from(authority.value.value).toString() : '';
    await line.run(`file_create ca.pem ${pem.length}`, pem);
    await line.run('dms provision');

    await page.goto(product.replace(/bundles$/, 'tokens'));
    await button(page, 'Make a token').click();
    await button(page, 'Make the token').click();
    await line.run(await shownOnce(page, /^dms claim OWNER-BENCH_BILGE_ALARM /));
    await button(page, 'I have copied it').click();

    await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
    await page.getByText('Type "ota" on the command line of the module', { exact: false }).waitFor();
    await settled(page);
    await photograph(page, 'first-steps-last');
    await line.run('ota');
    // The list has done its work, and the page has not been reloaded.
    await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' });
    const device = await quay.client.call('devices.get', { params: { identifier: uuid } });
    expect(device.ok && device.value.value).toMatchObject({ bundle: '0.0.0.1', bundle_ok: true, user: 'owner' });
    expect(complaints(page)).toEqual([]);
  });
});

describe.skipIf(skipReason)('the service with its example', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay({ firstRun: true });
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('leads from the printed password to a live chart, and to a lamp that can be switched', async () => {
    const page = await quay.open({ signedIn: false });
    await signIn(page, quay.administrator);
    await fill(page, 'Current password', quay.administrator.password);
    await page.getByRole('textbox', { name: 'New password', exact: true }).fill('a password of my own');
    await page.getByRole('textbox', { name: 'New password again' }).fill('a password of my own');
    await button(page, 'Change the password').click();
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    await page.getByRole('table', { name: 'Devices' }).getByRole('link').first().click();
    await page.getByText('Water level').waitFor();
    await page.getByRole('link', { name: 'Live charts' }).click();
    const chart = page.getByRole('img', { name: /Water level over time: last \d+ mm/ });
    const before = await chart.getAttribute('aria-label');
    await expect.poll(() => chart.getAttribute('aria-label')).not.toBe(before);
    await photograph(page, 'example-streams');
    await openSection(page, 'Data', 'Controls');
    await page.getByRole('switch', { name: 'Harbour light' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('Set by a user').waitFor();
    await page.getByText('delivered', { exact: true }).waitFor();
    expect(complaints(page)).toEqual([]);
  });
});
