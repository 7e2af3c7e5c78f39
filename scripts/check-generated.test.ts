import { describe, expect, it } from 'vitest';
import { compareGenerated } from './check-generated.ts';
import { cell, table } from './support/markdown.ts';

const made = new Map([['docs/generated/a.md', 'new']]);
const messages = (files: Parameters<typeof compareGenerated>[0]) =>
  compareGenerated(files, made).map(({ path, message }) => `${path}: ${message}`);

describe('generated documents', () => {
  it('pass when they are what the tables give', () => {
    expect(messages([{ path: 'docs/generated/a.md', text: 'new' }])).toEqual([]);
  });

  it('fail when one is out of date', () => {
    expect(messages([{ path: 'docs/generated/a.md', text: 'old' }])).toEqual([
      'docs/generated/a.md: out of date; run npm run generate',
    ]);
  });

  it('fail when one is missing', () => {
    expect(messages([])).toEqual(['docs/generated/a.md: missing; run npm run generate']);
  });

  it('fail when no generator makes one', () => {
    const files = [
      { path: 'docs/generated/a.md', text: 'new' },
      { path: 'docs/generated/b.md', text: '' },
    ];
    expect(messages(files)).toEqual(['docs/generated/b.md: made by no generator']);
  });
});

describe('tables in Markdown', () => {
  it('escape bars and line ends of a cell', () => {
    expect(cell('a|b\nc')).toBe('a\\|b c');
    expect(table(['x', 'y'], [['1', 'a|b']])).toBe('| x | y |\n| --- | --- |\n| 1 | a\\|b |');
  });
});
