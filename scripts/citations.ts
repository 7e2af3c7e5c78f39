import { isSpecIndex, type Requirement } from './coverage.ts';
import { anchorsOf } from './support/markdown.ts';
import type { Problem, ProjectFile } from './support/project.ts';

/** Everything that a citation can name. */
interface Known {
  /** Anchors of each page of docs/reference, by its name without ending. */
  readonly pages: ReadonlyMap<string, ReadonlySet<string>>;
  readonly paths: ReadonlySet<string>;
}

const pageOf = (path: string): string | undefined => /^docs\/reference\/([a-z-]+)\.md$/.exec(path)?.[1];

const clause = '(?:[a-z][a-z-]* )?\\d+(?:\\.\\d+)*';
/** `wire 3.2, 3.4, channel 2.1`: a clause without a page is of the page before it. */
const clauses = `[a-z][a-z-]* \\d+(?:\\.\\d+)*(?:, ${clause})*`;

const cited = new RegExp(`\\bReference:(?: (${clauses})(,(?=\\s*$))?)?`, 'g');
const onlyClauses = new RegExp(`^${clauses}$`);
/** Numbers without the form: nothing would notice when they lead nowhere. */
const loose = /\b(?:references? (?:[a-z-]+ )?\d|reference\/[a-z-]+ )/i;
/** A page by its path from the top folder, as code cites decisions. */
const pagePath = /(?<![\w./-])docs\/[\w./-]+\.md\b/g;

/** What is wrong with a list of clauses; nothing when each of them is there. */
function unknownClauses(list: string, { pages }: Known): string[] {
  const problems: string[] = [];
  let page = '';
  for (const item of list.split(', ')) {
    const [first = '', second] = item.split(' ');
    if (second !== undefined) page = first;
    const anchors = pages.get(page);
    const number = second ?? first;
    if (!anchors) problems.push(`docs/reference has no page "${page}"`);
    else if (!anchors.has(number)) problems.push(`docs/reference/${page}.md has no clause ${number}`);
  }
  return problems;
}

/** What is wrong with the citations of one line. */
function lineProblems(text: string, known: Known): string[] {
  const problems = [...text.matchAll(cited)].flatMap(([, list, more]) => {
    if (list === undefined) return ['a citation reads "Reference: page 1.2"'];
    return [...unknownClauses(list, known), ...(more ? ['a citation stands on one line'] : [])];
  });
  if (loose.test(text)) problems.push('cite a clause as "Reference: page 1.2"');
  for (const [path] of text.matchAll(pagePath)) if (!known.paths.has(path)) problems.push(`there is no ${path}`);
  return problems;
}

/** The sources of the spec index that name clauses; a section of a specification has a name instead of a number. */
const indexProblems = (file: ProjectFile, requirements: readonly Requirement[], known: Known): Problem[] =>
  requirements.flatMap(({ id, source }) => {
    if (!/^[a-z][a-z-]*( \d|$)/.test(source)) return [];
    const problems = onlyClauses.test(source) ? unknownClauses(source, known) : [`"${source}" is no list of clauses`];
    const line = file.text.slice(0, file.text.indexOf(`| \`${id}\` |`)).split('\n').length;
    return problems.map((message) => ({ path: file.path, line, rule: 'citation', message }));
  });

/** Clauses whose anchor is not their number, or that stand twice in their page. */
function clauseProblems({ path, text }: ProjectFile): Problem[] {
  const seen = new Set<string>();
  return text.split('\n').flatMap((line, index) => {
    const heading = /^#{2,} (?:<a id="([^"]*)"><\/a>)?(\d+(?:\.\d+)*) /.exec(line);
    if (!heading) return [];
    const [, anchor, number = ''] = heading;
    const problem = (message: string) => [{ path, line: index + 1, rule: 'citation', message }];
    if (anchor !== number) return problem(`clause ${number} needs the anchor "${number}"`);
    if (seen.has(number)) return problem(`clause ${number} stands twice`);
    seen.add(number);
    return [];
  });
}

/** What cites: not the tests of the scripts, whose files are made up. */
const speaks = ({ path }: ProjectFile): boolean =>
  /\.(ts|tsx|mjs|md|txt)$/.test(path) && !/^scripts\/[^/]+\.test\.ts$/.test(path) && path !== 'scripts/citations.ts';

/**
 * Citations that lead nowhere: of clauses of docs/reference in code, tests and pages (docs/reference/README.md has the
 * form), of pages by path, and the sources of the spec index.
 */
export function findBrokenCitations(files: readonly ProjectFile[], requirements: readonly Requirement[]): Problem[] {
  const known: Known = {
    pages: new Map(
      files.flatMap(({ path, text }) => {
        const page = pageOf(path);
        return page === undefined ? [] : [[page, anchorsOf(text)] as const];
      }),
    ),
    paths: new Set(files.map(({ path }) => path)),
  };
  return files
    .filter(speaks)
    .flatMap((file) => [
      ...file.text
        .split('\n')
        .flatMap((text, index) =>
          lineProblems(text, known).map((message) => ({ path: file.path, line: index + 1, rule: 'citation', message })),
        ),
      ...(pageOf(file.path) === undefined ? [] : clauseProblems(file)),
      ...(isSpecIndex(file.path) ? indexProblems(file, requirements, known) : []),
    ]);
}
