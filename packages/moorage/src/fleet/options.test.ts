import { expect, test } from 'vitest';
import { fleetFlags } from './options.ts';

const given = { count: 100, product: 'TIDE', timeout: undefined, until: undefined, workers: 1 } as Parameters<
  typeof fleetFlags
>[0];

test.each([
  ['a few modules', {}, 50],
  ['many modules, whose polls alone need 84 in a second', { count: 5_000 }, 167],
  ['a part of many modules', { count: 40_000, part: '2/8' }, 167],
  ['any number, where it is said', { count: 5_000, rate: 7 }, 7],
])('connections in a second of %s', (_, settings, rate) => {
  expect(fleetFlags({ ...given, ...settings }).rate).toBe(rate);
});
