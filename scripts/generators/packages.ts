import { type Arrow, arrowsBetween, productFiles, reachedFrom, ringsOf } from '../support/import-graph.ts';
import { code, page, table } from '../support/markdown.ts';
import type { ProjectFile } from '../support/project.ts';

interface Picture {
  readonly title: string;
  /** The group of a file; `undefined` for files that the picture leaves out. */
  readonly groupOf: (path: string) => string | undefined;
}

const packageOf = (path: string): string | undefined => /^packages\/([^/]+)\//.exec(path)?.[1];

/** The folders of a package; each file that stands beside them is a group of its own. */
const foldersOf =
  (name: string) =>
  (path: string): string | undefined => {
    if (packageOf(path) !== name) return undefined;
    return path.split('/')[3];
  };

const pictures: readonly Picture[] = [
  { title: 'Packages', groupOf: packageOf },
  { title: 'Folders of the service', groupOf: foldersOf('service') },
  { title: 'Folders of the module', groupOf: foldersOf('module') },
];

/** Levels from the bottom: a group stands above everything that these arrows lead to, rings aside. */
function levelsOf(groups: readonly string[], arrows: readonly Arrow[]): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  const reached = new Map(groups.map((group) => [group, reachedFrom(group, arrows)]));
  const levelOf = (group: string): number => {
    const known = levels.get(group);
    if (known !== undefined) return known;
    const below = [...(reached.get(group) ?? [])].filter((other) => !reached.get(other)?.has(group));
    const level = 1 + Math.max(-1, ...below.map(levelOf));
    levels.set(group, level);
    return level;
  };
  for (const group of groups) levelOf(group);
  return levels;
}

/** The picture: what an arrow shows is left out where another way leads there. */
function mermaid(groups: readonly string[], down: readonly Arrow[], upward: readonly Arrow[]): string {
  const isRing = ({ from, to }: Arrow): boolean => reachedFrom(to, down).has(from);
  const isImplied = ({ from, to }: Arrow): boolean =>
    down.some((other) => other.from === from && other.to !== to && reachedFrom(other.to, down).has(to));
  // A bare name could be a word of the language, such as `end`.
  const key = (name: string): string => `${name.replaceAll(/\W/g, '_')}_`;
  const drawn = down.filter((arrow) => isRing(arrow) || !isImplied(arrow));
  return [
    '```mermaid',
    'flowchart TD',
    ...groups.map((name) => `  ${key(name)}["${name}"]`),
    ...drawn.map(({ from, to, typeOnly }) => `  ${key(from)} ${typeOnly ? '-.->' : '-->'} ${key(to)}`),
    ...upward.map(({ from, to }) => `  ${key(from)} -. upward .-> ${key(to)}`),
    '```',
  ].join('\n');
}

/** A heading and what it found, one line each. */
const findings = (heading: string, found: readonly string[]): string[] =>
  found.length === 0 ? [`${heading}: none.`] : [`${heading}:`, found.map((name) => `- ${name}`).join('\n')];

function draw(files: readonly ProjectFile[], { title, groupOf }: Picture): string[] {
  const arrows = arrowsBetween(files, groupOf);
  const runtime = arrows.filter(({ typeOnly }) => !typeOnly);
  // An arrow of types is upward when what it leads to needs the group that it comes from.
  const upward = arrows.filter(({ from, to, typeOnly }) => typeOnly && reachedFrom(to, arrows).has(from));
  const down = arrows.filter((arrow) => !upward.includes(arrow));
  const groups = [...new Set(files.flatMap(({ path }) => groupOf(path) ?? []))].sort();
  const levels = levelsOf(groups, down);
  const level = (group: string): number => levels.get(group) ?? 0;
  const importsOf = (group: string, typeOnly: boolean): string =>
    arrows.flatMap((arrow) => (arrow.from === group && arrow.typeOnly === typeOnly ? arrow.to : [])).join(', ');
  const rows = groups
    .toSorted((a, b) => level(b) - level(a) || a.localeCompare(b, 'en'))
    .map((group) => [String(level(group)), code(group), importsOf(group, false), importsOf(group, true)]);
  return [
    `## ${title}`,
    mermaid(groups, down, upward),
    table(['level', 'group', 'imports', 'imports types of'], rows),
    ...findings(
      'Rings',
      ringsOf(runtime).map((ring) => ring.join(' ↔ ')),
    ),
    ...findings(
      'Arrows of types that lead upward',
      upward.map(({ from, to }) => `${from} → ${to}`),
    ),
  ];
}

/** docs/generated/packages.md: who imports whom, from the imports themselves. */
export function renderPackages(files: readonly ProjectFile[]): string {
  const sources = productFiles(files);
  return page(
    'Packages and their folders',
    'Made from the imports of the sources, tests left out. A solid arrow is an import that is left at run time, a dotted one of types alone. An arrow of types leads upward when what it leads to needs the group that it comes from; a run-time arrow that led upward would be part of a ring. A group stands one level above everything that its other arrows lead to. The pictures leave an arrow out where another way leads there; the tables have all.',
    ...pictures.flatMap((picture) => draw(sources, picture)),
  );
}
