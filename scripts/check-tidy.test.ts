import { describe, expect, it } from 'vitest';
import { findBrokenLinks, findTidyProblems, findUnknownPaths } from './check-tidy.ts';

const found = (path: string, text: string): string[] =>
  findTidyProblems([{ path, text }]).map(({ line, rule }) => `${line} ${rule}`);

const lines = (count: number, line = ''): string => `${line}\n`.repeat(count);
// Put together from parts, so that this file does not break the rules it tests.
const mark = ['TO', 'DO'].join('');
const home = ['', 'home', 'me', 'file'].join('/');
const registry = ['https:/', 'registry.example.org', 'x'].join('/');

const refused: readonly (readonly [name: string, path: string, text: string, result: string])[] = [
  ['a function over 70 lines', 'scripts/a.ts', `function a() {\n${lines(69)}}`, '1 function-size'],
  ['an arrow function over 70 lines', 'scripts/a.ts', `\nconst a = () => {\n${lines(69)}};`, '2 function-size'],
  ['a method over 70 lines', 'scripts/a.ts', `class A {\n  b() {\n${lines(69)}  }\n}`, '2 function-size'],
  [
    'a long function inside a factory',
    'scripts/a.ts',
    `const a = () => {\n  function b() {\n${lines(69)}  }\n  return b;\n};`,
    '1 function-size, 2 function-size',
  ],
  [
    'a factory of short functions over 70 lines',
    'scripts/a.ts',
    `const a = () => ({\n${`  b() {\n${lines(20)}  },\n`.repeat(5)}});`,
    '1 function-size',
  ],
  ['a test over 70 lines', 'scripts/a.test.ts', `it('does', () => {\nexpect(a);${lines(69)}});`, '1 function-size'],
  ['a file over 400 lines', 'scripts/a.ts', lines(401), '0 file-size'],
  ['an open mark in a comment', 'scripts/a.ts', `const a = 1;\n// ${mark}: later`, '2 open-mark'],
  ['an open mark deep in a block comment', 'scripts/a.ts', `/*\n * ${mark}\n */\nconst a = 1;`, '2 open-mark'],
  ['an open mark in a document', 'docs/a.md', `one\n${mark} two`, '2 open-mark'],
  ['the type any', 'scripts/a.ts', 'const a = (b: any) => b;', '1 any'],
  ['a cast to any', 'scripts/a.ts', '\nconst a = (b as any).c;', '2 any'],
  ['a path of one machine in code', 'scripts/a.ts', `const a = '${home}';`, '1 machine-path'],
  ['a path of one machine in a document', 'docs/a.md', `see\n${home}`, '2 machine-path'],
  ['a registry host in a lockfile', 'package-lock.json', `"resolved": "${registry}"`, '1 registry-host'],
  ['a focused test', 'scripts/a.test.ts', `it.only('works', () => expect(a));`, '1 only'],
  ['a focused table test', 'scripts/a.test.ts', `describe.only.each([1])('%s', () => {});`, '1 only'],
  [
    'a test without an assertion',
    'scripts/a.test.ts',
    "\nit('works', async () => {\n  await run();\n});",
    '2 empty-test',
  ],
  ['a table test without one', 'scripts/a.test.ts', "test.each([1])('%s', (a) => run(a));", '1 empty-test'],
  [
    'a test whose helper asserts nothing',
    'scripts/a.test.ts',
    "const run = () => {};\nit('works', () => run());",
    '2 empty-test',
  ],
  [
    'an exported function without docstring',
    'packages/base/src/a.ts',
    'export function a(b: number) {\n  const c = b;\n  return c;\n}',
    '1 docstring',
  ],
  [
    'an exported arrow function without docstring',
    'packages/base/src/a.ts',
    '// no docstring\nexport const a = (b: number) => {\n  const c = b;\n  return c;\n};',
    '2 docstring',
  ],
  ['a file name with capitals', 'scripts/checkAll.ts', '', '0 file-name'],
  ['a file name with underscores', 'scripts/check_all.ts', '', '0 file-name'],
  ['a link to nowhere', 'docs/a.md', 'see [b](guide/b.md)', '1 link'],
];

const allowed: readonly (readonly [name: string, path: string, text: string])[] = [
  ['a function of 70 lines', 'scripts/a.ts', `function a() {\n${lines(68)}}`],
  ['a group of tests over 70 lines', 'scripts/a.test.ts', `describe('a', () => {\n${lines(100)}});`],
  ['a table of test groups over 70 lines', 'scripts/a.test.ts', `describe.each([1])('a', () => {\n${lines(100)}});`],
  ['a file of 400 lines', 'scripts/a.ts', lines(400)],
  ['a document over 400 lines', 'docs/a.md', lines(500)],
  ['an open mark in a text', 'scripts/a.ts', `const a = '${mark}';`],
  ['the word any in a comment', 'scripts/a.ts', '// any of them\nconst a = 1;'],
  ['a path below another one', 'docs/a.md', `data${home}`],
  ['a field that is named only', 'scripts/a.test.ts', 'const a = row.only;'],
  ['a test that asserts', 'scripts/a.test.ts', "it('works', () => expect(a).toBe(1));"],
  [
    'a test whose helpers assert',
    'scripts/a.test.ts',
    "class Peer { hears() { expect(1); } }\nfunction run(peer) { peer.hears(); }\nit('works', () => run(peer));",
  ],
  ['a test that waits for the browser', 'e2e/a.test.ts', "it('works', () => page.locator('a').waitFor());"],
  ['a test that is left out', 'scripts/a.test.ts', "test.skip('is not for pipes', () => {});"],
  ['a documented function', 'packages/base/src/a.ts', '/** Does. */\nexport function a() {\n  b();\n\n  c();\n}'],
  [
    'a function of one expression without docstring',
    'packages/base/src/a.ts',
    'export const a = () => ({\n\n\n  b,\n});',
  ],
  ['a function of one statement without docstring', 'packages/base/src/a.ts', 'export function a() {\n  return b;\n}'],
  ['a function that is not exported', 'packages/base/src/a.ts', 'function a() {\n  b();\n\n  c();\n}'],
  ['a dialogue named after its command', 'packages/module/test/transcripts/file_create.txt', ''],
  ['a link out of the repository', 'docs/a.md', '[a](https://example.org/#part)'],
];

describe('tidy', () => {
  it.each(refused)('refuses %s', (_name, path, text, result) => {
    expect(found(path, text).join(', ')).toBe(result);
  });

  it.each(allowed)('accepts %s', (_name, path, text) => {
    expect(found(path, text)).toEqual([]);
  });

  it('follows links to files and folders, with and without a part', () => {
    const text = '[a](guide/b.md) [b](guide/b.md#part) [c](guide) [d](../LICENSE)';
    const files = [
      { path: 'docs/a.md', text },
      { path: 'docs/guide/b.md', text: '# Part' },
      { path: 'LICENSE', text: '' },
    ];
    expect(findBrokenLinks(files)).toEqual([]);
  });

  it('have to name an anchor that is there, in the same file too', () => {
    const files = [
      { path: 'docs/a.md', text: '# A\n[here](#a), [gone](#b)\n[b](b.md#1.2), [b](b.md#two-words)\n[b](b.md#three)' },
      { path: 'docs/b.md', text: '## <a id="1.2"></a>1.2 Clause\n## Two `words`\n' },
      { path: 'docs/c.md', text: '[lines of a source](../a.ts#L3)' },
      { path: 'a.ts', text: '' },
    ];
    expect(findBrokenLinks(files).map(({ path, line, message }) => [path, line, message])).toEqual([
      ['docs/a.md', 2, '"#b" leads nowhere'],
      ['docs/a.md', 4, '"b.md#three" leads nowhere'],
    ]);
  });
});

it('paths that pages name have to be there, unless a guide has its reader make the file', () => {
  const text = 'In `packages/a/src`, not `packages/b.ts`\n`e2e/new.ts`:\n```ts file=e2e/new.ts\n';
  const files = [
    { path: 'docs/a.md', text },
    { path: 'packages/a/src/a.ts', text: '' },
  ];
  expect(findUnknownPaths(files).map(({ line, message }) => `${line}: ${message}`)).toEqual([
    '1: "packages/b.ts" is not there',
  ]);
});
