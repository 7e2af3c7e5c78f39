import { afterAll, beforeAll, describe, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { inspect, openQuay, type Quay, skipReason } from './harness.ts';

/** Pages of the console that need nothing but the example data. */
const views = [
  ['dashboard', '/'],
  ['devices', '/devices'],
  ['devices-filtered', '/devices?state=disabled'],
  ['logs', '/logs'],
  ['platforms', '/platforms'],
  ['account', '/account'],
  ['account-password', '/account/password'],
  ['account-tokens', '/account/tokens'],
  ['account-broadcasts', '/account/broadcasts'],
  ['administration', '/administration'],
  ['nowhere', '/no/such/page'],
] as const;

/** Two widths, two colours, and axe on each, on a machine that does other things meanwhile. */
const timeout = 90_000;

describe.skipIf(skipReason)('a view of the console', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay();
    const device = await quay.client.call('devices.get', { params: { identifier: quay.uuid } });
    if (!device.ok) throw new Error(device.error.body.message);
    await quay.client.call('devices.update', {
      params: { device_id: device.value.value.id },
      body: { location: { lat: 53.54, lon: 9.97, city: 'Hamburg', country: 'Germany' } },
    });
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test.each(views)(
    '%s has nothing that axe finds, at both widths and in both colours',
    { timeout },
    async (name, path) => {
      await inspect(quay, { path, name });
    },
  );

  test('of one platform and of one log has none either', { timeout }, async () => {
    const platforms = await quay.client.call('platforms.list', { query: { limit: 1 } });
    const logs = await quay.client.call('logs.list', { query: { limit: 1, type: 'ota.ok' } });
    const platform = platforms.ok ? platforms.value.value[0]?.id : undefined;
    const log = logs.ok ? logs.value.value[0]?.id : undefined;
    await inspect(quay, { path: `/platforms/${platform}`, name: 'platform' });
    await inspect(quay, { path: `/logs/${log}`, name: 'log' });
  });
});
