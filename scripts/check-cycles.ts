// No file may import itself over others, and no folder over other folders: none of them could be read, tested or moved
// alone. At run time it would depend on who asks which of them is ready first; types count as well.

import { type Arrow, arrowsBetween, folderOf, productFiles, ringsOf } from './support/import-graph.ts';
import { type Problem, type ProjectFile, readProject, report } from './support/project.ts';

/** Packages whose rings of types and of folders are counted and let be. */
const onlyCounted: readonly string[] = ['service'];

type Ring = readonly string[];

/** Rings that may not be, and those that are only counted; each of files, or of folders. */
export function findRings(
  files: readonly ProjectFile[],
  counting = onlyCounted,
): { readonly forbidden: readonly Ring[]; readonly counted: readonly Ring[] } {
  const arrows = arrowsBetween(productFiles(files), (path) => path);
  const runtime = ringsOf(arrows.filter(({ typeOnly }) => !typeOnly));
  const between = ({ from, to, typeOnly }: Arrow): Arrow => ({ from: folderOf(from), to: folderOf(to), typeOnly });
  const folders = ringsOf(arrows.map(between).filter(({ from, to }) => from !== to));
  // A file that stands beside the folders is found twice, and so is a ring that types do not make longer.
  const others = new Map([...ringsOf(arrows), ...folders].map((ring) => [String(ring), ring]));
  for (const ring of runtime) others.delete(String(ring));
  const isCounted = (ring: Ring): boolean =>
    counting.some((name) => ring.some((path) => path.startsWith(`packages/${name}/`)));
  const rings = [...others.values()];
  return { forbidden: [...runtime, ...rings.filter((ring) => !isCounted(ring))], counted: rings.filter(isCounted) };
}

if (import.meta.main) {
  const { forbidden, counted } = findRings(readProject());
  for (const ring of counted) console.log(`only counted: ${ring.join(', ')}`);
  console.log(`${counted.length} ring(s) only counted, in ${onlyCounted.join(', ') || 'no package'}`);
  const problems = forbidden.map(([path = '', ...others]): Problem => {
    return { path, line: 0, rule: 'cycle', message: `imports itself over ${others.join(', ')}` };
  });
  report('cycles', problems);
}
