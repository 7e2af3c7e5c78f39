import { describe, expect, it } from 'vitest';
import { packageEntries } from './boundaries.ts';
import { findRings } from './check-cycles.ts';

const file = (name: string, ...lines: readonly string[]) => ({
  path: `packages/base/src/${name}.ts`,
  text: lines.join('\n'),
});
const value = (name: string) => `import { x } from './${name}.ts';`;
const type = (name: string) => `import type { X } from './${name}.ts';`;
const [a, b, c] = ['a', 'b', 'c'].map((name) => `packages/base/src/${name}.ts`);

describe('rings of files', () => {
  it('are found over several files', () => {
    const files = [file('a', value('b')), file('b', value('c')), file('c', value('a'))];
    expect(findRings(files)).toEqual({ runtime: [[a, b, c]], types: [] });
  });

  it('that a type closes are counted apart', () => {
    const files = [file('a', value('b')), file('b', type('a')), file('c', value('a'))];
    expect(findRings(files)).toEqual({ runtime: [], types: [[a, b]] });
  });

  it('lead over packages', () => {
    const files = [
      { path: packageEntries['@moorage/api'] ?? '', text: "import { x } from '@moorage/base';" },
      { path: packageEntries['@moorage/base'] ?? '', text: "import { x } from '@moorage/api';" },
    ];
    expect(findRings(files).runtime).toEqual([files.map(({ path }) => path)]);
  });

  it('leave a ladder alone', () => {
    const files = [file('a', value('b'), value('c')), file('b', value('c')), file('c')];
    expect(findRings(files)).toEqual({ runtime: [], types: [] });
  });
});
