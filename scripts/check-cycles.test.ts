import { describe, expect, it } from 'vitest';
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
      { path: 'packages/base/src/index.ts', text: "import { x } from '@moorage/net';" },
      { path: 'packages/net/src/index.ts', text: "import { x } from '@moorage/base';" },
    ];
    expect(findRings(files).runtime).toEqual([['packages/base/src/index.ts', 'packages/net/src/index.ts']]);
  });

  it('leave a ladder alone', () => {
    const files = [file('a', value('b'), value('c')), file('b', value('c')), file('c')];
    expect(findRings(files)).toEqual({ runtime: [], types: [] });
  });
});
