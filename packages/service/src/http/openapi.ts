import { STATUS_CODES } from 'node:http';
import { type Binary, type EndpointShape, ErrorBody, endpointsOf, errors, isBinary } from '@moorage/api';
import type { TSchema } from 'typebox';

type Json = Readonly<Record<string, unknown>>;

const errorSchema = { $ref: '#/components/schemas/Error' } as const;

/** Codes of the error table for a status, for the text of a response. */
const codesOf = (status: number): string[] =>
  Object.entries(errors)
    .filter(([, row]) => row.status === status)
    .map(([code]) => code);

const content = (body: TSchema | Binary): Json =>
  isBinary(body)
    ? { [body.mediaType]: { schema: { type: 'string', format: 'binary' } } }
    : { 'application/json': { schema: body } };

/** Bytes may come as they are, of any media type, or as the one part of a form. Spec: API-RULE-files-6. */
const fileForm = {
  schema: {
    type: 'object',
    properties: { file: { type: 'string', format: 'binary' } },
    required: ['file'],
  },
} as const;

const requestContent = (body: TSchema | Binary): Json =>
  isBinary(body) ? { ...content(body), 'multipart/form-data': fileForm } : content(body);

/** The parameters of one part of a request; in a path every one is required. */
function parameters(place: 'path' | 'query', schema: TSchema | undefined): Json[] {
  // Safe: params and query of a contract entry are object schemas.
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Json; required?: readonly string[] };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

const pageHeaders = {
  'X-Total-Count': { description: 'how many items there are in all', schema: { type: 'integer' } },
  Link: { description: 'where the next and the previous page are', schema: { type: 'string' } },
} as const;

/** Statuses that follow from the shape alone, beside those that the entry names. */
function statusesOf(shape: EndpointShape): number[] {
  const implied = [
    ...(shape.auth === 'bearer' ? [401] : []),
    ...(shape.params || shape.query || shape.body ? [400] : []),
    500,
  ];
  return [...new Set([...shape.errors, ...implied])].sort((a, b) => a - b);
}

function responses(shape: EndpointShape): Json {
  const refusals = statusesOf(shape).map((status) => [
    String(status),
    {
      description: `${STATUS_CODES[status]}: ${codesOf(status).join(', ')}`,
      content: { 'application/json': { schema: errorSchema } },
    },
  ]);
  const success = {
    description: 'Success',
    ...(shape.paged && { headers: pageHeaders }),
    content: content(shape.reply),
  };
  return { 200: success, ...Object.fromEntries(refusals) };
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
  ],
  ...(shape.body && { requestBody: { required: true, content: requestContent(shape.body) } }),
  responses: responses(shape),
  security: shape.auth === 'bearer' ? [{ bearer: [] }] : [],
});

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
): Json {
  const paths: Record<string, Record<string, Json>> = {};
  const tags = new Set<string>();
  for (const { name, shape } of endpointsOf(resources)) {
    tags.add(shape.tag);
    const spelled = openApiPaths(shape.path);
    for (const path of spelled) {
      // The short form of a path with an optional end lacks that parameter, and needs a name of its own.
      const short = path !== spelled.at(-1);
      const described = operation(short ? `${name}.default` : name, path, shape);
      paths[path] = { ...paths[path], [shape.method.toLowerCase()]: described };
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
    servers: [{ url: '/' }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: ErrorBody },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}
