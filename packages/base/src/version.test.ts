import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unwrap } from './result.ts';
import {
  compareVersions,
  formatVersion,
  incrementVersion,
  maxFreeVersionPart,
  maxVersionPart,
  parseFullVersion,
  parseVersion,
  type Version,
  versionSortKey,
} from './version.ts';

// Of every length: most integers of a wide range have as many digits as it allows.
const part = fc.integer({ min: 0, max: 15 }).chain((digits) => fc.integer({ min: 0, max: 10 ** digits - 1 }));
const anyVersion = fc.tuple(part, part, part, part) as fc.Arbitrary<Version>;

describe('parseVersion', () => {
  test.each([
    ['1', '1.0.0.0'],
    ['1.0.0', '1.0.0.0'],
    ['0.9.0.11', '0.9.0.11'],
    ['01.002.3', '1.2.3.0'],
    ['65535.65535.65535.65535', '65535.65535.65535.65535'],
  ])('reads %j as %s (MOD-VER-1)', (text, expected) => {
    expect(formatVersion(unwrap(parseVersion(text)))).toBe(expected);
  });

  test.each([
    '',
    '.',
    '1.',
    '.1',
    '1..2',
    '1.2.3.4.5',
    'a',
    '1.a',
    ' 1',
    '1 ',
    '-1',
    '+1',
    '1e3',
    '0x1',
    '1,2',
    '1.2.3.4\n',
  ])('refuses %j', (text) => {
    expect(parseVersion(text)).toEqual({ ok: false, error: 'malformed' });
  });

  test('refuses a part over the limit', () => {
    expect(parseVersion('1.65536.0.0')).toEqual({ ok: false, error: 'part-too-large' });
    expect(parseVersion('32', [31, 63, 8191, 255])).toEqual({ ok: false, error: 'part-too-large' });
    expect(parseVersion('99999999999999999999.0.0.0').ok).toBe(false);
    expect(parseFullVersion('0.0.0.65536', maxVersionPart)).toEqual({ ok: false, error: 'part-too-large' });
    expect(parseFullVersion('0.0.0.65536', maxFreeVersionPart)).toEqual({ ok: true, value: [0, 0, 0, 65_536] });
    expect(parseFullVersion('0.0.0.1000000000000000', maxFreeVersionPart).ok).toBe(false);
  });

  test('gives back every version it printed', () => {
    fc.assert(
      fc.property(anyVersion, (version) => {
        expect(unwrap(parseFullVersion(formatVersion(version), maxFreeVersionPart))).toEqual(version);
      }),
    );
  });

  test('never throws on any text', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof parseVersion(text).ok === 'boolean'));
  });
});

test('parseFullVersion demands all four parts', () => {
  expect(parseFullVersion('1.0.0', maxVersionPart)).toEqual({ ok: false, error: 'malformed' });
  expect(parseFullVersion('1.0.0.0', maxVersionPart).ok).toBe(true);
});

describe('compareVersions', () => {
  test('compares part by part as numbers (API-VER-1)', () => {
    expect(compareVersions([0, 9, 0, 11], [0, 9, 0, 9])).toBeGreaterThan(0);
    expect(compareVersions([0, 10, 0, 0], [0, 9, 99, 99])).toBeGreaterThan(0);
    expect(compareVersions([1, 0, 0, 0], [1, 0, 0, 0])).toBe(0);
  });

  test('orders as the sort key does', () => {
    fc.assert(
      fc.property(anyVersion, anyVersion, (a, b) => {
        const [keyA, keyB] = [versionSortKey(a), versionSortKey(b)];
        expect(Math.sign(compareVersions(a, b))).toBe(keyA < keyB ? -1 : keyA > keyB ? 1 : 0);
      }),
    );
  });
});

describe('incrementVersion', () => {
  test.each([
    [
      [0, 9, 0, 11],
      [0, 9, 0, 12],
    ],
    [
      [0, 0, 0, 65_535],
      [0, 0, 0, 65_536],
    ],
    [
      [0, 0, 0, 99_999],
      [0, 0, 0, 100_000],
    ],
  ] as const)('of %j is %j', (version, next) => {
    expect(unwrap(incrementVersion(version))).toEqual(next);
  });

  test('is always higher', () => {
    fc.assert(
      fc.property(anyVersion, (version) => {
        const next = incrementVersion(version);
        if (next.ok) expect(compareVersions(next.value, version)).toBeGreaterThan(0);
      }),
    );
  });

  test('refuses to pass the highest version', () => {
    const highest: Version = [0, 0, 0, maxFreeVersionPart];
    expect(incrementVersion(highest)).toEqual({ ok: false, error: 'part-too-large' });
  });
});
