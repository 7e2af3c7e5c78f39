import { describe, expect, it } from 'vitest';
import { rangesLimit, wantedRange } from './conditions.ts';

describe('wantedRange', () => {
  // API-RULE-files-4, API-ERR-416
  it.each([
    [undefined, 'whole'],
    ['', 'whole'],
    ['bytes=0-0', [{ start: 0, end: 1 }]],
    ['bytes=0-9', [{ start: 0, end: 10 }]],
    ['bytes=0-99', [{ start: 0, end: 10 }]],
    ['bytes=3-', [{ start: 3, end: 10 }]],
    ['bytes=9-', [{ start: 9, end: 10 }]],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-20', 'unsatisfiable'],
    ['bytes=-3', [{ start: 7, end: 10 }]],
    ['bytes=-30', [{ start: 0, end: 10 }]],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-3', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=a-b', 'whole'],
    [
      'bytes=0-1,3-4',
      [
        { start: 0, end: 2 },
        { start: 3, end: 5 },
      ],
    ],
    [
      'bytes=0-1, 2-2 ,-1',
      [
        { start: 0, end: 2 },
        { start: 2, end: 3 },
        { start: 9, end: 10 },
      ],
    ],
    ['bytes=0-1,20-30', [{ start: 0, end: 2 }]],
    ['bytes=10-,20-30', 'unsatisfiable'],
    ['bytes=3-4,0-1', 'whole'],
    ['bytes=0-4,4-5', 'whole'],
    ['bytes=0-1,x', 'whole'],
    ['bytes=0-1,', 'whole'],
    ['items=0-1', 'whole'],
    [' bytes=0-1 ', [{ start: 0, end: 2 }]],
    ['bytes=0-9999999999999999', 'whole'],
  ])('of 10 bytes reads %j', (header, wanted) => {
    expect(wantedRange(header, 10)).toEqual(wanted);
  });

  // API-LIMIT-ranges
  it.each([
    [rangesLimit, rangesLimit],
    [rangesLimit + 1, 'whole'.length],
  ])('of %i ranges', (count, length) => {
    const ranges = Array.from({ length: count }, (_, at) => `${2 * at}-${2 * at}`).join(',');
    expect(wantedRange(`bytes=${ranges}`, 10_000)).toHaveLength(length);
  });

  it.each(['bytes=0-0', 'bytes=0-', 'bytes=-1'])('of an empty file has no part %j', (header) => {
    expect(wantedRange(header, 0)).toBe('unsatisfiable');
  });
});
