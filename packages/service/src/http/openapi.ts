import { STATUS_CODES } from 'node:http';
import { type Binary, type EndpointShape, ErrorBody, endpointsOf, errors, isBinary, mayBeAbsent } from '@moorage/api';
import type { TSchema } from 'typebox';
import { exampleOf } from './openapi-examples.ts';

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
    : { 'application/json': { schema: body, example: exampleOf(body) } };

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

const changes = ({ method }: EndpointShape): boolean => method !== 'GET';

/** Whether the reply is a stored file, of which a part may be asked for, and which the client may have already. */
const sendsFile = ({ errors: refused }: EndpointShape): boolean => refused.includes(416);

/** Statuses of refusals of an endpoint: those that its entry names, and those that follow from its shape. */
function refusalsOf(shape: EndpointShape): number[] {
  const implied = [
    ...(shape.auth === 'bearer' ? [401, 429] : []),
    // A change with the cookie of a session has to come from a page of the service.
    ...(shape.auth === 'bearer' && changes(shape) ? [403] : []),
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
  ...(sendsFile(shape) ? [206, 304] : []),
  ...refusalsOf(shape),
];

const text = (description: string) => ({ description, schema: { type: 'string' } });

const fileHeaders = {
  ETag: text('SHA-256 of the bytes; for If-Match, If-None-Match and If-Range'),
  'Last-Modified': text('for If-Modified-Since and If-Unmodified-Since'),
  'Accept-Ranges': text('bytes'),
} as const;

/** The answers that are about a part of a file, or about none of it. */
const fileResponses = (shape: EndpointShape): Json => ({
  206: {
    description: 'Partial Content: the range that was asked for',
    headers: { ...fileHeaders, 'Content-Range': text('which bytes of how many') },
    content: content(shape.reply),
  },
  304: { description: 'Not Modified: what the client has is what would be sent', headers: fileHeaders },
});

function responses(shape: EndpointShape): Json {
  const refusals = refusalsOf(shape).map((status) => [
    String(status),
    {
      description: `${STATUS_CODES[status]}: ${codesOf(status).join(', ')}`,
      content: { 'application/json': { schema: errorSchema } },
    },
  ]);
  const success = {
    description: 'Success',
    ...(shape.paged && { headers: pageHeaders }),
    ...(sendsFile(shape) && { headers: fileHeaders }),
    content: content(shape.reply),
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
  ],
  ...(shape.body && { requestBody: { required: !mayBeAbsent(shape.body), content: requestContent(shape.body) } }),
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
  publicUrl = '/',
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
    servers: [{ url: publicUrl }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: ErrorBody },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}
