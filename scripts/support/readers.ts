import type { Variable } from '../../packages/module/src/variables/variable.ts';
import type { Place } from '../coverage.ts';
import { isTestFile, isTestSupport, type Problem, type ProjectFile } from './project.ts';

const tables = 'packages/module/src/variables/';

const isDeviceSource = (path: string): boolean =>
  /^packages\/(module|device)\/src\//.test(path) && !isTestFile(path) && !isTestSupport(path);

const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*)/.test(line);

function findLine(files: readonly ProjectFile[], reads: (line: string) => boolean): Place | undefined {
  for (const { path, text } of files) {
    const at = text.split('\n').findIndex((line) => !isComment(line) && reads(line));
    if (at >= 0) return { path, line: at + 1 };
  }
  return undefined;
}

/** Parts of a row of the table of variables that say who reads it. */
export type ReadVariable = Pick<Variable, 'name' | 'read' | 'presets' | 'inert'>;

/**
 * The statement that reads a variable: one outside the tables that has its name, not only to set it; or another row
 * that looks at its value; or its own row, where that makes the value itself or sets other variables by it.
 */
export function readerOf({ name, read, presets }: ReadVariable, files: readonly ProjectFile[]): Place | undefined {
  const sources = files.filter(({ path }) => isDeviceSource(path));
  const rows = sources.filter(({ path }) => path.startsWith(tables));
  const quoted = `'${name}'`;
  const outside = findLine(
    sources.filter(({ path }) => !path.startsWith(tables)),
    (line) => line.replaceAll(`set(${quoted}`, '').includes(quoted),
  );
  const row = findLine(rows, (line) => line.includes(`get(${quoted})`) || line.includes(`entries(${quoted})`));
  return outside ?? row ?? (read || presets ? findLine(rows, (line) => line.includes(`name: ${quoted}`)) : undefined);
}

/** Variables that nothing reads and that do not say why, and those that say so although something reads them. */
export const findUnreadVariables = (variables: readonly ReadVariable[], files: readonly ProjectFile[]): Problem[] =>
  variables.flatMap((variable) => {
    const reader = readerOf(variable, files);
    if ((reader === undefined) === (variable.inert !== undefined)) return [];
    const message = reader
      ? `${variable.name} is inert, but ${reader.path}:${reader.line} reads it`
      : `${variable.name}: no code reads it; it needs \`inert\` with a reason`;
    return [{ path: tables, line: 0, rule: 'variable-reader', message }];
  });
