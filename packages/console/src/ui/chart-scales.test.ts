import { expect, test } from 'vitest';
import { axisNumber, barSpan, momentText, stackOf } from './chart-scales.ts';

test.each([
  [
    [
      [1, 2],
      [3, 4],
    ],
    [
      [1, 2],
      [4, 6],
    ],
  ],
  [
    [
      [1, null],
      [null, 4],
      [1, 1],
    ],
    [
      [1, 0],
      [1, 4],
      [2, 5],
    ],
  ],
  [[], []],
])('bars %j are drawn as %j', (series, drawn) => {
  expect(stackOf(series)).toEqual(drawn);
});

test('an axis of bars has room for half a bar at each end', () => {
  expect(barSpan([100, 200, 300], 100, 300)).toEqual([50, 350]);
});

test.each<[number[], number | null, number | null]>([
  [[], null, null],
  [[100], 100, 100],
])('an axis of the times %j stays what the library makes of it', (times, from, to) => {
  expect(barSpan(times, from, to)).toEqual([from, to]);
});

test.each([null, undefined])('there is no text for the moment %s', (at) => {
  expect(momentText(at)).toBe('');
});

test('numbers beside an axis are the same in every language, and have room', () => {
  expect([0, 2500, 0.05, -1.5, 99_999, 100_000, 1_250_000].map(axisNumber)).toEqual([
    '0',
    '2500',
    '0.05',
    '-1.5',
    '99999',
    '100K',
    '1.25M',
  ]);
  expect(axisNumber(null)).toBe('');
});
