// The pages of the documentation site, made of the Markdown files of the repository.
import { posix } from 'node:path';
import type { ProjectFile } from './project.ts';

/** Files outside of docs/ that are pages, and their places. */
const otherPages: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'packages/moorage/README.md': 'packages/moorage.md',
  'packages/api/README.md': 'packages/client.md',
  'packages/device/README.md': 'packages/device.md',
  'packages/module/README.md': 'packages/module.md',
  'clients/python/README.md': 'packages/pytest-moorage.md',
};

/** Where a file of the repository lies on the site; `undefined` for what is no part of it. Those in public/ stay as they are. */
export function placeOf(path: string): string | undefined {
  if (path in otherPages) return otherPages[path];
  const [, inside, isPage] = /^docs\/(.+\.(?:(md|png)|json|yml))$/.exec(path) ?? [];
  if (inside === undefined) return undefined;
  return isPage ? inside.replace(/(^|\/)README\.md$/, '$1index.md') : `public/${inside}`;
}

type Places = ReadonlyMap<string, string>;

/** The page of a folder is that of its README. */
const targetOf = (path: string, places: Places): string | undefined =>
  places.get(path) ?? places.get(posix.join(path, 'README.md'));

/** A link from one place of the site to another, as its builder reads it. */
function written(place: string, target: string, anchor: string | undefined): string {
  if (target.startsWith('public/')) return target.slice('public'.length);
  const relative = posix.relative(posix.dirname(place), target);
  return `${relative.startsWith('.') ? relative : `./${relative}`}${anchor === undefined ? '' : `#${anchor}`}`;
}

const link = /(!?)\[((?:[^[\]]|!?\[[^\]]*\]\([^)]*\))*)\]\(([^)\s]+)\)/g;

/** Links of a line lead to pages of the site; what is in the repository alone is named, without a link. */
function relink(line: string, from: string, places: Places): string {
  return line.replace(link, (whole, picture: string, label: string, to: string) => {
    if (/^([a-z]+:|#)/.test(to)) return whole;
    const [path = '', anchor] = to.split('#');
    const inside = posix.join(posix.dirname(from), path).replace(/\/$/, '');
    const target = targetOf(inside, places);
    const text = relink(label, from, places);
    if (target === undefined) return label.includes('`') ? text : `${text} (\`${inside}\`)`;
    return `${picture}[${text}](${written(places.get(from) ?? '', target, anchor)})`;
  });
}

/** Languages that are shown in colours; the others are names that tests of the guides use. */
const coloured = new Set(['diff', 'js', 'json', 'python', 'sh', 'ts', 'tsx', 'yaml']);

/** The text of a page. Blocks of code stay as they are, but for the words after their language. */
function pageText({ path, text }: ProjectFile, places: Places): string {
  let fence = '';
  const lines = text.split('\n').map((line) => {
    const [, indent = '', mark = '', language = ''] = /^( *)(`{3,})(\w*)/.exec(line) ?? [];
    if (mark === '') return fence === '' ? relink(line, path, places) : line;
    if (fence !== '') {
      if (mark.length >= fence.length) fence = '';
      return line;
    }
    fence = mark;
    return `${indent}${mark}${coloured.has(language) ? language : 'text'}`;
  });
  return lines.join('\n');
}

/** The pages by their places; of what is copied as it is the text is its path. */
export function sitePages(files: readonly ProjectFile[]): ReadonlyMap<string, string> {
  const places = new Map(
    files.flatMap(({ path }) => [[path, placeOf(path) ?? ''] as const]).filter(([, to]) => to !== ''),
  );
  return new Map(
    files.flatMap((file) => {
      const place = places.get(file.path);
      return place === undefined ? [] : [[place, place.endsWith('.md') ? pageText(file, places) : file.path] as const];
    }),
  );
}

export interface SidebarGroup {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

const groups: readonly (readonly [title: string, folder: string])[] = [
  ['Guides', 'guide'],
  ['Packages', 'packages'],
  ['REST API', 'api'],
  ['Reference', 'reference'],
  ['Lists from the code', 'generated'],
  ['Decisions', 'decisions'],
];

const titleOf = (text: string): string => (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');

/** What the side of each page lists: guides in the order in which their page lists them, the rest by title. */
export function sidebarOf(pages: ReadonlyMap<string, string>): SidebarGroup[] {
  const list = pages.get('guide/index.md') ?? '';
  const named = [...list.matchAll(/\]\(\.\/([\w-]+\.md)/g)].map(([, name]) => `guide/${name}`);
  const rank = (place: string): number => (named.includes(place) ? named.indexOf(place) : named.length);
  const item = (place: string) => ({
    text: titleOf(pages.get(place) ?? ''),
    link: `/${place.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`,
  });
  const inFolder = (folder: string) =>
    [...pages.keys()]
      .filter((place) => place.endsWith('.md') && place.startsWith(`${folder}/`))
      .map((place) => ({ ...item(place), rank: place.endsWith('index.md') ? -1 : rank(place) }))
      .sort((one, other) => one.rank - other.rank || one.text.localeCompare(other.text, 'en'))
      .map(({ text, link: to }) => ({ text, link: to }));
  const top = ['index.md', 'architecture.md', 'spec-index.md', 'contributing.md', 'changelog.md'];
  return [
    { text: 'Moorage', collapsed: false, items: top.filter((place) => pages.has(place)).map(item) },
    ...groups.map(([text, folder]) => ({ text, collapsed: folder !== 'guide', items: inFolder(folder) })),
  ];
}
