// Writes the packages that are published: JavaScript with declarations and source maps, each complete in itself but for
// what it takes from npm.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { build as bundle } from 'rolldown';
import ts from 'typescript';
import type { Published } from '../packages.ts';
import { targetOf } from './import-graph.ts';
import { noticesOf } from './notices.ts';
import { root } from './project.ts';

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const manifestAt = (path: string): Manifest => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));

/** Where a source lies in a package: the folders stay as they are, so that what is beside a file stays there too. */
const placeOf = (source: string): string => source.replace(/^packages\//, 'lib/').replace(/\.ts$/, '.js');

/** Literals of a file that name another one: imports, types of imports, and files beside it that start as workers. */
function namesIn(source: ts.SourceFile): ts.StringLiteral[] {
  const found: ts.StringLiteral[] = [];
  const visit = (node: ts.Node): void => {
    const named =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
            ? node.argument.literal
            : ts.isNewExpression(node) && node.expression.getText(source) === 'URL'
              ? node.arguments?.[0]
              : undefined;
    if (named && ts.isStringLiteral(named)) found.push(named);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The source that a literal of another names, from the top folder; `undefined` for packages, JSON and other files. */
function sourceNamed(from: string, { text, parent }: ts.StringLiteral): string | undefined {
  if (ts.isNewExpression(parent)) return text.endsWith('.ts') ? posix.join(posix.dirname(from), text) : undefined;
  return targetOf(from, text);
}

interface Part {
  readonly path: string;
  readonly source: ts.SourceFile;
}

const parsePart = (path: string, text: string): Part => ({
  path,
  source: ts.createSourceFile(path, text, ts.ScriptTarget.ES2024, true),
});

/** The sources that a package is made of, and the packages from npm that these import. */
export function partsOf({ entries, roots = [] }: Published) {
  const parts = new Map<string, Part>();
  const external = new Set<string>();
  const open = [...Object.values(entries), ...roots];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (parts.has(path)) continue;
    const part = parsePart(path, readFileSync(join(root, path), 'utf8'));
    parts.set(path, part);
    for (const name of namesIn(part.source)) {
      const target = sourceNamed(path, name);
      if (target !== undefined) open.push(target);
      else if (!ts.isNewExpression(name.parent) && !/^(\.|node:)/.test(name.text))
        external.add(name.text.split('/', name.text.startsWith('@') ? 2 : 1).join('/'));
    }
  }
  return { parts: [...parts.values()], external };
}

/** The text of a source whose names lead to where the others lie in the package. */
function relocated({ path, source }: Part): string {
  let { text } = source;
  for (const name of namesIn(source).reverse()) {
    const target = sourceNamed(path, name);
    if (target === undefined) continue;
    const relative = posix.relative(posix.dirname(placeOf(path)), placeOf(target));
    const written = relative.startsWith('.') ? relative : `./${relative}`;
    text = `${text.slice(0, name.getStart(source) + 1)}${written}${text.slice(name.getEnd() - 1)}`;
  }
  return text;
}

const emitted: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  sourceMap: true,
  inlineSources: true,
};

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function writeScripts(folder: string, parts: readonly Part[]): void {
  for (const part of parts) {
    const place = join(folder, placeOf(part.path));
    const fileName = posix.basename(part.path);
    const { outputText, sourceMapText } = ts.transpileModule(relocated(part), { compilerOptions: emitted, fileName });
    write(place, outputText);
    write(`${place}.map`, sourceMapText ?? '');
  }
}

/** The declarations of all that can be reached from these sources, by the path of each. It takes a while. */
function declarationsOf(entries: readonly string[]): ReadonlyMap<string, string> {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: entries }, ts.sys, root);
  const program = ts.createProgram(
    entries.map((path) => join(root, path)),
    { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true },
  );
  const found = new Map<string, string>();
  const { emitSkipped, diagnostics } = program.emit(undefined, (_name, text, _bom, _failed, sources) => {
    found.set(posix.relative(root, sources?.[0]?.fileName ?? ''), text);
  });
  if (emitSkipped) throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options)));
  return found;
}

/** What sources read from beside them: their own version, and files that are no code. */
function copyAssets(folder: string, parts: readonly Part[]): void {
  const workspaces = new Set(parts.map(({ path }) => path.split('/', 2).join('/')));
  for (const workspace of workspaces) {
    const { name, version } = manifestAt(workspace) as Manifest & { readonly name: string };
    write(join(folder, placeOf(workspace), 'package.json'), JSON.stringify({ name, version, type: 'module' }));
  }
  for (const source of new Set(parts.map(({ path }) => posix.dirname(path)))) {
    const pages = join(root, source, 'pages');
    if (existsSync(pages)) cpSync(pages, join(folder, placeOf(source), 'pages'), { recursive: true });
  }
}

/** The exact versions that the clone is tested with. */
function versionsOf(external: ReadonlySet<string>): Record<string, string> {
  const known = new Map<string, string>();
  for (const name of readdirSync(join(root, 'packages')))
    for (const entry of Object.entries(manifestAt(`packages/${name}`).dependencies ?? {})) known.set(...entry);
  const found = [...external].sort().map((name) => [name, known.get(name)] as const);
  for (const [name, version] of found) if (version === undefined) throw new Error(`${name} is in no package.json`);
  return Object.fromEntries(found) as Record<string, string>;
}

/** The launcher's: it starts a newer Node, which is an optional dependency. */
const startsUnder = { node: '>=20.19' };
/** Built-in parts of Node that the libraries use. */
const runsUnder = { node: '>=22.18' };

function describePackage(one: Published, external: ReadonlySet<string>): object {
  const entry = (source: string) => {
    const place = `./${placeOf(source)}`;
    return { types: place.replace(/\.js$/, '.d.ts'), default: place };
  };
  const exported = Object.entries(one.entries).map(([name, source]) => [name, entry(source)]);
  return {
    name: one.name,
    version: manifestAt(`packages/${one.workspace}`).version,
    description: one.description,
    license: 'MIT',
    type: 'module',
    ...(one.roots
      ? {
          bin: { moorage: './bin/moorage.mjs' },
          engines: startsUnder,
          optionalDependencies: manifestAt('.').optionalDependencies,
        }
      : {
          exports: { ...Object.fromEntries(exported), './package.json': './package.json' },
          engines: runsUnder,
          sideEffects: false,
        }),
    dependencies: versionsOf(external),
  };
}

/** Packages that read files beside themselves, or are built for one machine: the program takes them from npm. */
const notBundled = ['@fastify/swagger', '@fastify/swagger-ui', '@lydell/node-pty'];
/** What others would use if it were there. */
const absent = ['pg-native', 'bufferutil', 'utf-8-validate'];
/** Where the program's files lie: as deep as in a clone, with the console beside them in the same way. */
const programFolder = 'lib/moorage/src';

interface SourceMapText {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly (string | null)[];
}

/** A source map that keeps the text of our sources alone: that of others is a third of the package, and on npm. */
function withoutOthersSources(text: string): string {
  const map: SourceMapText = JSON.parse(text);
  const sourcesContent = map.sourcesContent.map((content, at) =>
    map.sources[at]?.includes('node_modules/') ? null : content,
  );
  return JSON.stringify({ ...map, sourcesContent });
}

/** One file for each part that starts by itself and each that is loaded when it is needed, with all that they use from npm. */
async function writeProgram(folder: string, roots: readonly string[]): Promise<void> {
  const lib = join(folder, programFolder);
  await bundle({
    input: roots.map((path) => join(root, path)),
    platform: 'node',
    external: [...notBundled, ...absent],
    output: {
      dir: lib,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      keepNames: true,
      sourcemap: true,
    },
  });
  for (const name of readdirSync(lib)) {
    const text = () => readFileSync(join(lib, name), 'utf8');
    if (name.endsWith('.map')) writeFileSync(join(lib, name), withoutOthersSources(text()));
    // Of the same length, so that the source maps hold.
    if (name.endsWith('.js'))
      writeFileSync(
        join(lib, name),
        text().replace(/(new URL\(["'`][^"'`]+)\.ts(?=["'`],\s*import\.meta\.url)/g, '$1.js'),
      );
  }
  cpSync(join(root, 'packages/module/src/web/pages'), join(lib, 'pages'), { recursive: true });
  cpSync(join(root, 'packages/console/dist'), join(folder, 'lib/console/dist'), { recursive: true });
  write(join(folder, 'bin', 'moorage.mjs'), readFileSync(join(root, 'scripts', 'installed.mjs'), 'utf8'));
  cpSync(join(root, 'scripts', 'runtime.mjs'), join(folder, 'bin', 'runtime.mjs'));
}

/** Declarations are left out where none are given: they take longer than all the rest. */
function writeLibrary(folder: string, parts: readonly Part[], declarations?: ReadonlyMap<string, string>): void {
  writeScripts(folder, parts);
  for (const { path } of declarations ? parts : []) {
    const declared = parsePart(path, declarations?.get(path) ?? '');
    write(join(folder, placeOf(path).replace(/\.js$/, '.d.ts')), relocated(declared));
  }
  copyAssets(folder, parts);
}

/** The folder of a package in `dist/`. */
export const folderOf = ({ name }: Published): string => join(root, 'dist', name.replace('@moorage/', ''));

/** The declarations of all libraries of these packages. */
export function libraryDeclarations(packages: readonly Published[]): ReadonlyMap<string, string> {
  const libraries = packages.filter(({ roots }) => !roots);
  // All of them by name: what is found through a package's name alone counts as another's, and has no declarations made.
  return declarationsOf([...new Set(libraries.flatMap((one) => partsOf(one).parts.map(({ path }) => path)))]);
}

/** Writes a package into a folder, which is emptied before. @returns how many sources it is made of */
export async function writePackage(
  one: Published,
  folder: string,
  declarations?: ReadonlyMap<string, string>,
): Promise<number> {
  rmSync(folder, { recursive: true, force: true });
  const { parts, external } = partsOf(one);
  if (one.roots) await writeProgram(folder, one.roots);
  else writeLibrary(folder, parts, declarations);
  const needed = one.roots ? new Set(notBundled.filter((needs) => external.has(needs))) : external;
  const notices = one.roots
    ? noticesOf('Software by others in this package', ['packages/moorage', 'packages/console'], notBundled)
    : noticesOf(
        'Software by others that npm installs with this package, which holds none itself',
        [...external].map((name) => `node_modules/${name}`),
      );
  write(join(folder, 'THIRD-PARTY-NOTICES.md'), notices);
  write(join(folder, 'package.json'), `${JSON.stringify(describePackage(one, needed), null, 2)}\n`);
  cpSync(join(root, 'packages', one.workspace, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  return parts.length;
}
