import type { DeviceRecord } from '@moorage/api';
import { expect, test } from 'vitest';
import { updateStateOf, versionOf } from './device-state.ts';

const device = (values: Partial<DeviceRecord>): DeviceRecord =>
  // Safe: the function looks at these fields alone.
  ({ bundle_id: null, bundle: null, bundle_ok: false, ota_result: null, ...values }) as DeviceRecord;

test.each([
  [{}, 'none offered'],
  [{ bundle_id: 'x', bundle: '1.0.0.0' }, 'updating'],
  [{ bundle_id: 'x', bundle: '1.0.0.0', bundle_ok: true, ota_result: 1 }, 'up to date'],
  [{ bundle_id: 'x', bundle: '1.0.0.0', ota_result: 6 }, 'failed'],
  [{ bundle_id: 'x', bundle: '1.0.0.0', ota_result: 2 }, 'updating'],
  // The bundle is gone; the device has its version all the same.
  [{ bundle: '1.0.0.0', bundle_ok: true }, 'up to date'],
])('a device with %j is %s', (values, state) => {
  expect(updateStateOf(device(values))).toBe(state);
});

test.each([
  ['MAKER-PLAT_X-1.2.3.4, 2026-01-01T00:00:00Z, FW-1.0.0.0', '1.2.3.4'],
  ['odd', 'odd'],
  [null, null],
])('the version in %j is %j', (bversion, version) => {
  expect(versionOf(bversion)).toBe(version);
});
