import { unwrap } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { type DeviceScene, goOffline, goOnline, openDeviceScene } from './device-scene.ts';
import { accessibilityProblems, complaints, photograph, skipReason } from './harness.ts';

/** Devices that have never been seen, beside the module of the scene. */
const otherCount = 5;

describe.skipIf(skipReason)('what is done to devices', () => {
  let scene: DeviceScene;
  beforeAll(async () => {
    scene = await openDeviceScene();
    const { client } = scene.quay;
    const { platforms } = unwrap(await client.call('overview.init')).value;
    const platform = platforms.find(({ code }) => code === 'BERTH1');
    if (!platform) throw new Error('The example has no platform');
    for (let number = 1; number <= otherCount; number++) {
      const uuid = `${platform.part_id}${String(number).padStart(32, '0')}`;
      const body = { uuid, platform_id: platform.id, title: `Buoy ${number}` };
      unwrap(await client.call('devices.provision', { body }));
    }
  });
  afterAll(async () => {
    await scene?.close();
    killAll();
  });

  // API-RULE-ask-1
  test('"Update now" shows when it was asked, and what became of it without being asked again', async () => {
    await goOnline(scene);
    const page = await scene.quay.open({ path: scene.path() });
    await page.getByRole('button', { name: 'Update now' }).click();
    const course = page.getByRole('region', { name: 'Update that was asked for' });
    await course.getByRole('listitem', { name: 'Asked: over' }).waitFor();
    await course.getByText('over the message channel').waitFor();
    // The example looks by itself when it is woken, and has the newest bundle.
    await scene.line.run('ota');
    await course.getByText('there is nothing to fetch', { exact: false }).waitFor();
    await photograph(page, 'device-update-now');
    expect(await accessibilityProblems(page)).toEqual([]);

    await goOffline(scene);
    await page.getByRole('button', { name: 'Update now' }).click();
    await course.getByText('it looks with its next query', { exact: false }).waitFor();
    await course.getByRole('listitem', { name: 'Looks for an update: under way' }).waitFor();
    await goOnline(scene);
    expect(complaints(page)).toEqual([]);
  });

  test('marked devices have labels with codes on a sheet to print, each of which leads to its page', async () => {
    const page = await scene.quay.open({ path: '/devices/labels' });
    await page.getByText('No device is marked').waitFor();
    await page.getByRole('link', { name: 'Devices' }).first().click();
    for (const name of ['Buoy 1', 'Buoy 2']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByRole('button', { name: 'More …' }).click();
    await page.getByRole('menuitem', { name: 'Label sheet …' }).click();
    await page.getByRole('heading', { level: 1, name: 'Label sheet' }).waitFor();
    const codes = page.getByRole('img', { name: /^Code of Buoy/ });
    await expect.poll(() => codes.count()).toBe(2);
    const cells = await codes.locator('path').evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
    expect(new Set(cells).size).toBe(2);
    await photograph(page, 'device-labels');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('navigation').first().waitFor({ state: 'hidden' });
    expect(await codes.count()).toBe(2);
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('link', { name: 'Buoy 1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Buoy 1' }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  // API-EP-POST-devices-command, API-EP-POST-devices-state
  test('a command runs on all that are marked, and each result is there; blocking them tells how far it is', async () => {
    const page = await scene.quay.open({ path: '/devices' });
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    await page.getByRole('button', { name: 'More …' }).click();
    await page.getByRole('menuitem', { name: 'Run a command …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Command line' }).fill('version');
    await dialog.getByRole('button', { name: `Run on ${otherCount + 1} devices` }).click();
    await dialog.getByText(`${otherCount + 1} of ${otherCount + 1} devices, ${otherCount} failures`).waitFor();
    const results = dialog.getByRole('table', { name: 'Results by device' });
    await results
      .getByRole('row', { name: new RegExp(scene.device.title) })
      .getByText('0', { exact: true })
      .waitFor();
    expect(await results.getByText('not on the message channel').count()).toBe(otherCount);
    await photograph(page, 'devices-command');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();

    await page.getByRole('checkbox', { name: `Select ${scene.device.title}` }).uncheck();
    await page.getByRole('button', { name: 'More …' }).click();
    await photograph(page, 'devices-more');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Block …' }).click();
    await dialog.getByRole('button', { name: `Block ${otherCount} devices` }).click();
    await page.getByText(`${otherCount} of ${otherCount} devices`).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await expect.poll(() => page.getByText('blocked', { exact: true }).count()).toBeGreaterThanOrEqual(otherCount);
    const logs = await scene.quay.client.call('logs.list', { query: { type: 'device.state' } });
    expect(unwrap(logs).value.map(({ message }) => message)).toEqual([`${otherCount} devices blocked`]);
    expect(complaints(page)).toEqual([]);
  });

  // API-RULE-delete-1
  test('a device is deleted after what goes with it was shown', async () => {
    const { client } = scene.quay;
    const [device] = unwrap(await client.call('devices.list', { query: { q: 'Buoy 3' } })).value;
    const params = { device_id: device?.id ?? '' };
    unwrap(await client.call('attributes.setLabels', { params, body: { labels: { site: 'pier', use: 'test' } } }));
    const page = await scene.quay.open({ path: `/devices/${device?.id}` });
    await page.getByRole('button', { name: 'Delete …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 labels').waitFor();
    await photograph(page, 'device-delete');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(/\/devices$/);
    await page.getByText('Buoy 4').waitFor();
    await expect.poll(() => page.getByText('Buoy 3', { exact: true }).count()).toBe(0);
    expect((await client.call('devices.get', { params: { identifier: params.device_id } })).ok).toBe(false);
    expect(complaints(page)).toEqual([]);
  });
});
