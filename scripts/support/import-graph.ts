import { posix } from 'node:path';
import { packageEntries } from '../boundaries.ts';
import { isTestFile, isTestSupport, type ProjectFile } from './project.ts';
import { importsOf, parse } from './source.ts';

/** One group of files that imports another: at run time, or types alone. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** The file that an import leads to; `undefined` for packages and Node modules. */
export function targetOf(path: string, specifier: string): string | undefined {
  // A package may read its own description, which is no code.
  if (specifier.endsWith('.json')) return undefined;
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  const entry = packageEntries[specifier];
  if (entry) return entry;
  const inside = /^@moorage\/([^/]+)\/(.+)$/.exec(specifier);
  return inside ? `packages/${inside[1]}/src/${inside[2]}.ts` : undefined;
}

/** Sources that a program runs, without tests and what supports them. */
export const productFiles = (files: readonly ProjectFile[]): ProjectFile[] =>
  files.filter(
    ({ path }) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !isTestFile(path) && !isTestSupport(path),
  );

/** Folders that are floors or shelves: what lies in them is looked at one by one. */
const shelf = /^packages\/(console\/src\/views|service\/src\/(engine|core|extensions))\//;

/** The folder of a file: one of its package's sources, or of a shelf in them; a file that stands beside folders is its own. */
export const folderOf = (path: string): string =>
  path
    .split('/')
    .slice(0, shelf.test(path) ? 5 : 4)
    .join('/');

/**
 * The arrows between groups of files, one for each pair: types alone when no import of the pair is left at run time.
 * Files that `groupOf` gives no group are left out.
 */
export function arrowsBetween(
  files: readonly ProjectFile[],
  groupOf: (path: string) => string | undefined,
): readonly Arrow[] {
  const found = new Map<string, Arrow>();
  for (const file of files) {
    const from = groupOf(file.path);
    for (const { specifier, typeOnly } of from === undefined ? [] : importsOf(parse(file))) {
      const target = targetOf(file.path, specifier);
      const to = target === undefined ? undefined : groupOf(target);
      if (from === undefined || to === undefined || from === to) continue;
      const key = `${from} ${to}`;
      found.set(key, { from, to, typeOnly: typeOnly && (found.get(key)?.typeOnly ?? true) });
    }
  }
  return [...found.values()].sort((a, b) => `${a.from} ${a.to}`.localeCompare(`${b.from} ${b.to}`, 'en'));
}

/** Everything that can be reached from a group along these arrows; itself only when a ring leads back. */
export function reachedFrom(start: string, arrows: readonly Arrow[]): ReadonlySet<string> {
  const byFrom = Map.groupBy(arrows, ({ from }) => from);
  const reached = new Set<string>();
  const open = [start];
  for (let group = open.pop(); group !== undefined; group = open.pop()) {
    for (const { to } of byFrom.get(group) ?? []) {
      if (reached.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  }
  return reached;
}

/** Groups that reach each other, each ring sorted; none when no arrow leads back. */
export function ringsOf(arrows: readonly Arrow[]): readonly (readonly string[])[] {
  const groups = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].sort();
  const reached = new Map(groups.map((group) => [group, reachedFrom(group, arrows)]));
  const rings = groups
    .filter((group) => reached.get(group)?.has(group))
    .map((group) => groups.filter((other) => reached.get(group)?.has(other) && reached.get(other)?.has(group)));
  return [...new Map(rings.map((ring) => [ring.join(' '), ring])).values()];
}
