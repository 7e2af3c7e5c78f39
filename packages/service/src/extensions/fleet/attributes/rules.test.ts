import { attributesLimit, labelsLimit } from '@moorage/api';
import { versionSortKey } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { changedLabels, changesOf, comparable, versionOf } from './rules.ts';

const values = (count: number) =>
  new Map(Array.from({ length: count }, (_, index) => [`name${index}`, String(index)] as const));

describe('attributes', () => {
  it.each([
    ['65536', 65_536, null],
    ['-61.5', -61.5, null],
    ['1e3', 1_000, null],
    // API-RULE-attributes-1: two parts are a number.
    ['1.10', 1.1, null],
    ['1.10.0', null, versionSortKey([1, 10, 0, 0])],
    ['2.3.0.1', null, versionSortKey([2, 3, 0, 1])],
    ['70000.0.0', null, versionSortKey([70_000, 0, 0, 0])],
    ['Harbour.3', null, null],
    ['', null, null],
    ['0x10', null, null],
    ['Infinity', null, null],
  ])('"%s" is the number %s and the version %s', (text, number, version_key) => {
    expect(comparable(text)).toEqual({ number, version_key });
  });

  it('a report changes what is new, and nothing else', () => {
    const known = new Map([
      ['signal', '-60'],
      ['board', 'Harbour.3'],
    ]);
    const changes = changesOf(known, { signal: -61, board: 'Harbour.3', quiet: true, gone: null }, 5);
    expect(changes).toEqual({
      put: [
        { name: 'signal', value: '-61', number: -61, version_key: null, since: 5 },
        { name: 'quiet', value: 'true', number: null, version_key: null, since: 5 },
      ],
      drop: [],
    });
    expect(changesOf(known, { board: null }, 5)).toEqual({ put: [], drop: ['board'] });
  });

  it('names beyond the limit are passed over, and those that are known go on', () => {
    const full = values(attributesLimit);
    const { put } = changesOf(full, { name0: 'new', more: 1 }, 5);
    expect(put.map(({ name }) => name)).toEqual(['name0']);
    const swapped = changesOf(full, { name0: null, more: 1, evenMore: 2 }, 5);
    expect(swapped.put.map(({ name }) => name)).toEqual(['more']);
  });

  it.each([
    ['ACME-HARBOUR_LAMP-1.0.0.2, 2024-01-02T03:04:05Z, base-2.3.0.2', '1.0.0.2'],
    ['Moorage-2.2.0.12, Built:2015-04-08', '2.2.0.12'],
    ['LAMP-0.9.0.0', '0.9.0.0'],
    ['LAMP', undefined],
  ])('the version in "%s" is %s', (text, version) => expect(versionOf(text)).toBe(version));
});

describe('labels', () => {
  it('are set and removed by name, up to the limit', () => {
    const after = changedLabels(new Map([['region', 'eu']]), { region: null, site: 'pier' });
    expect(after).toEqual({ ok: true, value: new Map([['site', 'pier']]) });
    const full = values(labelsLimit);
    expect(changedLabels(full, { more: 'x' })).toMatchObject({ ok: false, error: { code: 'LIMIT_REACHED' } });
    expect(changedLabels(full, { more: 'x', name0: null }).ok).toBe(true);
  });
});
