import { describe, expect, test } from 'vitest';
import { nextSort, readListState, writeListState } from './address.ts';

const names = ['q', 'tag', 'state'];

describe('the state of a list in an address', () => {
  test.each([
    ['', { page: 1, sort: undefined, filters: {} }],
    ['q=tide&state=active', { page: 1, sort: undefined, filters: { q: 'tide', state: 'active' } }],
    // Devices without a tag are not all devices.
    ['tag=', { page: 1, sort: undefined, filters: { tag: '' } }],
    ['page=3&sort=-title', { page: 3, sort: '-title', filters: {} }],
    ['page=0', { page: 1, sort: undefined, filters: {} }],
    ['page=1.5', { page: 1, sort: undefined, filters: {} }],
    ['page=many', { page: 1, sort: undefined, filters: {} }],
    ['other=1&q=%26%20%2B', { page: 1, sort: undefined, filters: { q: '& +' } }],
  ])('reads "%s"', (search, state) => {
    expect(readListState(search, names)).toEqual(state);
  });

  test.each(['', 'q=tide', 'tag=', 'q=%26+%2B&state=active', 'sort=-title&page=2', 'q=a&sort=uuid'])(
    'writes "%s" as it was read',
    (search) => {
      expect(writeListState(readListState(search, names))).toBe(search);
    },
  );

  test('turns the order round when a column is pressed again', () => {
    expect(nextSort(undefined, 'title')).toBe('title');
    expect(nextSort('title', 'title')).toBe('-title');
    expect(nextSort('-title', 'title')).toBe('title');
    expect(nextSort('-title', 'uuid')).toBe('uuid');
  });
});
