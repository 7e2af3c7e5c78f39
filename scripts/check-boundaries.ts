// Who imports whom, who writes which table, who asks the host for time: walks the tables of boundaries.ts
// and ownership.ts.
import { posix } from 'node:path';
import ts from 'typescript';
import { systemModules, type Zone, zones } from './boundaries.ts';
import { handedIn, realClockFiles, secondWriters } from './ownership.ts';
import { productFiles, targetOf } from './support/import-graph.ts';
import { type Problem, type ProjectFile, readProject, report } from './support/project.ts';
import { calledName, type Import, importsOf, lineOf, parse, visitAll } from './support/source.ts';

const matches = (pattern: string, name: string): boolean =>
  pattern === name || (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1)));

/** Where a file belongs: the row, and that path of the row which fits. */
interface Place {
  readonly zone: Zone;
  readonly path: string;
}

/** The place of a file: that with the longest path that fits. */
function placeOf(file: string): Place | undefined {
  let best: Place | undefined;
  for (const zone of zones) {
    for (const path of [zone.path].flat()) {
      const fits = path.endsWith('/') ? file.startsWith(path) : file === path;
      if (fits && path.length > (best?.path.length ?? -1)) best = { zone, path };
    }
  }
  return best;
}

function checkTarget({ zone }: Place, target: string, imported: Import): string | undefined {
  const place = placeOf(target);
  if (!place) return `"${imported.specifier}" leads to ${target}, which is in no zone`;
  const { zone: other } = place;
  if (other.name === zone.name || zone.imports.some((pattern) => matches(pattern, other.name))) return undefined;
  if (!zone.types?.some((pattern) => matches(pattern, other.name))) return `${zone.name} may not import ${other.name}`;
  return imported.typeOnly ? undefined : `${zone.name} may import only types of ${other.name}`;
}

function checkPackage(zone: Zone, imported: Import): string | undefined {
  const { specifier } = imported;
  if (zone.packages && !zone.packages.some((pattern) => matches(pattern, specifier)))
    return `${zone.name} may not import the package "${specifier}"`;
  if (!systemModules.has(specifier) || imported.typeOnly) return undefined;
  if (zone.system?.some((pattern) => pattern === '*' || pattern === specifier)) return undefined;
  return `${zone.name} may not touch "${specifier}": files, network and processes belong to adapters`;
}

interface Finding {
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

const checkImports = (place: Place, path: string, source: ts.SourceFile): Finding[] =>
  importsOf(source).flatMap((imported) => {
    const target = targetOf(path, imported.specifier);
    const message = target === undefined ? checkPackage(place.zone, imported) : checkTarget(place, target, imported);
    return message ? [{ line: imported.line, rule: 'boundary', message }] : [];
  });

const sliceOf = (path: string): string | undefined =>
  /^packages\/service\/src\/(?:core|extensions)\/([^/]+)\//.exec(path)?.[1];

/** Who may write which table: the slice in whose folder it is said, and second writers. */
type Writers = ReadonlyMap<string, readonly string[]>;

/** The tables that a `tables.ts` says: `devices: t.table(…)`. */
function tablesOf(file: ProjectFile): string[] {
  const found: string[] = [];
  visitAll(parse(file), (node) => {
    if (!ts.isPropertyAssignment(node) || !ts.isCallExpression(node.initializer)) return;
    if (calledName(node.initializer.expression) === 't.table') found.push(node.name.getText());
  });
  return found;
}

function writersOf(files: readonly ProjectFile[]): Writers {
  const writers = new Map(Object.entries(secondWriters));
  for (const file of files) {
    const slice = sliceOf(file.path);
    if (!slice || !file.path.endsWith('/tables.ts')) continue;
    for (const table of tablesOf(file)) writers.set(table, [slice, ...(secondWriters[table] ?? [])]);
  }
  return writers;
}

const queryStarts = new Set(['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'mergeInto', 'replaceInto']);

/** SQL stands in queries.ts alone, and a slice writes only to its own tables. */
function checkQuery(path: string, call: ts.CallExpression, writers: Writers): Omit<Finding, 'line'> | undefined {
  const slice = sliceOf(path);
  const verb = ts.isPropertyAccessExpression(call.expression) ? call.expression.name.text : '';
  if (!slice || !queryStarts.has(verb)) return undefined;
  if (/\/(routes|rules)\.ts$/.test(path)) return { rule: 'query-place', message: `${verb} outside queries.ts` };
  const [table] = call.arguments;
  if (verb === 'selectFrom' || !table || !ts.isStringLiteralLike(table)) return undefined;
  const owners = writers.get(table.text) ?? [];
  if (owners.includes(slice)) return undefined;
  return {
    rule: 'table-owner',
    message: `table "${table.text}" is written by ${owners.join(' and ') || 'nobody yet'}, not by ${slice}`,
  };
}

/** Asking the host for time or chance outside adapters. */
function checkHandedIn(zone: Zone, path: string, node: ts.Node): Omit<Finding, 'line'> | undefined {
  if (zone.system?.includes('*') || realClockFiles.has(path)) return undefined;
  const now = ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length;
  const name = now ? 'new Date()' : ts.isCallExpression(node) ? calledName(node.expression) : '';
  return now || handedIn.has(name)
    ? { rule: 'handed-in', message: `${name}: time and chance are handed in` }
    : undefined;
}

function checkCalls(zone: Zone, path: string, source: ts.SourceFile, writers: Writers): Finding[] {
  const found: Finding[] = [];
  visitAll(source, (node) => {
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
    const query = ts.isCallExpression(node) ? checkQuery(path, node, writers) : undefined;
    const finding = checkHandedIn(zone, path, node) ?? query;
    if (finding) found.push({ line: lineOf(source, node), ...finding });
  });
  return found;
}

function checkFile(file: ProjectFile, writers: Writers): Problem[] {
  const { path } = file;
  const place = placeOf(path);
  if (!place) return [{ path, line: 0, rule: 'boundary', message: 'file is in no zone of scripts/boundaries.ts' }];
  const source = parse(file);
  return [...checkImports(place, path, source), ...checkCalls(place.zone, path, source, writers)].map((finding) => ({
    path,
    ...finding,
  }));
}

/** Name of the package that an import takes from `node_modules`; `undefined` for Node's own modules and files. */
function packageName(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** What a package imports stands in its own package.json: that it is installed for another one is chance. */
function checkDeclared(file: ProjectFile, manifests: ReadonlyMap<string, ReadonlySet<string>>): Problem[] {
  const folder = /^packages\/[^/]+/.exec(file.path)?.[0] ?? '';
  const declared = manifests.get(folder);
  if (!declared) return [];
  return importsOf(parse(file)).flatMap(({ specifier, line }) => {
    const name = packageName(specifier);
    if (name === undefined || declared.has(name)) return [];
    return [{ path: file.path, line, rule: 'dependency', message: `"${name}" is not in ${folder}/package.json` }];
  });
}

function readManifests(files: readonly ProjectFile[]): Map<string, ReadonlySet<string>> {
  const manifests = files.filter(({ path }) => /^packages\/[^/]+\/package\.json$/.test(path));
  return new Map(
    manifests.map(({ path, text }) => {
      const { name, ...listed } = JSON.parse(text) as { name: string } & Record<string, object | undefined>;
      const declared = { ...listed.dependencies, ...listed.optionalDependencies };
      return [posix.dirname(path), new Set([name, ...Object.keys(declared)])];
    }),
  );
}

/** What the tables of boundaries.ts do not allow. Tests and what supports them are exempt. */
export function findBoundaryProblems(files: readonly ProjectFile[]): Problem[] {
  const manifests = readManifests(files);
  const writers = writersOf(files);
  return productFiles(files).flatMap((file) => [...checkFile(file, writers), ...checkDeclared(file, manifests)]);
}

if (import.meta.main) report('boundaries', findBoundaryProblems(readProject()));
