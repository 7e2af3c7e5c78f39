import { seededRandom } from '@moorage/base';
import { expect, test } from 'vitest';
import { drawnTimings, noTimings, realTimings } from './timings.ts';

test('drawnTimings gives fixed times as they are', () => {
  expect({ ...drawnTimings(noTimings, seededRandom(1)) }).toEqual(noTimings);
  expect(drawnTimings(realTimings, seededRandom(1)).saveMs).toBe(900);
});

test('drawnTimings draws each time anew, within the range, the same for the same seed', () => {
  const draws = (seed: number): number[] => {
    const timings = drawnTimings({ ...noTimings, scanMs: [2000, 2003] }, seededRandom(seed));
    return Array.from({ length: 200 }, () => timings.scanMs);
  };
  expect(new Set(draws(1))).toEqual(new Set([2000, 2001, 2002, 2003]));
  expect(draws(1)).toEqual(draws(1));
  expect(draws(1)).not.toEqual(draws(2));
});

test('realTimings make a join of 4 to 15 s', () => {
  const { probeMs, associateMs, dhcpMs } = realTimings;
  const ends = (index: 0 | 1): number =>
    [probeMs, associateMs, dhcpMs].reduce<number>(
      (sum, time) => sum + (typeof time === 'number' ? time : time[index]),
      0,
    );
  expect([ends(0), ends(1)]).toEqual([4000, 15_000]);
});
