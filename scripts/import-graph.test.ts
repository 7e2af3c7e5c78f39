import { describe, expect, it } from 'vitest';
import { renderPackages } from './generators/packages.ts';
import { arrowsBetween, ringsOf } from './support/import-graph.ts';

const file = (folder: string, ...imports: readonly string[]) => ({
  path: `packages/module/src/${folder}/a.ts`,
  text: imports.join('\n'),
});
const value = (folder: string) => `import { x } from '../${folder}/a.ts';`;
const type = (folder: string) => `import type { X } from '../${folder}/a.ts';`;
const groupOf = (path: string) => path.split('/')[3];

describe('arrows between folders', () => {
  it('are of types alone while no import of the pair is left at run time', () => {
    const files = [file('web', type('device'), value('device'), type('net')), file('device'), file('net')];
    expect(arrowsBetween(files, groupOf)).toEqual([
      { from: 'web', to: 'device', typeOnly: false },
      { from: 'web', to: 'net', typeOnly: true },
    ]);
  });

  it('form a ring when one leads back over others', () => {
    const files = [file('a', value('b')), file('b', value('c')), file('c', value('a')), file('d', value('a'))];
    expect(ringsOf(arrowsBetween(files, groupOf))).toEqual([['a', 'b', 'c']]);
  });

  it('form no ring when two ways lead to the same place', () => {
    const files = [file('a', value('b'), value('c')), file('b', value('d')), file('c', value('d'))];
    expect(ringsOf(arrowsBetween(files, groupOf))).toEqual([]);
  });
});

describe('the page of packages', () => {
  it('shows every folder at its level, and leaves implied arrows out of the picture', () => {
    const text = renderPackages([file('top', value('mid'), value('low')), file('mid', value('low')), file('low')]);
    expect(text).toContain('| 2 | `top` | low, mid |  |');
    expect(text).toContain('  top_ --> mid_');
    expect(text).not.toContain('  top_ --> low_');
    expect(text).toContain('Rings: none.');
  });

  it('names rings and types that lead upward', () => {
    const text = renderPackages([file('a', value('b')), file('b', value('a'), value('c')), file('c', type('a'))]);
    expect(text).toContain('Rings:\n\n- a ↔ b');
    expect(text).toContain('- c → a');
    expect(text).toContain('  c_ -. upward .-> a_');
  });

  it('draws types that lead downward as dotted arrows', () => {
    const text = renderPackages([file('a', type('b')), file('b')]);
    expect(text).toContain('  a_ -.-> b_');
    expect(text).toContain('Arrows of types that lead upward: none.');
    expect(text).toContain('| 1 | `a` |  | b |');
  });

  it('leaves tests out', () => {
    const text = renderPackages([{ path: 'packages/module/src/web/a.test.ts', text: value('device') }]);
    expect(text).not.toContain('web');
  });
});
