import { expect, test } from 'vitest';
import { connectionWord, versionOf } from './device-state.ts';

test.each([
  ['MAKER-PLAT_X-1.2.3.4, 2026-01-01T00:00:00Z, FW-1.0.0.0', '1.2.3.4'],
  ['odd', 'odd'],
  [null, null],
])('the version in %j is %j', (bversion, version) => {
  expect(versionOf(bversion)).toBe(version);
});

test.each([
  [{ state: 'active', online: true }, 'online'],
  [{ state: 'active', online: false }, 'offline'],
  [{ state: 'enabled', online: false }, 'never seen'],
  // One that is blocked may be on the channel for a moment still.
  [{ state: 'disabled', online: true }, 'blocked'],
] as const)('a device with %j is %s', (device, word) => {
  expect(connectionWord(device)).toBe(word);
});
