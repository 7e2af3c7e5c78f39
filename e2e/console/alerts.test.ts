import { unwrap } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { type DeviceScene, openDeviceScene } from './device-scene.ts';
import { accessibilityProblems, complaints, photograph, skipReason } from './harness.ts';

describe.skipIf(skipReason)('alerts', () => {
  let scene: DeviceScene;
  beforeAll(async () => {
    scene = await openDeviceScene({ env: { MOORAGE_SMTP_URL: 'smtp://127.0.0.1:2525' } });
  });
  afterAll(async () => {
    await scene?.close();
    killAll();
  });

  // API-RULE-alert-1, API-RULE-alert-3
  test('a rule is made, finds a stream beyond its limit, rings the bell, and is looked after', async () => {
    const { quay, device, line } = scene;
    const of = { params: { product_id: device.product_id } };
    const page = await quay.open({ path: `/products/${device.product_id}/alerts` });
    await page.getByText('Nothing is watched yet').waitFor();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Flood');
    await dialog.getByRole('combobox', { name: 'A device is' }).click();
    await page.getByRole('option', { name: 'a stream above or below a limit' }).click();
    await dialog.getByRole('textbox', { name: 'Stream' }).fill('level');
    await dialog.getByRole('textbox', { name: 'Limit' }).fill('4');
    await dialog.getByRole('textbox', { name: 'For longer than, minutes' }).fill('1');
    await dialog.getByRole('textbox', { name: 'By mail to' }).fill('pia@pier.test');
    await photograph(page, 'alert-rule');
    expect(await accessibilityProblems(page)).toEqual([]);
    // Measured two minutes ago: a value holds until the next one comes.
    const seconds = Math.floor(Date.now() / 1_000) - 120;
    await line.run(`cloud_write level 7.5 ${seconds}`);
    await line.run('cloud_sync');
    await dialog.getByRole('button', { name: 'Add the rule' }).click();
    await page.getByText('Devices with level above 4 for 1 minute').waitFor();
    await page.getByText('the bell and 1 mail address').waitFor();
    await photograph(page, 'alert-rules');
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole('link', { name: 'Alerts: none is new' }).click();
    await page.getByRole('link', { name: 'Alerts: 1 new one' }).waitFor();
    const table = page.getByRole('table', { name: 'Alerts' });
    await table.getByText('stream "level" above 4 for 1 minute').waitFor();
    await photograph(page, 'alerts');
    expect(await accessibilityProblems(page)).toEqual([]);
    await table.getByRole('button', { name: '1: devices of Flood' }).click();
    await dialog.getByRole('link', { name: device.title }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await table.getByRole('button', { name: 'Acknowledge Flood' }).click();
    await page.getByRole('link', { name: 'Alerts: none is new' }).waitFor();
    await table.getByText('looks after it').waitFor();

    await table.getByRole('button', { name: 'Silence Flood' }).click();
    await dialog.getByRole('button', { name: 'Silence' }).click();
    const [rule] = await expect
      .poll(async () =>
        unwrap(await quay.client.call('alerts.rules', of)).value.map((one) => one.silenced_until !== null),
      )
      .toEqual([true])
      .then(async () => unwrap(await quay.client.call('alerts.rules', of)).value);
    expect(rule).toMatchObject({ title: 'Flood', open: 1 });
    expect(complaints(page)).toEqual([]);
  });
});
