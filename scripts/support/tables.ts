// The tables of the product, as the documents need them. Each may be missing while it is being written.
import type { EndpointShape } from '../../packages/api/src/endpoint.ts';
import type { Command } from '../../packages/module/src/interpreter/command.ts';
import type { Variable } from '../../packages/module/src/variables/variable.ts';
import { endpointId, type Place, type TableFacts } from '../coverage.ts';
import { importOptional, type ProjectFile } from './project.ts';

const apiIndex = 'packages/api/src/index.ts';

/** Every endpoint of the contracts, both listeners, in the order of the contracts. */
export async function loadEndpoints(): Promise<EndpointShape[]> {
  const api = (await importOptional(apiIndex)) ?? {};
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

/** Every command of the module. */
export async function loadCommands(): Promise<readonly Command<never>[]> {
  const index = await importOptional('packages/module/src/commands/index.ts');
  // The index exports the list under this name; its element type is erased by the dynamic import.
  return (index?.allCommands ?? index?.commands ?? []) as readonly Command<never>[];
}

/** Every variable of the module. */
export async function loadVariables(): Promise<readonly Variable[]> {
  const index = await importOptional('packages/module/src/variables/index.ts');
  // As above.
  return (index?.allVariables ?? []) as readonly Variable[];
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
async function addErrors(files: readonly ProjectFile[], entries: Entries): Promise<void> {
  const api = await importOptional('packages/api/src/errors.ts');
  // The types of both tables are erased by the dynamic import.
  const errors = (api?.errors ?? {}) as Readonly<Record<string, { readonly status: number }>>;
  const errorsPlace = placeOf(files, 'packages/api/src/errors.ts', 'export const errors');
  for (const { status } of Object.values(errors)) if (errorsPlace) entries.set(`API-ERR-${status}`, errorsPlace);
  const reply = await importOptional('packages/module/src/interpreter/reply.ts');
  const codes = (reply?.codes ?? {}) as Readonly<Record<string, number>>;
  const codesPlace = placeOf(files, 'packages/module/src/interpreter/reply.ts', 'export const codes');
  for (const code of Object.values(codes)) if (codesPlace) entries.set(`MOD-ERR-${code}`, codesPlace);
}

/** Fields of records: implemented by their schemas, because the functions that make records are checked against them. */
async function addFields(files: readonly ProjectFile[], entries: Entries): Promise<void> {
  const api = (await importOptional(apiIndex)) ?? {};
  for (const [resource, names] of Object.entries(recordSchemas)) {
    for (const name of names) {
      const place = placeOf(files, 'packages/api/src/', `export const ${name} =`);
      for (const field of fieldsOf(api[name])) if (place) entries.set(`API-FIELD-${resource}-${field}`, place);
    }
  }
}

async function addSentFields(files: readonly ProjectFile[], entries: Entries): Promise<void> {
  const endpoints = await loadEndpoints();
  for (const { resource, method, path, part } of sentFields) {
    const found = endpoints.find((shape) => shape.method === method && shape.path === path);
    const place = placeOf(files, 'packages/api/src/', `path: '${path}'`);
    if (!found || !place) continue;
    for (const field of fieldsOf(found[part])) {
      const id = `API-FIELD-${resource}-${field}`;
      if (!entries.has(id)) entries.set(id, place);
    }
  }
}

/**
 * What the tables say about ids: errors, record fields, variables, commands with their options, and calls are
 * implemented by their entries.
 */
export async function loadTableFacts(files: readonly ProjectFile[]): Promise<TableFacts> {
  const implemented: Entries = new Map();
  const inert = new Map<string, string>();
  await addErrors(files, implemented);
  await addFields(files, implemented);
  await addSentFields(files, implemented);
  for (const variable of await loadVariables()) {
    const id = `MOD-VAR-${variable.name}`;
    const place = placeOf(files, 'packages/module/src/variables/', `'${variable.name}'`);
    if (place) implemented.set(id, place);
    if (variable.inert !== undefined) inert.set(id, variable.inert);
  }
  for (const command of await loadCommands()) {
    const place = placeOf(files, 'packages/module/src/commands/', `name: '${command.name}'`);
    for (const id of [command.spec, ...optionIds(command)]) if (place) implemented.set(id, place);
  }
  for (const { method, path } of await loadEndpoints()) {
    const id = endpointId(method, path);
    // A path that several stores share is put together; then the entry is where its id stands.
    const place =
      placeOf(files, 'packages/api/src/', `path: '${path}'`) ?? placeOf(files, 'packages/api/src/', `'${id}'`);
    if (place) implemented.set(id, place);
  }
  return { implemented, inert, families: ['API-EP-', 'MOD-CMD-', 'MOD-VAR-'] };
}
