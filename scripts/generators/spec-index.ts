import { allVariables } from '../../packages/module/src/variables/index.ts';
import { parseIndex } from '../coverage.ts';
import { cell } from '../support/markdown.ts';
import type { ProjectFile } from '../support/project.ts';

const open = '<!-- generated: variables -->\n';
const close = '<!-- /generated -->';

/** Clauses of docs/reference/variables.md by group; the others have only what holds for all variables. */
const groupClauses: Readonly<Record<string, string>> = {
  broadcast: 'variables 3.1',
  cloud: 'variables 3.2',
  dms: 'variables 1.7',
  gpio: 'variables 3.3',
  ioconn: 'variables 3.8',
  network: 'variables 3.7',
  softap: 'variables 3.4',
  system: 'variables 3.5',
  tcp: 'variables 3.8',
  time: 'variables 3.6',
  udp: 'variables 3.8',
  wlan: 'variables 3.7',
};

const clauseOf = (name: string): string => groupClauses[name.split('.')[0] ?? ''] ?? 'variables 1.1';

/** docs/spec-index.md with its last part, the variables that the specification does not name, made from the variable table. */
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
    .map(({ id, name, help }) => `| \`${id}\` | The variable \`${name}\`: ${cell(help)} | ${clauseOf(name)} |`);
  const part = ['', '| id | requirement | source |', '|---|---|---|', ...rows, '', ''].join('\n');
  return text.slice(0, start + open.length) + part + text.slice(end);
}
