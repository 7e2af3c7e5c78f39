import { describe, expect, test } from 'vitest';
import { partsOf, withAll } from './found.ts';
import { viewsFor } from './search.tsx';

const titles = (text: string): readonly string[] => viewsFor(text, false).map(({ label }) => label);

describe('views that a text leads to', () => {
  test.each(['deploy', 'Roll out', 'ship'])('"%s" leads to rollouts', (text) => {
    expect(titles(text)).toContain('Rollouts');
  });

  test.each(['deploy', 'roll out', 'tag'])('"%s" leads to tags', (text) => {
    expect(titles(text)).toContain('Give a bundle a tag, on the page of its product');
  });

  test('a name leads to its view, and what has no such view to none', () => {
    expect(titles('activ')).toEqual(['Activity']);
    expect(titles('xyzzy')).toEqual([]);
  });

  test('administration is for administrators', () => {
    expect(titles('administration')).toEqual([]);
    expect(viewsFor('administration', true)).toEqual([{ label: 'Administration', href: '/administration' }]);
  });
});

test.each([
  ['1.2', { words: '', version: '1.2' }],
  ['tide gauge 1.2.0.4', { words: 'tide gauge', version: '1.2.0.4' }],
  ['tide gauge 2', { words: 'tide gauge 2', version: undefined }],
  ['tide', { words: 'tide', version: undefined }],
])('"%s" is searched for as %j', (text, parts) => {
  expect(partsOf(text)).toEqual(parts);
});

test('more hits than are shown lead to the list of all', () => {
  const hits = [{ label: 'Tide gauge', href: '/devices/1' }];
  const all = { label: 'All 7 devices …', href: '/devices?q=tide' };
  expect(withAll(hits, 7, all)).toEqual([...hits, all]);
  expect(withAll(hits, 1, all)).toEqual(hits);
});
