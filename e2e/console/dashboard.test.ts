import { unwrap } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { type DeviceScene, openDeviceScene } from './device-scene.ts';
import { accessibilityProblems, complaints, openQuay, photograph, settled, skipReason } from './harness.ts';

describe.skipIf(skipReason)('the dashboard', () => {
  let scene: DeviceScene;
  beforeAll(async () => {
    scene = await openDeviceScene();
  });
  afterAll(async () => {
    await scene?.close();
    killAll();
  });

  // API-EP-GET-metrics-locations-map
  test('has a map that one goes near on, and opens a device from', async () => {
    const { quay, device } = scene;
    const body = { location: { lat: 53.54, lon: 9.97, city: 'Hamburg' } };
    unwrap(await quay.client.call('devices.update', { params: { device_id: device.id }, body }));
    const page = await quay.open();
    const map = page.getByRole('group', { name: 'Map of the world with 1 device' });
    await map.getByRole('button', { name: 'Zoom in' }).click();
    await settled(page);
    await photograph(page, 'dashboard-map');
    expect(await accessibilityProblems(page)).toEqual([]);
    await map.getByRole('button', { name: device.title }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: device.title }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  // API-RULE-views-1
  test('is arranged by its user, has streams of devices that move, and is the same in another browser', async () => {
    const { quay, device, line, path } = scene;
    await line.run('cloud_write level 3.5');
    await line.run('cloud_sync');
    const page = await quay.open({ path: path('streams') });
    await page.getByRole('button', { name: 'To the dashboard: level' }).click();
    await page.getByText('level is on the dashboard').waitFor();
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
    const tile = page.getByRole('region', { name: 'Water level' });
    await tile.getByText('3.5 m').first().waitFor();
    await tile.getByRole('link', { name: device.title }).waitFor();
    await line.run('cloud_write level 4.25');
    await line.run('cloud_sync');
    await tile.getByText('4.25 m').first().waitFor();

    await page.getByRole('button', { name: 'Arrange …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Arrange the dashboard' });
    await dialog.getByText(`${device.title}: level`).waitFor();
    await dialog.getByRole('checkbox', { name: 'Show Where devices are' }).uncheck();
    await dialog.getByRole('button', { name: 'Move Recent log up' }).click();
    await photograph(page, 'dashboard-arrange');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('region', { name: 'Where devices are' }).count()).toBe(0);
    await settled(page);
    await photograph(page, 'dashboard-arranged');
    expect(await accessibilityProblems(page)).toEqual([]);

    const other = await quay.open();
    await other.getByRole('region', { name: 'Water level' }).waitFor();
    await other.getByRole('region', { name: 'Recent log' }).waitFor();
    expect(await other.getByRole('region', { name: 'Where devices are' }).count()).toBe(0);
    await other.getByRole('button', { name: 'Arrange …' }).click();
    await other.getByRole('button', { name: `Remove ${device.title}: level` }).click();
    await other.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => other.getByRole('region', { name: 'Water level' }).count()).toBe(0);
    expect([...complaints(page), ...complaints(other)]).toEqual([]);
  });
});

// API-EP-GET-metrics-locations-map
test.skipIf(skipReason)('a map shows the pictures that the service names', async () => {
  const env = {
    MOORAGE_MAP_TILES: 'http://tiles.test/{z}/{x}/{y}.svg',
    MOORAGE_MAP_ATTRIBUTION: 'Drawn by the harbour',
  };
  const quay = await openQuay({ env });
  const [device] = unwrap(await quay.client.call('devices.list', { query: {} })).value;
  const location = { lat: 53.54, lon: 9.97, city: 'Hamburg' };
  const params = { device_id: device?.id ?? '' };
  unwrap(await quay.client.call('devices.update', { params, body: { location } }));
  const page = await quay.open({ path: '/account' });
  const asked = new Set<string>();
  const body = '<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"/>';
  await page.route('http://tiles.test/**', (route) => {
    asked.add(route.request().url());
    return route.fulfill({ contentType: 'image/svg+xml', body });
  });
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
  await page.getByText('Drawn by the harbour').waitFor();
  await expect.poll(() => [...asked].some((url) => url.endsWith('/1/0/0.svg'))).toBe(true);
  expect(complaints(page)).toEqual([]);
  await quay.close();
  killAll();
});
