import { isTestFile, isTestSupport, type Problem, type ProjectFile } from './support/project.ts';

/** One row of docs/spec-index.md. */
export interface Requirement {
  readonly id: string;
  readonly text: string;
  readonly source: string;
}

/** Where an id stands. */
export interface Place {
  readonly path: string;
  readonly line: number;
}

/** What the tables say beyond the ids in the text: both by id. */
export interface TableFacts {
  /** Implemented by an entry of a table, and where the entry is. */
  readonly implemented: ReadonlyMap<string, Place>;
  /** Declared, but without an effect: never implemented, whatever mentions it. */
  readonly inert: ReadonlyMap<string, string>;
  /** Beginnings of ids that only an entry of a table implements: a mention elsewhere does not. */
  readonly families: readonly string[];
}

export interface Coverage {
  readonly requirement: Requirement;
  readonly implemented: readonly Place[];
  readonly proven: readonly Place[];
  /** Why it has no effect, where a table says so. */
  readonly inert: string | undefined;
}

/** The requirements of the index, in its order. Throws when an id stands there twice: that is a mistake in the index. */
export function parseIndex(text: string): Requirement[] {
  const rows = [...text.matchAll(/^\| `([^`]+)` \| (.*?) \| ([^|]*) \|$/gm)].map(
    ([, id = '', requirement = '', source = '']): Requirement => ({ id, text: requirement, source: source.trim() }),
  );
  const seen = new Set<string>();
  for (const { id } of rows) {
    if (seen.has(id)) throw new Error(`Id ${id} stands twice in the spec index`);
    seen.add(id);
  }
  return rows;
}

export interface Mention {
  readonly id: string;
  readonly line: number;
  /** `MOD-VAR-*`: all ids that begin so, and none of them by itself. */
  readonly family: boolean;
}

const idPattern = /\b(?:API|MOD)-[A-Z]+-(?:[A-Za-z0-9_.-]*\*|[A-Za-z0-9_.-]*[A-Za-z0-9_])/g;

/** The ids in a text. An id ends where no letter, digit, underscore, inner dot or inner hyphen follows. */
export const findIds = (text: string): Mention[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(idPattern)].map(([id]) =>
        id.endsWith('*')
          ? { id: id.slice(0, -1), line: index + 1, family: true }
          : { id, line: index + 1, family: false },
      ),
    );

const isSource = (path: string): boolean =>
  (/^packages\/[^/]+\/src\//.test(path) || path.startsWith('bin/')) && !isTestFile(path) && !isTestSupport(path);

const isProof = (path: string): boolean => isTestFile(path) && !path.startsWith('scripts/');

/** First place in each file where an id stands, by id. A family is no id. */
function collect(files: readonly ProjectFile[]): ReadonlyMap<string, readonly Place[]> {
  const found = new Map<string, Place[]>();
  for (const { path, text } of files) {
    for (const { id, line, family } of findIds(text)) {
      const places = found.get(id) ?? [];
      if (!family && places.at(-1)?.path !== path) found.set(id, [...places, { path, line }]);
    }
  }
  return found;
}

const onePerFile = (places: readonly Place[]): Place[] => [
  ...new Map(places.map((place) => [place.path, place] as const)).values(),
];

/** Calls that a plugin answers, without an entry in the contract. */
const outsideContract: readonly string[] = ['API-EP-GET-openapi.json', 'API-EP-GET-docs'];

/**
 * Where each requirement is implemented and proven. Only the exact id counts: a test that walks a whole table does not
 * show what each row does.
 */
export function coverRequirements(
  requirements: readonly Requirement[],
  files: readonly ProjectFile[],
  facts: TableFacts,
): Coverage[] {
  const sources = collect(files.filter(({ path }) => isSource(path)));
  const tests = collect(files.filter(({ path }) => isProof(path)));
  return requirements.map((requirement) => {
    const { id } = requirement;
    const inert = facts.inert.get(id);
    const entry = facts.implemented.get(id);
    const needsEntry = facts.families.some((family) => id.startsWith(family)) && !outsideContract.includes(id);
    const built = inert === undefined && (entry !== undefined || !needsEntry);
    const implemented = built ? [...(entry ? [entry] : []), ...(sources.get(id) ?? [])] : [];
    const proven = implemented.length ? (tests.get(id) ?? []) : [];
    return { requirement, inert, implemented: onePerFile(implemented), proven };
  });
}

export const isSpecIndex = (path: string): boolean => path === 'docs/spec-index.md';

/**
 * Pages that people write. The index shows families of ids, generated pages come from what is checked, and the examples
 * of guides to adding something have ids that their reader adds.
 */
const isPage = (path: string): boolean =>
  path.endsWith('.md') && !isSpecIndex(path) && !/^docs\/(generated\/|guide\/add-)/.test(path);

/** Ids in sources, tests and pages that the index does not have. */
export function findUnknownIds(requirements: readonly Requirement[], files: readonly ProjectFile[]): Problem[] {
  const known = requirements.map(({ id }) => id);
  const exact = new Set(known);
  return files
    .filter(({ path }) => isSource(path) || isProof(path) || isPage(path))
    .flatMap(({ path, text }) =>
      findIds(text)
        .filter(({ id, family }) => (family ? !known.some((other) => other.startsWith(id)) : !exact.has(id)))
        .map(({ id, line }) => ({ path, line, rule: 'spec-id', message: `${id} is not in docs/spec-index.md` })),
    );
}

/** Families in tests, which look like proof of each of their ids. */
export const findFamiliesInTests = (files: readonly ProjectFile[]): Problem[] =>
  files
    .filter(({ path }) => isProof(path))
    .flatMap(({ path, text }) =>
      findIds(text)
        .filter(({ family }) => family)
        .map(({ id, line }) => ({ path, line, rule: 'spec-family', message: `${id}* proves no id: name each` })),
    );
