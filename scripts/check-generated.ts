// The committed documents are what the tables give today.
import { renderAll } from './generators/index.ts';
import { type Problem, type ProjectFile, readProject, report } from './support/project.ts';

/** Documents that are missing, out of date, or made by no generator. */
export function compareGenerated(files: readonly ProjectFile[], made: ReadonlyMap<string, string>): Problem[] {
  const committed = new Map(files.map(({ path, text }) => [path, text]));
  const problems: Problem[] = [];
  const add = (path: string, message: string) => problems.push({ path, line: 0, rule: 'generated', message });
  for (const [path, text] of made) {
    const old = committed.get(path);
    if (old === undefined) add(path, 'missing; run npm run generate');
    else if (old !== text) add(path, 'out of date; run npm run generate');
  }
  for (const { path } of files)
    if (path.startsWith('docs/generated/') && !made.has(path)) add(path, 'made by no generator');
  return problems;
}

if (import.meta.main) {
  const files = readProject();
  report('generated documents', compareGenerated(files, renderAll(files)));
}
