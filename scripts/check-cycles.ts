// No file may import itself over others, and no folder over other folders: none of them could be read, tested or moved
// alone. At run time it would depend on who asks which of them is ready first; types count as well.

import { type Arrow, arrowsBetween, folderOf, productFiles, ringsOf } from './support/import-graph.ts';
import { type Problem, type ProjectFile, readProject, report } from './support/project.ts';

/** Rings that may not be, of files and of folders, in their values and types. */
export function findRings(files: readonly ProjectFile[]): readonly (readonly string[])[] {
  const arrows = arrowsBetween(productFiles(files), (path) => path);
  const between = ({ from, to, typeOnly }: Arrow): Arrow => ({ from: folderOf(from), to: folderOf(to), typeOnly });
  const folders = ringsOf(arrows.map(between).filter(({ from, to }) => from !== to));
  // A file that stands beside the folders is found twice.
  return [...new Map([...ringsOf(arrows), ...folders].map((ring) => [String(ring), ring])).values()];
}

if (import.meta.main) {
  const problems = findRings(readProject()).map(([path = '', ...others]): Problem => {
    return { path, line: 0, rule: 'cycle', message: `imports itself over ${others.join(', ')}` };
  });
  report('cycles', problems);
}
