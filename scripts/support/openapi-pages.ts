// Pages of the documentation site for the OpenAPI document of the service: one for each tag.
import { code, slugOf, table } from './markdown.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly $ref?: string;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

export interface OpenApi {
  readonly tags: readonly { readonly name: string }[];
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Levels of a body that are shown; the document itself has the rest. */
const shownLevels = 4;

const isNull = (schema: Schema): boolean => schema.type === 'null';

/** A schema without "or null", which is said of it instead. */
function bare(schema: Schema): { readonly schema: Schema; readonly nullable: boolean } {
  const others = schema.anyOf?.filter((one) => !isNull(one));
  if (others === undefined || others.length === schema.anyOf?.length) return { schema, nullable: false };
  const [only] = others;
  return { schema: others.length === 1 && only ? only : { ...schema, anyOf: others }, nullable: true };
}

const values = (list: readonly unknown[]): string => list.map((one) => code(JSON.stringify(one))).join(', ');

/** The kind of a value in a few words. */
function kindOf(given: Schema): string {
  const { schema, nullable } = bare(given);
  const orNull = nullable ? ' or null' : '';
  if (schema.$ref !== undefined) return `${schema.$ref.split('/').at(-1) ?? ''}${orNull}`;
  if (schema.enum) return `${values(schema.enum)}${orNull}`;
  if (schema.const !== undefined) return `${values([schema.const])}${orNull}`;
  if (schema.anyOf) return `${[...new Set(schema.anyOf.map(kindOf))].join(' or ')}${orNull}`;
  if (schema.items) return `list of ${kindOf(schema.items)}${orNull}`;
  const name = schema.format ?? (Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any'));
  return `${name}${orNull}`;
}

/** Limits that a caller can run into. */
function limitsOf(given: Schema): string {
  const { schema } = bare(given);
  const { minLength, maxLength, minimum, maximum, maxItems, default: initial } = schema;
  const range = (from: number | undefined, to: number | undefined, unit: string): string[] => {
    if (to === undefined) return from === undefined ? [] : [`from ${from}${unit}`];
    return [from === undefined ? `up to ${to}${unit}` : `${from}–${to}${unit}`];
  };
  return [
    ...range(minLength, maxLength, ' characters'),
    ...range(minimum, maximum, ''),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
    ...(initial === undefined ? [] : [`default ${code(JSON.stringify(initial))}`]),
  ].join(', ');
}

type Row = readonly [name: string, kind: string, text: string];

/** Text that is no Markdown, and no template of the pages' either. */
const prose = (text: string): string => text.replace(/[<{*\\[]/g, (letter) => `&#${letter.charCodeAt(0)};`);

const textOf = (schema: Schema): string =>
  [prose(schema.description ?? bare(schema).schema.description ?? ''), limitsOf(schema)]
    .filter((part) => part !== '')
    .join('; ');

/** The fields of an object and of those inside it, named by their paths. */
function fieldRows(given: Schema, prefix = '', level = 1): Row[] {
  const { schema } = bare(given);
  if (schema.anyOf) return schema.anyOf.flatMap((one) => fieldRows(one, prefix, level));
  if (schema.items) return fieldRows(schema.items, `${prefix}[]`, level);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]): Row[] => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const shown = schema.required?.includes(name) ? `**${code(path)}**` : code(path);
    const inner = level < shownLevels ? fieldRows(field, path, level + 1) : [];
    return [[shown, kindOf(field), textOf(field)], ...inner];
  });
}

/** Rows that several alternatives have in the same way are shown once. */
const distinct = (rows: readonly Row[]): Row[] => [...new Map(rows.map((row) => [row.join('\0'), row])).values()];

function bodyPart(title: string, content: Content): string[] {
  return Object.entries(content).flatMap(([type, { schema = {} }]) => {
    const rows = distinct(fieldRows(schema));
    const head = `${title} ${code(type)}${rows.length === 0 ? `: ${kindOf(schema)}` : schema.items ? ', a list' : ''}`;
    return rows.length === 0 ? [head] : [head, table(['field', 'kind', ''], rows)];
  });
}

const securityOf = ({ security = [] }: Operation): string => {
  const names = security.flatMap((one) => Object.keys(one));
  return names.length === 0 ? 'No token is needed.' : `A ${names.join(' or ')} token is needed.`;
};

const anchorOf = ({ operationId }: Operation): string => slugOf(operationId.replaceAll('.', '-'));

function operationPart(path: string, method: string, operation: Operation): string[] {
  const { parameters = [], requestBody, responses } = operation;
  const rows = parameters.map(({ name, in: place, required, schema = {} }): Row => {
    return [required ? `**${code(name)}**` : code(name), `${kindOf(schema)}, ${place}`, textOf(schema)];
  });
  const { 200: success, ...refusals } = responses;
  return [
    `## ${method.toUpperCase()} ${code(path)} {#${anchorOf(operation)}}`,
    `${prose(operation.summary)}. ${securityOf(operation)} Name in clients: ${code(operation.operationId)}.`,
    ...(rows.length === 0 ? [] : ['Parameters', table(['name', 'kind', ''], rows)]),
    ...(requestBody ? bodyPart('Body', requestBody.content) : []),
    ...(success?.content ? bodyPart('Success', success.content) : []),
    `Refusals: ${Object.entries(refusals)
      .map(([status, { description }]) => `${status} ${prose(description)}`)
      .join(', ')}.`,
  ];
}

/** The pages by their places: one for each tag, and one that lists all calls. */
export function openApiPages({ tags, info, paths }: OpenApi): ReadonlyMap<string, string> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const pages = new Map<string, string>();
  const lists: string[] = [];
  for (const { name } of tags) {
    const own = all.filter(({ operation }) => operation.tags.includes(name));
    const parts = own.flatMap(({ path, method, operation }) => operationPart(path, method, operation));
    pages.set(`api/${slugOf(name)}.md`, `${[`# ${name}`, ...parts].join('\n\n')}\n`);
    const rows = own.map(({ path, method, operation }) => [
      `[${code(`${method.toUpperCase()} ${path}`)}](./${slugOf(name)}.md#${anchorOf(operation)})`,
      prose(operation.summary),
    ]);
    lists.push(`## ${name}`, table(['call', 'does'], rows));
  }
  const about = `${info.description} Fields in bold are required. [The OpenAPI document](/openapi.json) is what clients are generated from; a running service has it at \`/openapi.json\`.`;
  pages.set('api/index.md', `${['# REST API', about, ...lists].join('\n\n')}\n`);
  return pages;
}
