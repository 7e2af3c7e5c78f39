import { clauseOf } from '../../packages/api/src/endpoint.ts';
import { allVariables } from '../../packages/module/src/variables/index.ts';
import { parseIndex } from '../coverage.ts';
import { cell } from '../support/markdown.ts';
import type { ProjectFile } from '../support/project.ts';
import { listEndpoints } from '../support/tables.ts';

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

const variableClause = (name: string): string => groupClauses[name.split('.')[0] ?? ''] ?? 'variables 1.1';

type Row = readonly [id: string, requirement: string, source: string];

/** The parts of the index that are made from tables, by the names of their marks: what has no row by hand. */
const parts: Readonly<Record<string, () => readonly Row[]>> = {
  calls: () =>
    listEndpoints()
      .filter(({ auth }) => auth === 'none' || auth === 'bearer')
      .map((shape) => [
        clauseOf(shape),
        `\`${shape.method} ${shape.path}\`: ${cell(shape.summary)}`,
        'no specification',
      ]),
  variables: () =>
    allVariables.map(({ name, help }) => [
      `MOD-VAR-${name}`,
      `The variable \`${name}\`: ${cell(help)}`,
      variableClause(name),
    ]),
};

const generated = /(<!-- generated: (\w+) -->\n).*?(?=<!-- \/generated -->)/gs;

/** docs/spec-index.md with the calls and variables that the specification does not name, made from their tables. */
export function renderSpecIndex(files: readonly ProjectFile[]): string {
  const text = files.find(({ path }) => path === 'docs/spec-index.md')?.text;
  if (text === undefined) throw new Error('There is no docs/spec-index.md');
  if ([...text.matchAll(generated)].length !== Object.keys(parts).length) {
    throw new Error('docs/spec-index.md has lost the marks of its generated parts');
  }
  const byHand = new Set(parseIndex(text.replaceAll(generated, '')).map(({ id }) => id));
  return text.replaceAll(generated, (_, mark: string, name: string) => {
    const rows = (parts[name]?.() ?? []).filter(([id]) => !byHand.has(id)).sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = rows.map(([id, requirement, source]) => `| \`${id}\` | ${requirement} | ${source} |`);
    return [mark, '| id | requirement | source |', '|---|---|---|', ...lines, '', ''].join('\n');
  });
}
