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

const at = (path: string, ...lines: readonly string[]) => ({ path: `packages/${path}.ts`, text: lines.join('\n') });

describe('rings of files', () => {
  it('are found over several files', () => {
    const files = [file('a', value('b')), file('b', value('c')), file('c', value('a'))];
    expect(findRings(files)).toEqual([[a, b, c]]);
  });

  it('are found where a type closes them', () => {
    const files = [file('a', value('b')), file('b', type('a')), file('c', value('a'))];
    expect(findRings(files)).toEqual([[a, b]]);
  });

  it('lead over packages', () => {
    const files = [
      { path: packageEntries['@moorage/api'] ?? '', text: "import { x } from '@moorage/base';" },
      { path: packageEntries['@moorage/base'] ?? '', text: "import { x } from '@moorage/api';" },
    ];
    expect(findRings(files)).toEqual([files.map(({ path }) => path)]);
  });

  it('leave a ladder alone', () => {
    const files = [file('a', value('b'), value('c')), file('b', value('c')), file('c')];
    expect(findRings(files)).toEqual([]);
  });
});

describe('rings of folders', () => {
  it('are found where no file is in a ring', () => {
    const files = [
      at('net/src/dns/a', "import { x } from '../http/a.ts';"),
      at('net/src/http/a'),
      at('net/src/http/b', "import type { X } from '../dns/b.ts';"),
      at('net/src/dns/b'),
    ];
    expect(findRings(files)).toEqual([['packages/net/src/dns', 'packages/net/src/http']]);
  });

  it('lead over files that stand beside folders', () => {
    const files = [
      at('net/src/dns/a', "import { x } from '../ports.ts';"),
      at('net/src/ports', "import { x } from './dns/b.ts';"),
      at('net/src/dns/b'),
    ];
    expect(findRings(files)).toEqual([['packages/net/src/dns', 'packages/net/src/ports.ts']]);
  });

  it('are looked for among the views of the console, and not above them', () => {
    const views = (name: string) => `console/src/views/${name}`;
    const files = [
      at('console/src/routes', "import { x } from './views/device/a.ts';"),
      at(views('device/a'), "import { x } from '../product/a.ts';"),
      at(views('product/a')),
      at(views('search/a'), "import { x } from '../../routes.ts';"),
    ];
    expect(findRings(files)).toEqual([]);
    const back = at(views('product/b'), "import type { X } from '../device/b.ts';");
    const ring = ['device', 'product'].map((name) => `packages/${views(name)}`);
    expect(findRings([...files, back])).toEqual([ring]);
  });
});
