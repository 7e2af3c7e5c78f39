// No file may import itself over others at run time: which of them is ready first would depend on who asks. Rings of
// types are only counted, they are gone when the program runs.

import { arrowsBetween, productFiles, ringsOf } from './support/import-graph.ts';
import { type Problem, type ProjectFile, readProject, report } from './support/project.ts';

/** Rings of imports that are left at run time, and those that only types close. */
export function findRings(files: readonly ProjectFile[]) {
  const arrows = arrowsBetween(productFiles(files), (path) => path);
  const runtime = ringsOf(arrows.filter(({ typeOnly }) => !typeOnly));
  const known = new Set(runtime.map(String));
  return { runtime, types: ringsOf(arrows).filter((ring) => !known.has(String(ring))) };
}

if (import.meta.main) {
  const { runtime, types } = findRings(readProject());
  for (const ring of types) console.log(`types only: ${ring.join(', ')}`);
  console.log(`${types.length} ring(s) of types`);
  const problems = runtime.map(([path = '', ...others]): Problem => {
    return { path, line: 0, rule: 'cycle', message: `imports itself over ${others.join(', ')}` };
  });
  report('cycles', problems);
}
