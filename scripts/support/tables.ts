// The tables of the product, as the documents need them.
import { clauseOf, type EndpointShape } from '../../packages/api/src/endpoint.ts';
import { errors } from '../../packages/api/src/errors.ts';
import * as api from '../../packages/api/src/index.ts';
import { allCommands } from '../../packages/module/src/commands/index.ts';
import type { Command } from '../../packages/module/src/interpreter/command.ts';
import { codes } from '../../packages/module/src/interpreter/reply.ts';
import { allVariables } from '../../packages/module/src/variables/index.ts';
import type { Place, TableFacts } from '../coverage.ts';
import type { ProjectFile } from './project.ts';
import { readerOf } from './readers.ts';

/** Every endpoint of the contracts, both listeners, in the order of the contracts. */
export function listEndpoints(): EndpointShape[] {
  const contracts = Object.entries(api).filter(([name]) => name.endsWith('Contract'));
  const found = new Map<string, EndpointShape>();
  for (const [, contract] of contracts) {
    // A contract is a record of endpoints; one that groups other contracts holds no endpoint of its own.
    for (const shape of Object.values(contract as Record<string, Partial<EndpointShape>>)) {
      if (typeof shape.method === 'string' && typeof shape.path === 'string')
        found.set(`${shape.method} ${shape.path}`, shape as EndpointShape);
    }
  }
  return [...found.values()];
}

/** Schemas of the records, by the resource of their field ids. */
const recordSchemas: Readonly<Record<string, readonly string[]>> = {
  device: ['DeviceRecord'],
  product: ['ProductRecord'],
  bundle: ['BundleRecord', 'BundleDetail'],
  resource: ['ResourceRecord'],
  user: ['UserRecord'],
  token: ['TokenRecord'],
  connector: ['ConnectorRecord'],
};

/** Fields that are only sent, never in a record: the call that takes them, and which part of it. */
const sentFields = [
  { resource: 'resource', path: '/api/bundles/{bundle_id}/resources', method: 'POST', part: 'body' },
  { resource: 'token', path: '/api/user/tokens/{token_id}', method: 'PUT', part: 'params' },
] as const;

const fieldsOf = (schema: unknown): readonly string[] =>
  typeof schema === 'object' && schema !== null && 'properties' in schema ? Object.keys(schema.properties ?? {}) : [];

function placeOf(files: readonly ProjectFile[], folder: string, text: string): Place | undefined {
  for (const { path, text: content } of files) {
    if (!path.startsWith(folder) || path.endsWith('.test.ts')) continue;
    const at = content.indexOf(text);
    if (at >= 0) return { path, line: content.slice(0, at).split('\n').length };
  }
  return undefined;
}

/** Words of the index for arguments that the commands name otherwise. */
const argumentWords: Readonly<Record<string, readonly string[]>> = {
  name: ['filename', 'variable', 'group', 'command'],
  file: ['filename'],
  pin: ['gpio'],
  area: ['bulk', 'extended'],
  // `get` sorts out by itself what its words are.
  words: ['variable', 'group', 'options'],
};

/** Ids of a command's options and arguments: flags without their hyphen, each letter of a group, names of arguments. */
function optionIds({ name, options, args }: Command<never>): string[] {
  const words = [
    ...Object.values(options).flatMap((spec) =>
      spec.kind === 'letters' ? [spec.letters, ...spec.letters] : [spec.flag.replace(/^-+/, '')],
    ),
    ...Object.keys(args).flatMap((arg) => [arg, ...(argumentWords[arg] ?? [])]),
  ];
  return words.map((word) => `MOD-OPT-${name}-${word}`);
}

type Entries = Map<string, Place>;

/** Response codes of the module and statuses of the service: implemented by the rows of their tables. */
function addErrors(files: readonly ProjectFile[], entries: Entries): void {
  const errorsPlace = placeOf(files, 'packages/api/src/errors.ts', 'export const errors');
  for (const { status } of Object.values(errors)) if (errorsPlace) entries.set(`API-ERR-${status}`, errorsPlace);
  const codesPlace = placeOf(files, 'packages/module/src/interpreter/reply.ts', 'export const codes');
  for (const code of Object.values(codes)) if (codesPlace) entries.set(`MOD-ERR-${code}`, codesPlace);
}

/** Fields of records: implemented by their schemas, because the functions that make records are checked against them. */
function addFields(files: readonly ProjectFile[], entries: Entries): void {
  const schemas: Readonly<Record<string, unknown>> = api;
  for (const [resource, names] of Object.entries(recordSchemas)) {
    for (const name of names) {
      const place = placeOf(files, 'packages/api/src/', `export const ${name} =`);
      for (const field of fieldsOf(schemas[name])) if (place) entries.set(`API-FIELD-${resource}-${field}`, place);
    }
  }
}

function addSentFields(files: readonly ProjectFile[], entries: Entries): void {
  const endpoints = listEndpoints();
  for (const { resource, method, path, part } of sentFields) {
    const found = endpoints.find((shape) => shape.method === method && shape.path === path);
    const place = placeOf(files, 'packages/api/src/', `route: '${method} ${path}'`);
    if (!found || !place) continue;
    for (const field of fieldsOf(found[part])) {
      const id = `API-FIELD-${resource}-${field}`;
      if (!entries.has(id)) entries.set(id, place);
    }
  }
}

/**
 * What the tables say about ids: errors, record fields, commands with their options, and calls are implemented by their
 * entries, variables by the code that reads them.
 */
export function readTableFacts(files: readonly ProjectFile[]): TableFacts {
  const implemented: Entries = new Map();
  const inert = new Map<string, string>();
  addErrors(files, implemented);
  addFields(files, implemented);
  addSentFields(files, implemented);
  for (const variable of allVariables) {
    const id = `MOD-VAR-${variable.name}`;
    const place = readerOf(variable, files);
    if (place) implemented.set(id, place);
    if (variable.inert !== undefined) inert.set(id, variable.inert);
  }
  for (const command of allCommands) {
    const place = placeOf(files, 'packages/module/src/commands/', `name: '${command.name}'`);
    for (const id of [command.spec, ...optionIds(command)]) if (place) implemented.set(id, place);
  }
  for (const shape of listEndpoints()) {
    const { method, path } = shape;
    // The calls of a store of files are put together from its path.
    const id = clauseOf(shape);
    const texts = [`route: '${method} ${path}'`, `path: '${path}'`, `'${id}'`, `'${path.replace('/{path*}', '')}'`];
    const place = texts.flatMap((text) => placeOf(files, 'packages/api/src/', text) ?? [])[0];
    if (place) implemented.set(id, place);
  }
  return { implemented, inert, families: ['API-EP-', 'MOD-CMD-', 'MOD-VAR-'] };
}
