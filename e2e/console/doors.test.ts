import { request } from 'node:https';
import { unwrap } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventOf, killAll } from '../command-line.ts';
import { type DeviceScene, openDeviceScene } from './device-scene.ts';
import { accessibilityProblems, complaints, openSection, photograph, skipReason } from './harness.ts';

describe.skipIf(skipReason)('doors', () => {
  let scene: DeviceScene;
  beforeAll(async () => {
    scene = await openDeviceScene();
  });
  afterAll(async () => {
    await scene?.close();
    killAll();
  });

  /** A client of DDI asks; resolves with the status that it gets. */
  async function knock(name: string, tenant: string) {
    const { devices } = await eventOf(scene.quay.program, 'ready');
    return new Promise<number>((resolve, reject) => {
      const at = new URL(`/${tenant}/controller/v1/${name}`, String(devices));
      const headers = { authorization: 'TargetToken its-own' };
      // What is shown is the token: the certificate of the service is not looked at here.
      const sent = request(at, { headers, rejectUnauthorized: false }, (reply) => {
        reply.resume();
        resolve(reply.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  // API-DOOR-open, API-DOOR-token, API-DOOR-waiting
  test('a door is opened, a token made, and a device that waits is let in', async () => {
    const { quay, device } = scene;
    const page = await quay.open({ path: `/products/${device.product_id}/doors` });
    await page.getByRole('switch', { name: /^DDI/ }).click();
    await page.getByText('The doors are as you set them').first().waitFor();
    await page.getByRole('switch', { name: /wait to be let in/ }).click();
    await page.getByText('No token yet').waitFor();
    await page.getByRole('button', { name: 'Make a token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Line 1');
    await dialog.getByRole('button', { name: 'Make a token' }).click();
    await dialog.getByText('Copy it now').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: /copied/ }).click();
    await page.getByRole('table', { name: 'Tokens of the product' }).getByText('Line 1').waitFor();
    await photograph(page, 'doors');
    expect(await accessibilityProblems(page)).toEqual([]);

    // API-DOOR-probation, API-DOOR-keys
    await page.getByRole('textbox', { name: 'Attribute that shows the version' }).fill('os_version');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('switch', { name: 'Mender' }).click();
    await openSection(page, 'Onboarding', 'Keys accepted beforehand');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a CSV file' }).click();
    const csv = `name,key\n02:00:00:00:00:77,${'ab'.repeat(32)}\n`;
    await (await chooser).setFiles({ name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('table', { name: 'Keys accepted beforehand' }).getByText('abababababababab').waitFor();
    const params = { product_id: device.product_id };
    expect(unwrap(await quay.client.call('doors.get', { params })).value).toMatchObject({
      mender: true,
      version_attribute: 'os_version',
    });
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Take back 02:00:00:00:00:77' }).click();
    await page.getByText('No key waits for its device').waitFor();
    await page.goto(page.url().replace('/door-keys', '/doors'));

    expect(await knock('gate-17', device.product)).toBe(401);
    await page.goto(page.url().replace('/doors', '/waiting'));
    await page.getByRole('table', { name: 'Waiting to be let in' }).getByText('gate-17').waitFor();
    await photograph(page, 'waiting');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Let in gate-17' }).click();
    await page.getByText('No device waits').waitFor();
    expect(await knock('gate-17', device.product)).toBe(200);
    const query = { q: 'gate-17' };
    expect(unwrap(await quay.client.call('devices.list', { query })).value).toMatchObject([{ title: 'gate-17' }]);
    expect(complaints(page)).toEqual([]);
  });

  test('tokens and keys come in the order of the column that is pressed', async () => {
    const { quay, device } = scene;
    const params = { product_id: device.product_id };
    const open = { ddi: true, mender: true, waiting: true };
    unwrap(await quay.client.call('doors.set', { params, body: open }));
    for (const title of ['Older', 'Newer']) {
      unwrap(await quay.client.call('doors.addToken', { params, body: { door: 'ddi', title } }));
    }
    const keys = ['01', '02'].map((name) => ({ name: `02:00:00:00:00:${name}`, key: name.repeat(32) }));
    unwrap(await quay.client.call('doors.addKeys', { params, body: { keys } }));
    const page = await quay.open({ path: `/products/${device.product_id}/doors` });
    const shown = async (table: string, names: RegExp) => {
      const rows = await page.getByRole('table', { name: table }).getByRole('row').allInnerTexts();
      return rows.flatMap((row) => names.exec(row)?.[0] ?? []);
    };
    const tokens = () => shown('Tokens of the product', /Older|Newer/);
    await expect.poll(tokens).toEqual(['Newer', 'Older']);
    await page.getByRole('button', { name: 'Made', exact: true }).click();
    await expect.poll(tokens).toEqual(['Older', 'Newer']);

    await page.goto(page.url().replace(/doors.*$/, 'door-keys'));
    const waiting = () => shown('Keys accepted beforehand', /02:00:00:00:00:\d\d/);
    await expect.poll(waiting).toEqual(keys.map(({ name }) => name));
    const byName = page.getByRole('button', { name: 'Name', exact: true });
    await byName.click();
    await byName.click();
    await expect.poll(waiting).toEqual(keys.map(({ name }) => name).toReversed());
    expect(complaints(page)).toEqual([]);
  });
});
