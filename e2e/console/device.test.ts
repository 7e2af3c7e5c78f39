import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { type DeviceScene, goOffline, goOnline, openDeviceScene } from './device-scene.ts';
import {
  accessibilityProblems,
  complaints,
  expectNoSideways,
  inspect,
  photograph,
  settled,
  skipReason,
} from './harness.ts';
import { tabKeys } from './pages.ts';

/** What the pages themselves never do: every test ends by looking for it. */
const expectQuiet = async (page: Page): Promise<void> => {
  expect(complaints(page)).toEqual([]);
  await page.context().close();
};

describe.skipIf(skipReason)('the page of a device', () => {
  let scene: DeviceScene;

  const open = async (tab = '', width: 'phone' | 'desk' = 'desk'): Promise<Page> => {
    const page = await scene.quay.open({ path: scene.path(tab), width });
    await settled(page);
    return page;
  };
  /** Samples that the service has when this resolves. */
  const measure = async (name: string, ...values: (string | number)[]): Promise<void> => {
    for (const value of values) await scene.line.run(`cloud_write ${name} ${value}`);
    await scene.line.run('cloud_sync');
  };

  beforeAll(async () => {
    scene = await openDeviceScene();
    await measure('level', 3.1, 3.25, 3.4);
    await measure('status', 'calm');
  });
  afterAll(async () => {
    await scene?.close();
    killAll();
  });

  test('shows at once that the module is away, and what that means, and that it is back', async () => {
    const page = await open('console', 'phone');
    const health = page.getByRole('status', { name: 'State of the device' });
    await health.getByText('connected', { exact: true }).waitFor();
    await page.getByText('On the message channel since').waitFor();
    await goOffline(scene);
    await health.getByText('on time', { exact: true }).waitFor();
    await page.getByText('The device is not on the message channel').first().waitFor();
    await page.getByLabel('Command line of the device').pressSequentially('version\n');
    await page.getByText('Commands reach it as soon as it is back').first().waitFor();
    await photograph(page, 'device-console-offline');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectNoSideways(page);
    await goOnline(scene);
    await health.getByText('connected', { exact: true }).waitFor();
    await page.getByText('On the message channel since').waitFor();
    // Of the refused command the browser complains; nothing else may be there.
    expect(complaints(page).filter((text) => !text.includes('409'))).toEqual([]);
    await page.context().close();
  });

  test('runs commands on the module and shows their codes; the arrows bring them back; Tab leads out', async () => {
    const page = await open('console');
    const terminal = page.getByLabel('Command line of the device');
    const screen = page.getByRole('region', { name: 'Terminal' });
    await terminal.pressSequentially('get wlan.ssid\n');
    await screen.getByText('[0] Success').first().waitFor();
    await terminal.pressSequentially('nonsense\n');
    await screen.getByText('[3] Unknown command').first().waitFor();
    await terminal.press('ArrowUp');
    await terminal.press('ArrowUp');
    await terminal.pressSequentially('x\n');
    await screen.getByText('get wlan.ssidx').first().waitFor();
    await screen.getByText('[6] Unknown variable').first().waitFor();
    await photograph(page, 'device-console-used');
    expect(await accessibilityProblems(page)).toEqual([]);
    await terminal.press('Tab');
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).not.toBe(
      'Command line of the device',
    );
    await expectQuiet(page);
  });

  test('draws samples as they arrive, in every range', async () => {
    const page = await open('streams');
    const chart = (text: RegExp) => page.getByRole('img', { name: text });
    await chart(/Water level over time: last 3.4 m, lowest 3.1 m, highest 3.4 m/).waitFor();
    await measure('level', 4.5);
    await chart(/last 4.5 m, lowest 3.1 m, highest 4.5 m/).waitFor();
    await measure('status', 'rough');
    await page.getByRole('cell', { name: 'rough' }).waitFor();
    await page.getByRole('button', { name: 'Show the values' }).click();
    await page.getByRole('cell', { name: '4.5 m' }).waitFor();
    await page.getByText('Day', { exact: true }).click();
    await page.waitForURL(/range=24h/);
    await chart(/last [\d.]+ m, lowest 3.1 m, highest 4.5 m/).waitFor();
    await measure('level', 0.5);
    await chart(/lowest 0.5 m, highest 4.5 m/).waitFor();
    await photograph(page, 'device-streams-day');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectQuiet(page);
  });

  test('that never was at the data cloud says so, without asking for what it cannot have', async () => {
    const init = await scene.quay.client.call('overview.init');
    const platform = init.ok ? init.value.value.platforms[0] : undefined;
    if (!platform) throw new Error('There is no platform');
    const body = { uuid: `${platform.part_id}${'7'.repeat(32)}`, platform_id: platform.id };
    const made = await scene.quay.client.call('devices.provision', { body });
    if (!made.ok) throw new Error(made.error.body.message);
    for (const tab of ['streams', 'controls', 'messages']) {
      const page = await scene.quay.open({ path: `/devices/${made.value.value.id}/${tab}` });
      await page.getByText(`The device has no ${tab} yet`).waitFor();
      await expectQuiet(page);
    }
  });

  test('sets controls within their range, and says when the device has the value', async () => {
    const page = await open('controls');
    const lamp = page.getByRole('region', { name: 'Lamp' });
    await lamp.getByLabel('Value', { exact: true }).fill('101');
    await lamp.getByText('It is over 100').waitFor();
    expect(await lamp.getByRole('button', { name: 'Set' }).isDisabled()).toBe(true);
    await lamp.getByRole('slider').press('End');
    await lamp.getByRole('slider').press('ArrowLeft');
    await lamp.getByRole('button', { name: 'Set' }).click();
    await lamp.getByText('99 %', { exact: true }).first().waitFor();
    // It comes over the message channel, by itself.
    await expect.poll(() => scene.line.run('cloud_read lamp')).toContain('99');
    await scene.line.run('cloud_sync');
    await lamp.getByText('delivered', { exact: true }).waitFor();
    // The device sets it, too.
    await scene.line.run('cloud_write lamp 12');
    await scene.line.run('cloud_sync');
    await lamp.getByText('12 %', { exact: true }).first().waitFor();
    await lamp.getByText('Set by the device').waitFor();
    await lamp.getByRole('button', { name: 'Show earlier values' }).click();
    await lamp.getByRole('cell', { name: '99 %' }).waitFor();
    const mode = page.getByRole('region', { name: 'Mode' });
    await mode.getByLabel('Value', { exact: true }).fill('night');
    await mode.getByLabel('Value', { exact: true }).press('Enter');
    await mode.getByText('night', { exact: true }).first().waitFor();
    const pump = page.getByRole('region', { name: 'Pump' });
    await pump.getByRole('switch', { name: 'Pump' }).focus();
    await page.keyboard.press('Space');
    await expect.poll(() => scene.line.run('cloud_read pump')).toContain('1');
    await expect.poll(() => pump.getByRole('switch').isChecked()).toBe(true);
    await scene.line.run('cloud_write pump 0');
    await scene.line.run('cloud_sync');
    await expect.poll(() => pump.getByRole('switch').isChecked()).toBe(false);
    await photograph(page, 'device-controls-used');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectQuiet(page);
  });

  test('sends messages to the device and reads those from it', async () => {
    const page = await open('messages', 'phone');
    await page.getByRole('textbox', { name: 'Message' }).fill('open the sluice');
    await page.getByRole('textbox', { name: 'Headers' }).fill('urgency');
    await page.getByText('"urgency" is not "name: value"').waitFor();
    await page.getByRole('textbox', { name: 'Headers' }).fill('urgency: high');
    await page.getByRole('button', { name: 'Send to the device' }).click();
    const waiting = page.getByRole('list', { name: 'Messages to the device' });
    await waiting.getByText('1 header').waitFor();
    await waiting.getByRole('button', { name: /^Read/ }).click();
    await page.getByRole('dialog').getByText('open the sluice').waitFor();
    await page.getByRole('dialog').getByText('high').waitFor();
    await photograph(page, 'device-message-read');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    const stream = (await scene.line.run('cloud_message post')).trim();
    await scene.line.run(`stream_write ${stream} 5`, 'hello');
    await scene.line.run(`stream_close ${stream}`);
    await page.getByRole('list', { name: 'Messages from the device' }).getByText('5 bytes').waitFor();
    // Another browser follows.
    const other = await open('messages');
    await other.getByRole('list', { name: 'Messages to the device' }).getByText('1 header').waitFor();
    await waiting.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing waits for the device').waitFor();
    await other.getByText('Nothing waits for the device').waitFor();
    await expectQuiet(other);
    await expectQuiet(page);
  });

  test('takes files, replaces them only after asking, gives them back and deletes them', async () => {
    const page = await open('files');
    const table = page.getByRole('table', { name: 'Files of the device' });
    const drop = (text: string) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await page.getByRole('textbox', { name: 'Folder' }).fill('maps');
    await drop('first');
    await table.getByText('maps/plan.txt').waitFor();
    await drop('the second');
    const question = page.getByRole('dialog');
    await question.getByText('Replace 1 file?').waitFor();
    await question.getByText('maps/plan.txt').waitFor();
    await photograph(page, 'device-files-replace');
    await question.getByRole('button', { name: 'Replace' }).click();
    await table.getByText('10 bytes').waitFor();
    const download = page.waitForEvent('download');
    await table.getByRole('link', { name: 'Download maps/plan.txt' }).click();
    expect(await readFile(await (await download).path(), 'utf8')).toBe('the second');
    await photograph(page, 'device-files-used');
    // What explains itself under the pointer is outside of all landmarks.
    await page.mouse.move(0, 0);
    await page.getByRole('tooltip').first().waitFor({ state: 'detached' });
    expect(await accessibilityProblems(page)).toEqual([]);
    await table.getByRole('button', { name: 'Delete maps/plan.txt' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The device has no files yet').waitFor();
    await expectQuiet(page);
  });

  test('shows how far an upload is, and lets it be cancelled', async () => {
    const page = await open('files', 'phone');
    // It is never answered, so that there is something to cancel.
    await page.route(/\/files\//, () => {});
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(1024) });
    await page.getByRole('progressbar', { name: 'Progress of large.bin' }).waitFor({ state: 'attached' });
    await photograph(page, 'device-upload');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectNoSideways(page);
    await page.getByRole('button', { name: 'Cancel large.bin' }).click();
    await page.getByText('Cancelled', { exact: false }).waitFor();
    await expectQuiet(page);
  });

  test('changes title and place, tag and product', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('Harbour gauge');
    await dialog.getByLabel('Latitude').fill('54.32');
    await dialog.getByText('Degrees east, -180 to 180').waitFor();
    await dialog.getByLabel('Longitude').fill('10.13');
    await dialog.getByLabel('City').fill('Kiel');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Harbour gauge' }).waitFor();
    await page.getByText('54.32° N, 10.13° E, Kiel').waitFor();

    await page.getByRole('button', { name: 'Tag …' }).click();
    await dialog.getByLabel('alpha').check();
    await dialog.getByText('the release, as no bundle has this tag').waitFor();
    await photograph(page, 'device-tag');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Follow' }).click();
    await page.getByText('alpha', { exact: true }).first().waitFor();

    await page.getByRole('button', { name: 'Activate …' }).click();
    await dialog.getByLabel('Product').first().click();
    await page.getByRole('option').first().click();
    await dialog.getByText('Its title, tag, files and log stay').waitFor();
    await photograph(page, 'device-activate');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expectQuiet(page);
  });

  test('shows each update with what became of it', async () => {
    const page = await open('updates');
    const table = page.getByRole('table', { name: 'Updates of the device' });
    await table.getByText('done').first().waitFor();
    await table.getByRole('button').nth(1).click();
    await page.getByRole('dialog').getByText('Has to report').waitFor();
    await photograph(page, 'device-update');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectQuiet(page);
  });

  test.each(tabKeys('device/tabs.ts'))('has no problem of access: %s', async (tab) => {
    await inspect(scene.quay, { path: scene.path(tab), name: `device-${tab}` });
  });

  test('is walked through by keyboard alone', async () => {
    const page = await open();
    await page.getByRole('tab', { name: 'Overview' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/streams$/);
    await page.getByRole('heading', { name: 'Water level' }).waitFor();
    await expectQuiet(page);
  });

  test('blocks the device after asking, lets it in again, and resets it', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Block …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('it is cut off', { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Block' }).click();
    await page.getByText('The device is blocked', { exact: true }).waitFor();
    await photograph(page, 'device-blocked');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Let it in again' }).click();
    await page.getByRole('button', { name: 'Block …' }).waitFor();
    await page.getByRole('button', { name: 'Reset …' }).click();
    await dialog.getByText('all its files here').waitFor();
    await photograph(page, 'device-reset');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Reset' }).click();
    await page.getByText('nobody: it can be claimed').waitFor();
    await page.getByRole('button', { name: 'New provisioning token …' }).click();
    await dialog.getByRole('button', { name: 'Make a token' }).click();
    await page.getByText('it is shown this once', { exact: false }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download certificates' }).click();
    expect((await download).suggestedFilename()).toBe('certificates.zip');
    await expectQuiet(page);
  });
});
