import { describe, expect, it } from 'vitest';
import { formatValue, plotOf, type Range, rangeOf, summaryOf, withLast, withSamples } from './samples.ts';

const all: Range = { key: 'all', title: 'All', spanMs: 1_000_000 };
const tens: Range = { key: 'tens', title: 'Tens', spanMs: 1_000_000, intervalMs: 10_000 };

describe('rangeOf', () => {
  it('takes the shortest for a key that is none', () => {
    expect(rangeOf('24h').title).toBe('Day');
    for (const key of [undefined, '', 'constructor']) expect(rangeOf(key).key).toBe('15m');
  });
});

describe('withSamples', () => {
  it('puts samples where they belong by their time', () => {
    const known = [
      { at: '1000', value: 1 },
      { at: '3000', value: 3 },
    ];
    const fresh = [
      { at: '4000', value: 4 },
      { at: '2000', value: 2 },
      { at: '500', value: 0 },
    ];
    expect(withSamples(known, fresh, all, 10_000).map(({ value }) => value)).toEqual([0, 1, 2, 3, 4]);
  });

  it('drops what has grown too old', () => {
    const known = [{ at: '1000', value: 1 }];
    expect(withSamples(known, [{ at: '1001000', value: 2 }], all, 1_001_001)).toEqual([{ at: '1001000', value: 2 }]);
  });

  it('makes of samples of one interval what the service makes of them', () => {
    const known = [{ at: '10000', value: 2, min: 1, max: 3, count: 2 }];
    const fresh = [
      { at: '19999', value: 8 },
      { at: '20000', value: 5 },
      { at: '29000', value: 6 },
    ];
    expect(withSamples(known, fresh, tens, 30_000)).toEqual([
      { at: '10000', value: 4, min: 1, max: 8, count: 3 },
      { at: '20000', value: 5.5, min: 5, max: 6, count: 2 },
    ]);
  });

  it('keeps the last text of an interval', () => {
    const first = withSamples([], [{ at: '10000', value: 'a' }], tens, 30_000);
    expect(withSamples(first, [{ at: '11000', value: 'b' }], tens, 30_000)).toEqual([
      { at: '10000', value: 'b', count: 2 },
    ]);
  });
});

describe('withLast', () => {
  // Safe: what the rule looks at is there.
  const stream = (name: string, at: string | null) =>
    ({ name, last: at === null ? null : { at, value: 0 } }) as Parameters<typeof withLast>[0][number];

  it('takes the newest sample of each stream, and leaves the others as they are', () => {
    const streams = [stream('a', null), stream('b', '5000'), stream('c', '1')];
    const fresh = [
      { name: 'a', at: '2000', value: 2 },
      { name: 'a', at: '1000', value: 1 },
      { name: 'b', at: '4000', value: 4 },
    ];
    const after = withLast(streams, fresh);
    expect(after.map(({ last }) => last?.at)).toEqual(['2000', '5000', '1']);
    expect([after[1], after[2]]).toEqual([streams[1], streams[2]]);
  });
});

describe('plotOf', () => {
  it('draws seconds, leaves texts out, and breaks the line where intervals are missing', () => {
    const records = [
      { at: '10000', value: 1, min: 0, max: 2, count: 2 },
      { at: '20000', value: 'x' },
      { at: '30000', value: 3, min: 3, max: 3, count: 1 },
      { at: '90000', value: 4, min: 4, max: 5, count: 2 },
    ];
    expect(plotOf(records, tens)).toEqual({
      times: [10, 30, 40, 90],
      values: [1, 3, null, 4],
      lows: [0, 3, null, 4],
      highs: [2, 3, null, 5],
    });
    expect(plotOf(records, all).times).toEqual([10, 30, 90]);
  });
});

describe('values', () => {
  it.each([
    [21.53, '°C', '21.53 °C'],
    [0.1 + 0.2, null, '0.3'],
    [1_234_567, '', '1234570'],
    ['on', null, 'on'],
  ] as const)('%s in %s is shown as %s', (value, units, shown) => {
    expect(formatValue(value, units)).toBe(shown);
  });

  it('are shown in words', () => {
    const records = [
      { at: '1', value: 5, min: 1, max: 9, count: 3 },
      { at: '2', value: 4 },
    ];
    expect(summaryOf(records, 'm')).toBe('last 4 m, lowest 1 m, highest 9 m');
    expect(summaryOf([], 'm')).toBe('no values');
  });
});
