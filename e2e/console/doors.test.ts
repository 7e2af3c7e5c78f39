import { request } from 'node:https';
import { unwrap } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventOf, killAll } from '../command-line.ts';
import { type DeviceScene, openDeviceScene } from './device-scene.ts';
import { accessibilityProblems, complaints, photograph, skipReason } from './harness.ts';

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
    await page
      .getByRole('link', { name: 'Keys accepted beforehand' })
      .or(page.getByRole('tab', { name: 'Keys accepted beforehand' }))
      .first()
      .click();
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
});
