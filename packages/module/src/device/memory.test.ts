import { expect, test } from 'vitest';
import { memoryPercent } from './memory.ts';

const idle = { ramBytes: 128 * 1024, files: 3, streams: [], lineBytes: 256, settingsBytes: 0, logBytes: 100 };

// MOD-VAR-system.memory.usage
test.each([
  ['an idle board', {}, 41],
  ['four streams', { streams: [0, 0, 0, 1000] }, 50],
  ['a hundred files', { files: 100 }, 50],
  ['the longest command line', { lineBytes: 10_000 }, 48],
  ['settings and log', { settingsBytes: 4000, logBytes: 2048 }, 45],
  ['a board with little memory', { ramBytes: 1000 }, 100],
])('memoryPercent counts %s', (_, changes, percent) => {
  expect(memoryPercent({ ...idle, ...changes })).toBe(percent);
});
