import { describe, expect, it } from 'vitest';
import { findBrokenCitations } from './citations.ts';
import { anchorsOf } from './support/markdown.ts';
import type { ProjectFile } from './support/project.ts';

const wire: ProjectFile = {
  path: 'docs/reference/wire.md',
  text: '# Wire\n\n## <a id="3"></a>3 Calls\n\n### <a id="3.2"></a>3.2 Paths\n\n### <a id="3.4"></a>3.4 Statuses\n',
};
const flash: ProjectFile = { path: 'docs/reference/flash.md', text: '# Flash\n\n### <a id="1.1"></a>1.1 Areas\n' };
const decision: ProjectFile = { path: 'docs/decisions/connectors.md', text: '# Connectors\n' };

const check = (text: string, path = 'packages/a/src/b.ts') =>
  findBrokenCitations([wire, flash, decision, { path, text }], []).map(({ line, message }) => `${line}: ${message}`);

describe('citations', () => {
  it.each([
    ['one clause', '/** Reads. Reference: wire 3.2. */'],
    ['several, the page named once', '// Reference: wire 3, 3.2, flash 1.1: as it is there'],
    ['a sentence that goes on', '// The matrix of Reference: wire 3.2, cell by cell.'],
    ['a page by its path', '// Turned down (docs/decisions/connectors.md); elsewhere/docs/other.md is not ours.'],
    ['words about other references', '// In the order of their references. The reference voltage is 3 V.'],
  ])('takes %s', (_, text) => {
    expect(check(text)).toEqual([]);
  });

  it.each([
    ['a clause that is not there', 'a\n// Reference: wire 3.3.', '2: docs/reference/wire.md has no clause 3.3'],
    ['a later clause of a list', '// Reference: wire 3.2, 9.', '1: docs/reference/wire.md has no clause 9'],
    ['a page that is not there', '// Reference: wires 3.2.', '1: docs/reference has no page "wires"'],
    ['a page without a clause', '// Reference: wire', '1: a citation reads "Reference: page 1.2"'],
    ['a list that goes on', '// Reference: wire 3.2,\n// 3.4', '1: a citation stands on one line'],
    ['numbers without the form', '/** The matrix (reference 2.5). */', '1: cite a clause as "Reference: page 1.2"'],
    ['a path instead', '// reference/service section 5', '1: cite a clause as "Reference: page 1.2"'],
    ['a page that has gone', '// See docs/decisions/mail.md.', '1: there is no docs/decisions/mail.md'],
  ])('refuses %s', (_, text, problem) => {
    expect(check(text)).toEqual([problem]);
  });

  it('looks into pages, transcripts and tests too', () => {
    for (const path of ['docs/guide/a.md', 'packages/a/test/b.txt', 'packages/a/src/b.test.ts', 'packages/c/src/d.tsx'])
      expect(check('Reference: wire 7', path), path).toEqual(['1: docs/reference/wire.md has no clause 7']);
  });

  it('refuses clauses without their anchor, and numbers that stand twice', () => {
    const text = '## <a id="1"></a>1 One\n\n### 1.1 Bare\n\n## <a id="1"></a>1 Again\n\n## <a id="2"></a>3 Other\n';
    expect(check(text, 'docs/reference/page.md')).toEqual([
      '3: clause 1.1 needs the anchor "1.1"',
      '5: clause 1 stands twice',
      '7: clause 3 needs the anchor "3"',
    ]);
  });

  it('resolves the sources of the spec index, save sections of a specification', () => {
    const sources = ['wire 3.2', 'Errors 1', 'http_download options', 'wire 8', 'module-wires'];
    const requirements = sources.map((source, index) => ({ id: `API-X-${index}`, text: 'x', source }));
    const text = requirements.map(({ id, source }) => `| \`${id}\` | x | ${source} |`).join('\n');
    const found = findBrokenCitations([wire, { path: 'docs/spec-index.md', text }], requirements);
    expect(found.map(({ line, message }) => [line, message])).toEqual([
      [4, 'docs/reference/wire.md has no clause 8'],
      [5, '"module-wires" is no list of clauses'],
    ]);
  });
});

describe('anchors', () => {
  it('are those of headings, numbered when they come again, and those that are named', () => {
    const text =
      '# The `ls` command\n## Rules\n## Rules\n### <a id="1.2"></a>1.2 A, b\n```\n# no heading\n```\n## `a_b`\n';
    expect([...anchorsOf(text)]).toEqual(['1.2', 'the-ls-command', 'rules', 'rules-1', '12-a-b', 'a_b']);
  });
});
