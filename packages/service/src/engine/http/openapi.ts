import { STATUS_CODES } from 'node:http';
import {
  type Binary,
  type EndpointShape,
  ErrorBody,
  endpointsOf,
  errors,
  isBinary,
  mayBeAbsent,
  refusedValues,
  ruleKeyword,
  scopeOf,
  withoutNul,
} from '@moorage/api';
import type { TSchema } from 'typebox';
import { exportForms } from './export.ts';
import { exampleOf } from './openapi-examples.ts';

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any JSON value without the character NUL. */
const anyValue = { $ref: '#/components/schemas/Value' } as const;
const text = { type: 'string', pattern: withoutNul } as const;
const valueSchema = {
  description: 'any JSON, of which no text has the character NUL',
  anyOf: [
    text,
    { type: ['number', 'boolean', 'null'] },
    // Types that are made of the document cannot name themselves in a list.
    { type: 'array', items: {} },
    { type: 'object', additionalProperties: anyValue, propertyNames: text },
  ],
} as const;

/** What says already which texts there may be. */
const formKeywords = ['pattern', 'enum', 'const', 'format'] as const;

/**
 * The schema of what clients send, with all that the service enforces: what rules check stands in it as keywords of its
 * own, and a text has no NUL.
 */
function inputSchema(schema: unknown): unknown {
  if (!isJson(schema)) return schema;
  const { [ruleKeyword]: rules, properties, items, anyOf, additionalProperties, ...rest } = schema;
  const { patternProperties } = schema;
  if (Object.keys(schema).every((keyword) => keyword === 'description')) return { ...anyValue, ...schema };
  const isFree = schema.type === 'string' && !formKeywords.some((keyword) => keyword in schema);
  const each = (named: Json) =>
    Object.fromEntries(Object.entries(named).map(([name, inner]) => [name, inputSchema(inner)]));
  return {
    ...rest,
    ...(isFree && { pattern: withoutNul }),
    ...(isJson(properties) && { properties: each(properties) }),
    ...(isJson(patternProperties) && { patternProperties: each(patternProperties) }),
    ...(items !== undefined && { items: inputSchema(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(inputSchema) }),
    ...(additionalProperties === true && { additionalProperties: anyValue, propertyNames: text }),
    ...(additionalProperties === false && { additionalProperties }),
    ...(isJson(rules) && (inputSchema(rules) as Json)),
  };
}

const errorSchema = { $ref: '#/components/schemas/Error' } as const;

/** Codes of the error table for a status, for the text of a response. */
const codesOf = (status: number): string[] =>
  Object.entries(errors)
    .filter(([, row]) => row.status === status)
    .map(([code]) => code);

const binaryContent = ({ mediaType }: Binary): Json => ({
  [mediaType]: { schema: mediaType.endsWith('json') ? {} : { type: 'string', format: 'binary' } },
});

const content = (body: TSchema | Binary): Json =>
  isBinary(body) ? binaryContent(body) : { 'application/json': { schema: body, example: exampleOf(body) } };

/** Bytes may come as they are, of any media type, or as the one part of a form. Spec: API-RULE-files-6. */
const fileForm = {
  schema: {
    type: 'object',
    properties: { file: { type: 'string', format: 'binary' } },
    required: ['file'],
  },
} as const;

const requestContent = (body: TSchema | Binary): Json =>
  isBinary(body)
    ? { ...binaryContent(body), 'multipart/form-data': fileForm }
    : { 'application/json': { schema: inputSchema(body), example: exampleOf(body) } };

/** The parameters of one part of a request; in a path every one is required. */
function parameters(place: 'path' | 'query', schema: TSchema | undefined): Json[] {
  // Safe: params and query of a contract entry are object schemas.
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Json; required?: readonly string[] };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: inputSchema(property),
  }));
}

const pageHeaders = {
  'X-Total-Count': { description: 'how many items there are in all', schema: { type: 'integer' } },
  Link: { description: 'where the next and the previous page are', schema: { type: 'string' } },
} as const;

/** A list as a whole, which the parameter `format` asks for. Spec: API-RULE-export-1. */
const exportContent = Object.fromEntries(
  Object.values(exportForms).map(({ mediaType }) => [
    mediaType.replace(/;.*/, ''),
    { schema: { type: 'string', description: 'the whole list as a file, where `format` asks for it' } },
  ]),
);

const changes = ({ method }: EndpointShape): boolean => method !== 'GET';

/** Whether the reply is a stored file, of which a part may be asked for, and which the client may have already. */
const sendsFile = ({ errors: refused }: EndpointShape): boolean => refused.includes(416);

/** Statuses of refusals of an endpoint: those that its entry names, and those that follow from its shape. */
function refusalsOf(shape: EndpointShape): number[] {
  const implied = [
    ...(shape.auth === 'bearer' ? [401, 429] : []),
    // A token may lack the scope, and a change with the cookie of a session has to come from a page of the service.
    ...(shape.auth === 'bearer' ? [403] : []),
    400,
    // A body that the endpoint does not take is refused too when it is huge, or of no media type at all.
    ...(changes(shape) ? [413, 415, 507] : []),
    ...(sendsFile(shape) ? [412] : []),
    500,
    // Whatever needs the storage may find it away.
    503,
  ];
  return [...new Set([...shape.errors, ...implied])].sort((a, b) => a - b);
}

/** Every status that an endpoint may answer with. */
export const statusesOf = (shape: EndpointShape): number[] => [
  200,
  ...(sendsFile(shape) ? [206, 304, 307] : []),
  ...refusalsOf(shape),
];

const header = (description: string) => ({ description, schema: { type: 'string' } });

const preferParameter = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: '"redirect": a large file may be sent by the object store, when the settings of the service allow it',
  schema: { type: 'string' },
} as const;

const fileHeaders = {
  ETag: header('SHA-256 of the bytes; for If-Match, If-None-Match and If-Range'),
  'Last-Modified': header('for If-Modified-Since and If-Unmodified-Since'),
  'Accept-Ranges': header('bytes'),
} as const;

/** The answers that are about a part of a file, or about none of it. */
const fileResponses = (shape: EndpointShape): Json => ({
  206: {
    description: 'Partial Content: the range that was asked for',
    headers: { ...fileHeaders, 'Content-Range': header('which bytes of how many') },
    content: content(shape.reply),
  },
  304: { description: 'Not Modified: what the client has is what would be sent', headers: fileHeaders },
  307: {
    description: 'Temporary Redirect: to the file in the object store, for clients that prefer it',
    headers: { Location: header('signed address, good for ten minutes; Authorization is not to be sent there') },
  },
});

/** A refusal; of one with 400 also what fits its schema and is refused all the same. */
function refusalText(name: string, status: number): Json {
  const description = `${STATUS_CODES[status]}: ${codesOf(status).join(', ')}`;
  const values = status === 400 ? (refusedValues[name] ?? []) : [];
  if (values.length === 0) return { description };
  const said = values.map(([code, when]) => `${code}: ${when}`).join('; ');
  return {
    description: `${description}. Refused though it fits its schema: ${said}`,
    'x-refused-values': values.map(([code]) => code),
  };
}

/** The schema of what is sent to clients: what rules enforce is of input alone. */
const withoutRules = <T extends TSchema>(schema: T): T =>
  // Safe: it is the same schema but for that keyword.
  JSON.parse(JSON.stringify(schema, (keyword, value) => (keyword === ruleKeyword ? undefined : value))) as T;

function responses(name: string, shape: EndpointShape): Json {
  const refusals = refusalsOf(shape).map((status) => [
    String(status),
    {
      ...refusalText(name, status),
      content: { 'application/json': { schema: errorSchema } },
    },
  ]);
  const success = {
    description: 'Success',
    ...(shape.paged && { headers: pageHeaders }),
    ...(sendsFile(shape) && { headers: fileHeaders }),
    content: {
      ...content(isBinary(shape.reply) ? shape.reply : withoutRules(shape.reply)),
      ...(shape.paged && exportContent),
    },
  };
  return { 200: success, ...(sendsFile(shape) && fileResponses(shape)), ...Object.fromEntries(refusals) };
}

const operation = (name: string, path: string, shape: EndpointShape): Json => ({
  operationId: name,
  tags: [shape.tag],
  summary: shape.summary,
  description: [shape.description, `Specification: ${shape.spec.join(', ')}`].filter(Boolean).join('\n\n'),
  'x-spec': shape.spec,
  parameters: [
    ...parameters('path', shape.params).filter((parameter) => path.includes(`{${parameter.name}}`)),
    ...parameters('query', shape.query),
    ...(sendsFile(shape) ? [preferParameter] : []),
  ],
  ...(shape.body && { requestBody: { required: !mayBeAbsent(shape.body), content: requestContent(shape.body) } }),
  responses: responses(name, shape),
  security: shape.auth === 'bearer' ? [{ bearer: [scopeOf(shape)].filter(Boolean) }] : [],
});

/** An operation under another spelling of its path: its parameters have the names of that. */
function renamed(operation: Json, path: string, template: string): Json {
  if (path === template) return operation;
  const [from, to] = [path, template].map((spelled) => [...spelled.matchAll(/\{(\w+)\}/g)].map((found) => found[1]));
  const named = (parameter: Json): Json => {
    const index = parameter.in === 'path' ? from?.indexOf(String(parameter.name)) : undefined;
    return index === undefined ? parameter : { ...parameter, name: to?.[index] };
  };
  // Safe: `operation` makes them.
  return { ...operation, parameters: (operation.parameters as Json[]).map(named) };
}

/** Paths as OpenAPI spells them: every blank is `{name}`, and an optional end makes two paths. */
function openApiPaths(path: string): string[] {
  const whole = path.replace(/\{(\w+)[*?]\}/, '{$1}');
  return path.endsWith('?}') ? [path.replace(/\/\{\w+\?\}$/, ''), whole] : [whole];
}

/**
 * The OpenAPI 3.1 document of a contract: every endpoint with its specification ids, parameters, bodies and statuses.
 * Spec: API-EP-GET-openapi.json.
 */
export function openApiDocument(
  resources: Readonly<Record<string, Readonly<Record<string, EndpointShape>>>>,
  version: string,
  publicUrl = '/',
): Json {
  const paths: Record<string, Record<string, Json>> = {};
  const templates = new Map<string, string>();
  const tags = new Set<string>();
  for (const { name, shape } of endpointsOf(resources)) {
    tags.add(shape.tag);
    const spelled = openApiPaths(shape.path);
    for (const path of spelled) {
      // The short form of a path with an optional end lacks that parameter, and needs another name.
      const short = path !== spelled.at(-1);
      const described = operation(short ? `${name}.default` : name, path, shape);
      // Paths that differ in the names of their blanks are one in OpenAPI: the first is that of all.
      const form = path.replace(/\{\w+\}/g, '{}');
      const template = templates.get(form) ?? path;
      templates.set(form, template);
      paths[template] = { ...paths[template], [shape.method.toLowerCase()]: renamed(described, path, template) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Moorage device management service',
      version,
      description:
        'Success is always status 200. Times are epoch milliseconds in a text. Lists are arrays; their totals and ' +
        'neighbours are in headers. Refusals have one body, with a stable code.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: ErrorBody, Value: valueSchema },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}
