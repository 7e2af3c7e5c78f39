import { expect, test } from 'vitest';
import { axisDate, axisNumber, barSpan, momentText, stackOf } from './chart-scales.ts';

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

test('dates beside an axis have the order of the language, and a day 24 hours', () => {
  const at = new Date(2026, 10, 21, 14, 5, 9);
  const templates = ['{YYYY}', '{MMM}', '{D} {MMM}\n{YYYY}', '{HH}:{mm}\n{D} {MMM} {YYYY}', '{HH}:{mm}:{ss}'];
  const texts = templates.map((template) => axisDate(template)(at));
  expect(texts).toEqual(['2026', 'Nov', 'Nov 21\n2026', '14:05\nNov 21, 2026', '14:05:09']);
});
