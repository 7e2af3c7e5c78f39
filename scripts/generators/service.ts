import { extensionOf } from '../../packages/api/src/contract.ts';
import type { EndpointShape } from '../../packages/api/src/endpoint.ts';
import { errors } from '../../packages/api/src/errors.ts';
import { code, page, table } from '../support/markdown.ts';
import { listEndpoints } from '../support/tables.ts';

/** docs/generated/errors.md: the error table of the service. */
export function renderErrors(): string {
  return page(
    'Errors of the service',
    'Every refusal is `{ statusCode, error, message, code }`; with status 400 also `validation: { source, keys }`. The code is stable, the message may change. Words in braces are filled in.',
    table(
      ['code', 'status', 'message'],
      Object.entries(errors)
        .sort(([a, left], [b, right]) => left.status - right.status || a.localeCompare(b, 'en'))
        .map(([name, { status, message }]) => [code(name), String(status), message]),
    ),
  );
}

const authTexts = {
  none: 'none',
  bearer: 'bearer token',
  device: 'device certificate',
  door: 'token of the device or product',
} as const;

const schemaFields = (schema: unknown): string => {
  if (typeof schema !== 'object' || schema === null) return '';
  if ('binary' in schema) return 'bytes';
  if (!('properties' in schema) || typeof schema.properties !== 'object') return 'JSON';
  const required = 'required' in schema && Array.isArray(schema.required) ? schema.required : [];
  return Object.keys(schema.properties ?? {})
    .map((name) => (required.includes(name) ? `**${name}**` : name))
    .join(', ');
};

const endpointRow = (shape: EndpointShape): readonly string[] => [
  code(`${shape.method} ${shape.path}`),
  shape.summary,
  extensionOf(shape) ?? 'core',
  authTexts[shape.auth],
  schemaFields(shape.query),
  schemaFields(shape.body),
  [...new Set([200, ...shape.errors, 500])].toSorted((a, b) => a - b).join(' '),
  shape.spec.map(code).join(' '),
];

/** docs/generated/endpoints.md: the contract of both listeners, grouped by tag. */
export function renderEndpoints(): string {
  const endpoints = listEndpoints();
  const tags = [...new Set(endpoints.map(({ tag }) => tag))];
  const sections = tags.flatMap((tag) => [
    `## ${tag}`,
    table(
      ['endpoint', 'does', 'floor', 'caller shows', 'query', 'body', 'statuses', 'spec'],
      endpoints.filter((shape) => shape.tag === tag).map(endpointRow),
    ),
  ]);
  return page(
    'Endpoints',
    'From the contract in `packages/api`. **Floor**: `core` serves the specification; other names are those of the extension that an endpoint is a part of. Fields in bold are required. The full schemas are in the OpenAPI document of a running service (`/openapi.json`, page `/docs`).',
    ...sections,
  );
}
