import { describe, expect, it } from 'vitest';
import { isAsExpected, isNotModified, rangeApplies, wantedRange } from './ranges.ts';

describe('wantedRange', () => {
  // API-RULE-files-4, API-ERR-416
  it.each([
    [undefined, 'whole'],
    ['', 'whole'],
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=0-9', { start: 0, end: 10 }],
    ['bytes=0-99', { start: 0, end: 10 }],
    ['bytes=3-', { start: 3, end: 10 }],
    ['bytes=9-', { start: 9, end: 10 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-20', 'unsatisfiable'],
    ['bytes=-3', { start: 7, end: 10 }],
    ['bytes=-30', { start: 0, end: 10 }],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-3', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=0-1,3-4', 'whole'],
    ['items=0-1', 'whole'],
    [' bytes=0-1 ', { start: 0, end: 2 }],
    ['bytes=0-9999999999999999', 'whole'],
  ])('of 10 bytes reads %j', (header, wanted) => {
    expect(wantedRange(header, 10)).toEqual(wanted);
  });

  it.each(['bytes=0-0', 'bytes=0-', 'bytes=-1'])('of an empty file has no part %j', (header) => {
    expect(wantedRange(header, 0)).toBe('unsatisfiable');
  });
});

const file = { etag: '"abc"', lastModifiedS: 1_700_000_000 };
const at = (s: number) => new Date(s * 1000).toUTCString();

describe('isNotModified', () => {
  it.each([
    [{}, false],
    [{ 'if-none-match': '"abc"' }, true],
    [{ 'if-none-match': 'W/"abc"' }, true],
    [{ 'if-none-match': '"x", "abc"' }, true],
    [{ 'if-none-match': '*' }, true],
    [{ 'if-none-match': '"x"' }, false],
    [{ 'if-none-match': 'abc' }, false],
    [{ 'if-modified-since': at(1_700_000_000) }, true],
    [{ 'if-modified-since': at(1_700_000_001) }, true],
    [{ 'if-modified-since': at(1_699_999_999) }, false],
    [{ 'if-modified-since': 'yesterday' }, false],
    [{ 'if-none-match': '"x"', 'if-modified-since': at(1_700_000_001) }, false],
  ])('of %j is %j', (headers, expected) => {
    expect(isNotModified(headers, file)).toBe(expected);
  });
});

describe('isAsExpected', () => {
  it.each([
    [{}, true],
    [{ 'if-match': '"abc"' }, true],
    [{ 'if-match': '"x", "abc"' }, true],
    [{ 'if-match': '*' }, true],
    [{ 'if-match': '"x"' }, false],
    [{ 'if-match': 'W/"abc"' }, false],
    [{ 'if-unmodified-since': at(1_700_000_000) }, true],
    [{ 'if-unmodified-since': at(1_699_999_999) }, false],
    [{ 'if-unmodified-since': 'yesterday' }, true],
    [{ 'if-match': '"abc"', 'if-unmodified-since': at(1) }, true],
  ])('of %j is %j', (headers, expected) => {
    expect(isAsExpected(headers, file)).toBe(expected);
  });
});

describe('rangeApplies', () => {
  it.each([
    [undefined, true],
    ['"abc"', true],
    ['"other"', false],
    ['W/"abc"', false],
    [at(1_700_000_000), true],
    [at(1_700_000_001), false],
    ['nonsense', false],
  ])('with If-Range %j is %j', (header, expected) => {
    expect(rangeApplies(header, file)).toBe(expected);
  });
});
