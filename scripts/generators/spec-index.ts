import { allVariables } from '../../packages/module/src/variables/index.ts';
import { parseIndex } from '../coverage.ts';
import { cell } from '../support/markdown.ts';
import type { ProjectFile } from '../support/project.ts';

const open = '<!-- generated: variables -->\n';
const close = '<!-- /generated -->';

/** docs/spec-index.md with its last part, the variables that only the reference names, made from the variable table. */
export function renderIndexVariables(files: readonly ProjectFile[]): string {
  const text = files.find(({ path }) => path === 'docs/spec-index.md')?.text;
  if (text === undefined) throw new Error('There is no docs/spec-index.md');
  const start = text.indexOf(open);
  const end = text.indexOf(close);
  if (start < 0 || end < start) throw new Error('docs/spec-index.md has lost the marks of its generated part');
  const byHand = new Set(parseIndex(text.slice(0, start) + text.slice(end)).map(({ id }) => id));
  const rows = allVariables
    .map(({ name, help }) => ({ id: `MOD-VAR-${name}`, name, help }))
    .filter(({ id }) => !byHand.has(id))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, name, help }) => `| \`${id}\` | The variable \`${name}\`: ${cell(help)} | module-variables |`);
  const part = ['', '| id | requirement | source |', '|---|---|---|', ...rows, '', ''].join('\n');
  return text.slice(0, start + open.length) + part + text.slice(end);
}
