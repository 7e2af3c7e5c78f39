import { expect, test, vi } from 'vitest';
import { missingRuntime, passSignal } from './runtime.mjs';

test.each([
  ['linux-x64', 'the package that brings it could not be installed for linux-x64'],
  ['darwin-arm64', 'no package brings it for darwin-arm64: install it yourself'],
  ['win32-x64', 'no package brings it for win32-x64: install it yourself'],
])('without a Node that is new enough, %s is told in one line what to do', (system, why) => {
  expect(missingRuntime('v20.19.0', system)).toBe(`Node 24.7 or newer is needed; this is v20.19.0, and ${why}`);
});

test.each([
  ['linux', 1],
  ['darwin', 1],
  ['win32', 0],
] as const)('the launcher on %s passes a signal on %i times', (platform, times) => {
  const kill = vi.fn();
  passSignal({ kill }, 'SIGINT', platform);
  expect(kill).toHaveBeenCalledTimes(times);
});
