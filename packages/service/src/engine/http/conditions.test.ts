import { describe, expect, it } from 'vitest';
import { isAsExpected, isNotModified, rangeApplies, refuseChanged } from './conditions.ts';

const file = { sha256: 'abc', lastModifiedMs: 1_700_000_000_123 };
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
    // Two files written within a second have the same time.
    [at(1_700_000_000), false],
    [at(1_700_000_001), false],
    ['nonsense', false],
  ])('with If-Range %j is %j', (header, expected) => {
    expect(rangeApplies({ 'if-range': header }, file)).toBe(expected);
  });
});

describe('refuseChanged', () => {
  // API-ERR-412
  it.each([
    [{}, undefined, undefined],
    [{ 'if-match': '"abc"' }, undefined, 'FILE_CHANGED'],
    [{ 'if-match': '*' }, undefined, 'FILE_CHANGED'],
    [{ 'if-none-match': '*' }, undefined, undefined],
    [{ 'if-unmodified-since': at(1) }, undefined, undefined],
    [{}, file, undefined],
    [{ 'if-match': '"abc"' }, file, undefined],
    [{ 'if-match': '"x"' }, file, 'FILE_CHANGED'],
    [{ 'if-none-match': '*' }, file, 'FILE_CHANGED'],
    [{ 'if-none-match': 'W/"abc"' }, file, 'FILE_CHANGED'],
    [{ 'if-none-match': '"x"' }, file, undefined],
    [{ 'if-match': '"abc"', 'if-none-match': '"abc"' }, file, 'FILE_CHANGED'],
    [{ 'if-unmodified-since': at(1) }, file, 'FILE_CHANGED'],
    // Of a change it says nothing.
    [{ 'if-modified-since': at(1_800_000_000) }, file, undefined],
  ])('with %j over %j is %j', (headers, there, code) => {
    expect(refuseChanged(headers, there)?.code).toBe(code);
  });
});
