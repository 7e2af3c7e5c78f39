import { contract, type EndpointShape, endpointsOf, isBinary, mayBeAbsent } from '@moorage/api';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from './openapi.ts';
import { exampleOf } from './openapi-examples.ts';
import { validatorCompiler } from './validation.ts';

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: unknown }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

// Safe: the document is one, which another test checks with a validator.
const document = openApiDocument(contract, '1.2.3') as {
  paths: Record<string, Record<string, Operation>>;
};
const endpoints = endpointsOf(contract);

const formOf = (path: string): string => path.replace(/\{\w+[*?]?\}/g, '{}');

const operationOf = ({ path, method }: EndpointShape): Operation | undefined =>
  Object.entries(document.paths).find(([template]) => formOf(template) === formOf(path))?.[1][method.toLowerCase()];

/** What is wrong with the example of a schema, if anything is. */
function faultsOf(schema: EndpointShape['reply'] | undefined): unknown {
  if (!schema || isBinary(schema)) return undefined;
  // A copy, because validation fills in defaults.
  const example = structuredClone(exampleOf(schema));
  const validate = validatorCompiler('refuse')({ schema: { ...schema }, httpPart: 'body', method: '', url: '' });
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

  test('has one template for each form of a path, whose parameters have its names', () => {
    const forms = Object.keys(document.paths).map(formOf);
    expect(new Set(forms).size).toBe(forms.length);
    for (const [template, operations] of Object.entries(document.paths)) {
      for (const { parameters = [] } of Object.values(operations)) {
        const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
        expect(named.toSorted()).toEqual((template.match(/\{\w+\}/g) ?? []).toSorted());
      }
    }
  });

  test('says of input what rules enforce beside the schema, and that no text has NUL', () => {
    const body = (path: string, method = 'post') =>
      document.paths[path]?.[method]?.requestBody?.content['application/json']?.schema;
    expect(body('/api/devices/provision')).toMatchObject({ properties: { uuid: { pattern: '^[0-9A-Fa-f]{40}$' } } });
    expect(body('/api/devices/{device_id}/messages')).toMatchObject({ properties: { data: { 'x-max-bytes': 2048 } } });
    expect(body('/api/broadcasts/{key}')).toMatchObject({
      anyOf: [{ required: ['uuid'] }, { required: ['mac'] }],
      additionalProperties: { $ref: '#/components/schemas/Value' },
    });
    expect(body('/api/user', 'put')).toMatchObject({ properties: { organisation: { pattern: '^[^\\u0000]*$' } } });
    const file = document.paths['/api/devices/{device_id}/files/{path}']?.get?.parameters ?? [];
    expect(file.find(({ name }) => name === 'path')?.schema).toMatchObject({ maxLength: 255, 'x-max-bytes': 255 });
    expect(JSON.stringify(document)).not.toContain('x-rules');
  });

  test('tells of parts of files, of what the client has already, and of bodies over the limit', () => {
    const statuses = (path: string, method: string) => Object.keys(document.paths[path]?.[method]?.responses ?? {});
    expect(statuses('/api/devices/{device_id}/files/{path}', 'get')).toEqual(expect.arrayContaining(['206', '304']));
    expect(statuses('/api/products', 'post')).toEqual(expect.arrayContaining(['403', '413', '415']));
    expect(statuses('/api/products', 'get')).not.toContain('413');
  });
});
