// House rules that neither the compiler nor the linter knows: sizes, marks, names, docstrings, links.
import { posix } from 'node:path';
import ts from 'typescript';
import { anchorsOf } from './support/markdown.ts';
import { isTestFile, isTestSupport, type Problem, type ProjectFile, readProject, report } from './support/project.ts';
import { calledName, commentsOf, lineOf, linesOf, parse, visitAll } from './support/source.ts';

const maxFunctionLines = 70;
const maxFileLines = 400;

/** Files of pure data may be as long as their table, and why. */
const dataFiles: Readonly<Record<string, string>> = {
  'scripts/boundaries.ts': 'the table of who may import whom',
  'packages/service/src/engine/settings/settings.ts': 'the table of the settings, and what they have to be together',
  'packages/console/src/texts/device.ts': 'the texts of the views of a device, in two languages',
};

/** Names that others fix: they need not be kebab-case. */
const fixedNames = new Set([
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'CONTRIBUTING.md',
  '.npmrc',
  '.gitignore',
  'Chart.yaml',
]);
/** Golden dialogues carry the names of commands and variables, which have underscores. */
const wireNamedFolders = ['packages/module/test/'];

// Put together from parts, so that this file does not break its own rules.
const openMarks = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`);
const machinePath = new RegExp(`(^|[^\\w.~-])/(${['home', 'Users', 'root', 'work', 'mnt'].join('|')})/[\\w.-]`);
const registryHost = /https?:\/\/[\w.-]*(registry|artifactory|nexus|jfrog|verdaccio|npmjs)[\w.-]*/;

type Rule = (file: ProjectFile) => Problem[];

const problem = (file: ProjectFile, line: number, rule: string, message: string): Problem => ({
  path: file.path,
  line,
  rule,
  message,
});

const isScript = (file: ProjectFile): boolean => /\.(ts|tsx|mjs)$/.test(file.path);

/** A rule on text, line by line. */
const lineRule =
  (rule: string, pattern: RegExp, message: string): Rule =>
  (file) =>
    file.text
      .split('\n')
      .flatMap((text, index) => (pattern.test(text) ? [problem(file, index + 1, rule, message)] : []));

const machinePaths = lineRule('machine-path', machinePath, 'path of one machine');
const registryHosts = lineRule('registry-host', registryHost, 'address of a package registry');

const fileSizes: Rule = (file) => {
  const lines = file.text.split('\n').length - 1;
  if (!isScript(file) || lines <= maxFileLines || dataFiles[file.path]) return [];
  return [problem(file, 0, 'file-size', `${lines} lines, ${maxFileLines} at most`)];
};

const fileNames: Rule = (file) => {
  const name = posix.basename(file.path);
  if (fixedNames.has(name) || wireNamedFolders.some((folder) => file.path.startsWith(folder))) return [];
  return /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/.test(name)
    ? []
    : [problem(file, 0, 'file-name', 'name is not in kebab-case')];
};

const marks: Rule = (file) => {
  const places = isScript(file)
    ? commentsOf(parse(file)).flatMap(({ line, text }) =>
        text.split('\n').map((part, index) => ({ line: line + index, text: part })),
      )
    : file.text.split('\n').map((text, index) => ({ line: index + 1, text }));
  return places
    .filter(({ text }) => openMarks.test(text))
    .map(({ line }) => problem(file, line, 'open-mark', 'open end; finish it, or write a page in docs/decisions'));
};

type FunctionNode =
  | ts.FunctionDeclaration
  | ts.FunctionExpression
  | ts.ArrowFunction
  | ts.MethodDeclaration
  | ts.ConstructorDeclaration
  | ts.AccessorDeclaration;

const isFunction = (node: ts.Node): node is FunctionNode =>
  ts.isFunctionDeclaration(node) ||
  ts.isFunctionExpression(node) ||
  ts.isArrowFunction(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isConstructorDeclaration(node) ||
  ts.isAccessor(node);

/** A `describe` only groups tests; each test in it is counted by itself. */
const isTestGroup = (node: ts.Node): boolean =>
  ts.isCallExpression(node.parent) && /^(describe|eachDatabase|each[A-Z]\w*)\b/.test(calledName(node.parent));

const functionSizes: Rule = (file) => {
  const source = parse(file);
  const found: Problem[] = [];
  visitAll(source, (node) => {
    if (!isFunction(node) || !node.body || isTestGroup(node)) return;
    const lines = linesOf(source, node);
    if (lines <= maxFunctionLines) return;
    found.push(problem(file, lineOf(source, node), 'function-size', `${lines} lines, ${maxFunctionLines} at most`));
  });
  return found;
};

const anyTypes: Rule = (file) => {
  const source = parse(file);
  const found: Problem[] = [];
  visitAll(source, (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(problem(file, lineOf(source, node), 'any', 'type `any`'));
  });
  return found;
};

const focusedTests: Rule = (file) => {
  const source = parse(file);
  const found: Problem[] = [];
  visitAll(source, (node) => {
    if (!ts.isPropertyAccessExpression(node) || node.name.text !== 'only') return;
    if (/^(it|test|describe|suite)\b/.test(calledName(node.expression)))
      found.push(problem(file, lineOf(source, node), 'only', 'all other tests of the file are switched off'));
  });
  return found;
};

/** Names that make a test fail: assertions, waits of the browser, and the helpers of other files that assert. */
const assertion = /^(expect|assert|waitFor)|^(check|inspect)$/;

/** Bodies of the functions, methods and values that a file gives a name. */
function namedParts(source: ts.SourceFile): ReadonlyMap<string, ts.Node> {
  const parts = new Map<string, ts.Node>();
  visitAll(source, (node) => {
    if (!ts.isFunctionDeclaration(node) && !ts.isMethodDeclaration(node) && !ts.isVariableDeclaration(node)) return;
    if (node.name && ts.isIdentifier(node.name)) parts.set(node.name.text, node);
  });
  return parts;
}

/** Whether anything below a node asserts, also by way of what the file names. */
function asserts(node: ts.Node, parts: ReadonlyMap<string, ts.Node>, seen: Set<ts.Node> = new Set()): boolean {
  if (seen.has(node)) return false;
  seen.add(node);
  if (ts.isIdentifier(node)) {
    const part = parts.get(node.text);
    return assertion.test(node.text) || (part !== undefined && asserts(part, parts, seen));
  }
  return ts.forEachChild(node, (child) => asserts(child, parts, seen) || undefined) ?? false;
}

const emptyTests: Rule = (file) => {
  if (!file.path.endsWith('.test.ts')) return [];
  const source = parse(file);
  const parts = namedParts(source);
  const found: Problem[] = [];
  visitAll(source, (node) => {
    if (!ts.isCallExpression(node) || !/^(it|test)\b(?!\.skip)/.test(calledName(node))) return;
    const run = node.arguments.find(isFunction);
    if (run && !asserts(run, parts)) found.push(problem(file, lineOf(source, node), 'empty-test', 'asserts nothing'));
  });
  return found;
};

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** An exported function: the statement that carries the docstring, and the function. */
interface ExportedFunction {
  readonly statement: ts.Node;
  readonly name: string;
  readonly body: FunctionNode;
}

function exportedFunctions(source: ts.SourceFile): ExportedFunction[] {
  return source.statements.flatMap((statement): ExportedFunction[] => {
    if (!isExported(statement)) return [];
    if (ts.isFunctionDeclaration(statement)) return [{ statement, name: statement.name?.text ?? '', body: statement }];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      initializer && isFunction(initializer) ? [{ statement, name: name.getText(source), body: initializer }] : [],
    );
  });
}

/** A function of one statement or expression says what it does by its name and types. */
const isSelfExplaining = ({ body }: FunctionNode): boolean => !body || !ts.isBlock(body) || body.statements.length < 2;

const isDescribedOverload = (node: ts.Statement, name: string): boolean =>
  ts.isFunctionDeclaration(node) &&
  node.name?.text === name &&
  !node.body &&
  ts.getJSDocCommentsAndTags(node).length > 0;

const docstrings: Rule = (file) => {
  if (!/^packages\/[^/]+\/src\//.test(file.path) || isTestSupport(file.path)) return [];
  const source = parse(file);
  return (
    exportedFunctions(source)
      .filter(({ statement, body }) => !isSelfExplaining(body) && ts.getJSDocCommentsAndTags(statement).length === 0)
      // The docstrings of an overloaded function stand at its overloads.
      .filter(({ name }) => !source.statements.some((other) => isDescribedOverload(other, name)))
      .map(({ statement, name }) =>
        problem(file, lineOf(source, statement), 'docstring', `exported function ${name} has no docstring`),
      )
  );
};

/** Relative links of Markdown files must lead to a file or folder of the repository, and to an anchor of it if they name one. */
export function findBrokenLinks(files: readonly ProjectFile[]): Problem[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const folders = new Set(
    [...texts.keys()].flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))),
  );
  const anchors = new Map<string, ReadonlySet<string>>();
  const hasAnchor = (path: string, anchor: string): boolean => {
    const known = anchors.get(path) ?? anchorsOf(texts.get(path) ?? '');
    anchors.set(path, known);
    return known.has(anchor);
  };
  const leads = (from: string, link: string): boolean => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? from : posix.join(posix.dirname(from), path).replace(/\/$/, '');
    if (!texts.has(target) && !folders.has(target)) return false;
    return anchor === undefined || !target.endsWith('.md') || hasAnchor(target, decodeURIComponent(anchor));
  };
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap((file) =>
      file.text.split('\n').flatMap((text, index) =>
        [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
          if (/^[a-z]+:/.test(link) || leads(file.path, link)) return [];
          return [problem(file, index + 1, 'link', `"${link}" leads nowhere`)];
        }),
      ),
    );
}

/** Paths that pages name must be there, save what is built and the files that a guide has its reader make. */
export function findUnknownPaths(files: readonly ProjectFile[]): Problem[] {
  const paths = files.map(({ path }) => path);
  const folders = paths.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(0, at).join('/')));
  const known = new Set([...paths, ...folders]);
  return files
    .filter(({ path }) => path.endsWith('.md') && !path.startsWith('docs/generated/'))
    .flatMap((file) =>
      file.text
        .split('\n')
        .flatMap((text, index) =>
          [...text.matchAll(/`((?:packages|scripts|docs|e2e|bench)\/[\w./-]+)`/g)].flatMap(([, path = '']) =>
            known.has(path.replace(/\/$/, '')) || path.endsWith('/dist') || file.text.includes(` file=${path}\n`)
              ? []
              : [problem(file, index + 1, 'path', `"${path}" is not there`)],
          ),
        ),
    );
}

const everyFile: readonly Rule[] = [machinePaths, registryHosts, fileSizes, fileNames, marks];
const everyScript: readonly Rule[] = [functionSizes, anyTypes, focusedTests, emptyTests];

/** Breaches of the house rules in these files. */
export function findTidyProblems(files: readonly ProjectFile[]): Problem[] {
  const own = files.flatMap((file) => [
    ...everyFile.flatMap((rule) => rule(file)),
    ...(isScript(file) ? everyScript.flatMap((rule) => rule(file)) : []),
    ...(isScript(file) && !isTestFile(file.path) ? docstrings(file) : []),
  ]);
  return [...own, ...findBrokenLinks(files), ...findUnknownPaths(files)];
}

if (import.meta.main) report('tidy', findTidyProblems(readProject()));
