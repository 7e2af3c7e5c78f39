import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** One text file: path from the top folder with forward slashes, and content. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/** Something that a check does not accept, and which rule it breaks. */
export interface Problem {
  readonly path: string;
  /** Counted from 1; 0 when the whole file is meant. */
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

const skippedFolders = new Set(['node_modules', '.git', '.temp', 'coverage', 'dist']);
/** What pip leaves beside the sources that it installs. */
const isLeftByPip = (path: string): boolean =>
  path.endsWith('.egg-info') || path === join(root, 'clients/python/build');
/** What `npm start` keeps beside the sources. */
const runtimeFolder = join(root, 'data');
const textEndings =
  /\.(ts|tsx|mjs|js|json|md|yml|yaml|html|css|sql|txt|sh|script|toml)$|(^|\/)(moorage|run|LICENSE|\.npmrc|\.gitignore)$/;
/** Pages link to them; there is nothing in them to check. */
const isPicture = (path: string): boolean => /^docs\/pictures\/.*\.png$/.test(path);

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skippedFolders.has(entry.name) && path !== runtimeFolder && !isLeftByPip(path)) yield* walk(path);
    } else if (entry.isFile()) yield path;
  }
}

/** Every text file of the repository and, without content, every picture of its pages, sorted by path. */
export function readProject(): ProjectFile[] {
  return [...walk(root)]
    .map((path) => relative(root, path).split(sep).join('/'))
    .filter((path) => textEndings.test(path) || isPicture(path))
    .sort()
    .map((path) => ({ path, text: isPicture(path) ? '' : readFileSync(join(root, path), 'utf8') }));
}

export const isTestFile = (path: string): boolean =>
  /\.test\.ts$/.test(path) || /^packages\/[^/]+\/test\//.test(path) || /^e2e\//.test(path);

/** Files that only tests use, but that hold no tests themselves. */
export const isTestSupport = (path: string): boolean => /^packages\/[^/]+\/src\/testing\//.test(path);

/** `file:line  rule  message`, as editors recognise it. */
const formatProblem = (problem: Problem): string =>
  `${problem.path}${problem.line ? `:${problem.line}` : ''}  ${problem.rule}  ${problem.message}`;

/** Prints the problems of a check and sets the exit code of the process. */
export function report(check: string, problems: readonly Problem[]): void {
  for (const problem of problems) console.log(formatProblem(problem));
  console.log(problems.length ? `${check}: ${problems.length} problem(s)` : `${check}: nothing found`);
  if (problems.length) process.exitCode = 1;
}
