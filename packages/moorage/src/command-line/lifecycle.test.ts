import { afterEach, expect, test, vi } from 'vitest';
import { defaultSerial } from '../commands/module.ts';
import { onHangup } from './lifecycle.ts';

const before = process.listeners('SIGHUP');
const onTerm = vi.fn();
afterEach(() => {
  for (const listener of process.listeners('SIGHUP')) if (!before.includes(listener)) process.off('SIGHUP', listener);
  process.off('SIGTERM', onTerm);
  onTerm.mockClear();
});

test.each([
  ['linux', { reloads: 1, stops: 0 }],
  ['win32', { reloads: 0, stops: 1 }],
] as const)('SIGHUP on %s without a terminal: %j', (platform, expected) => {
  const reload = vi.fn();
  process.on('SIGTERM', onTerm);
  onHangup(reload, platform);
  process.emit('SIGHUP', 'SIGHUP');
  expect({ reloads: reload.mock.calls.length, stops: onTerm.mock.calls.length }).toEqual(expected);
});

test.each([
  ['linux', 'pty'],
  ['darwin', 'tcp:127.0.0.1:0'],
  ['win32', 'tcp:127.0.0.1:0'],
] as const)('the serial line of a module on %s is %s', (platform, serial) => {
  expect(defaultSerial(platform)).toBe(serial);
});
