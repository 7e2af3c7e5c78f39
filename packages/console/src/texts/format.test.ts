import { describe, expect, test } from 'vitest';
import { formatCompact, formatCount, formatMoment, formatRelative, formatSize, plural } from './format.ts';
import { nouns } from './nouns.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const minute = 60_000;
const day = 24 * 60 * minute;

describe('how far a moment is from now', () => {
  test.each([
    [0, 'just now'],
    [59_000, 'just now'],
    [minute, '1 minute ago'],
    [59 * minute, '59 minutes ago'],
    [60 * minute, '1 hour ago'],
    [day - 1, '23 hours ago'],
    [day, 'yesterday'],
    [6 * day, '6 days ago'],
    [7 * day, 'last week'],
    [31 * day, 'last month'],
    [800 * day, '2 years ago'],
    [-59_000, 'just now'],
    [-minute, 'in 1 minute'],
    [-2 * day, 'in 2 days'],
    [1 - 7 * day, 'in 7 days'],
    [-27 * day, 'in 4 weeks'],
    [-30 * 365 * day, 'in 30 years'],
  ])('%i ms ago is "%s"', (passedMs, text) => {
    expect(formatRelative(now - passedMs, now)).toBe(text);
  });
});

test('a moment has year, month, day and second', () => {
  expect(formatMoment(new Date(2026, 10, 21, 12).getTime())).toMatch(/^Nov 21, 2026, 12:00:00\sPM$/);
});

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1023 bytes'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [200 * 1024, '200 KiB'],
  [10 * 1024 * 1024, '10 MiB'],
  [3 * 1024 ** 4, '3 TiB'],
])('%i bytes are "%s"', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test('numbers have commas, and nouns their plural', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567');
  expect(plural(1, nouns.device)).toBe('1 device');
  expect(plural(100_000, nouns.device)).toBe('100,000 devices');
  expect(plural(0, nouns.entry)).toBe('0 entries');
});

test.each([
  [950, '950'],
  [3_333, '3.3k'],
  [12_345, '12k'],
  [1_200_000, '1M'],
])('%i is %s where there is little room', (count, text) => {
  expect(formatCompact(count)).toBe(text);
});
