import { fileLimitBytes, storeLimits } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { checkPath, nameOf, readFileVersion, refuseSpace, tidyFilter } from './rules.ts';

// API-RULE-files-3
describe('path', () => {
  it.each([
    'a',
    'a/b/c.txt',
    'with space/and,comma',
    '.hidden',
    '..a/...',
    'a..b',
    'größe/日本語/🌊',
    '%2e%2e',
    'x'.repeat(255),
    'ß'.repeat(127),
  ])('%s is taken as it is', (path) => {
    expect(unwrap(checkPath(path))).toBe(path);
  });

  it.each([
    ['..', 'segment'],
    ['.', 'segment'],
    ['a/../b', 'segment'],
    ['a/.', 'segment'],
    ['', 'empty'],
    ['/a', 'empty'],
    ['a/', 'empty'],
    ['a//b', 'empty'],
    ['a\\b', 'backslash'],
    ['..\\..\\b', 'backslash'],
    ['a\0b', 'control'],
    ['a\nb', 'control'],
    ['a\u007fb', 'control'],
    ['x'.repeat(256), '255 bytes'],
    ['ß'.repeat(128), '255 bytes'],
  ])('%j is refused', (path, why) => {
    const found = checkPath(path);
    expect(found).toMatchObject({
      ok: false,
      error: { code: 'INVALID_PATH', validation: { source: 'params', keys: ['path'] } },
    });
    expect(!found.ok && found.error.message).toContain(why);
  });

  it('has a last segment that is the name', () => {
    expect([nameOf('a/b/c.txt'), nameOf('c.txt')]).toEqual(['c.txt', 'c.txt']);
  });
});

// API-LIMIT-file
describe('space of a store', () => {
  const { files, bytes } = storeLimits;
  it.each([
    [{ files: 0, bytes: 0 }, fileLimitBytes, undefined],
    [{ files: 0, bytes: 0 }, fileLimitBytes + 1, 'BODY_TOO_LARGE'],
    [{ files: files - 1, bytes: 0 }, 0, undefined],
    [{ files, bytes: 0 }, 0, 'STORE_FULL'],
    [{ files: 1, bytes: bytes - 5 }, 5, undefined],
    [{ files: 1, bytes: bytes - 5 }, 6, 'STORE_FULL'],
  ])('beside %j for %d bytes: %s', (others, size, code) => {
    expect(refuseSpace(others, size)?.code).toBe(code);
  });
});

describe('version of a file', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['1.2.3.4', '1.2.3.4'],
  ])('%j is %j', (text, version) => {
    expect(unwrap(readFileVersion(text))).toBe(version);
  });

  it.each(['1.2', 'x', '1.2.3.65536'])('%j is refused', (text) => {
    expect(readFileVersion(text)).toMatchObject({ ok: false, error: { code: 'INVALID_VERSION' } });
  });
});

it('filter loses the stars that add nothing', () => {
  expect([tidyFilter(undefined), tidyFilter(''), tidyFilter('**a***b*')]).toEqual([undefined, undefined, '*a*b*']);
});
