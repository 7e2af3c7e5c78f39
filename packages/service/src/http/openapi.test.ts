import { contract, type EndpointShape, endpointsOf, isBinary, mayBeAbsent } from '@moorage/api';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from './openapi.ts';
import { exampleOf } from './openapi-examples.ts';
import { compileValidator } from './validation.ts';

interface Operation {
  readonly summary: string;
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, object>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

// Safe: the document is one, which another test checks with a validator.
const document = openApiDocument(contract, '1.2.3') as {
  paths: Record<string, Record<string, Operation>>;
};
const endpoints = endpointsOf(contract);

const operationOf = ({ path, method }: EndpointShape): Operation | undefined =>
  document.paths[path.replace(/[*?]\}/, '}')]?.[method.toLowerCase()];

/** What is wrong with the example of a schema, if anything is. */
function faultsOf(schema: EndpointShape['reply'] | undefined): unknown {
  if (!schema || isBinary(schema)) return undefined;
  // A copy, because validation fills in defaults.
  const example = structuredClone(exampleOf(schema));
  const validate = compileValidator({ schema, httpPart: 'body', method: '', url: '' });
  return validate(example) === true ? undefined : { example, errors: (validate as { errors?: unknown }).errors };
}

describe('the OpenAPI document', () => {
  // API-EP-GET-openapi.json
  test.each(endpoints.map(({ name, shape }) => [name, shape] as const))(
    'has examples of %s that are valid',
    (_, shape) => {
      expect(faultsOf(shape.body)).toBeUndefined();
      expect(faultsOf(shape.reply)).toBeUndefined();
    },
  );

  test.each(endpoints.map(({ name, shape }) => [name, shape] as const))('describes %s', (_, shape) => {
    const operation = operationOf(shape);
    if (!operation) throw new Error(`${shape.path} is missing`);
    expect(operation.summary).toMatch(/^[A-Z]/);
    const wanted = ['200', '500', '503', ...(shape.auth === 'bearer' ? ['401'] : []), ...shape.errors.map(String)];
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(wanted));
    if (shape.body) expect(operation.requestBody?.required).toBe(!mayBeAbsent(shape.body));
    for (const body of Object.values(operation.requestBody?.content ?? {})) expect(body).toHaveProperty('schema');
  });

  test('tells of parts of files, of what the client has already, and of bodies over the limit', () => {
    const statuses = (path: string, method: string) => Object.keys(document.paths[path]?.[method]?.responses ?? {});
    expect(statuses('/api/devices/{device_id}/files/{path}', 'get')).toEqual(expect.arrayContaining(['206', '304']));
    expect(statuses('/api/products', 'post')).toEqual(expect.arrayContaining(['403', '413', '415']));
    expect(statuses('/api/products', 'get')).not.toContain('413');
  });
});
