import { jsonBodyLimitBytes } from '@moorage/api';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSampleServer, type SampleServer, sampleId } from '../../testing/sample-server.ts';

let server: SampleServer;

beforeAll(async () => {
  server = await buildSampleServer();
});

afterAll(() => server.app.close());

const send = (options: InjectOptions) => server.app.inject(options);
const json = { 'content-type': 'application/json' };

interface RefusedRow {
  readonly name: string;
  readonly request: InjectOptions;
  readonly status: number;
  readonly error: string;
  readonly code: string;
  readonly message?: string;
  readonly validation?: unknown;
}

const bad = { status: 400, error: 'Bad Request', code: 'INVALID_REQUEST' } as const;
const url = `/things/${sampleId}`;
const jsonPost = (payload: string, to = url): InjectOptions => ({ method: 'POST', url: to, headers: json, payload });

const refused: readonly RefusedRow[] = [
  { ...bad, name: 'malformed JSON', request: jsonPost('{'), message: 'The body is not valid JSON' },
  { ...bad, name: 'a prototype in JSON', request: jsonPost('{"__proto__":{}}'), message: 'The body is not valid JSON' },
  { ...bad, name: 'no body', request: jsonPost(''), message: 'The body is missing' },
  { ...bad, name: 'null for a body', request: jsonPost('null'), validation: { source: 'body', keys: [] } },
  { ...bad, name: 'a list for a body', request: jsonPost('[]'), message: 'The body is not a JSON object' },
  {
    ...bad,
    name: 'a value that is none of the few',
    request: jsonPost('{"name":"a","kind":"huge"}'),
    message: 'Field "kind" of the body has to be one of "", "big", "small"',
    validation: { source: 'body', keys: ['kind'] },
  },
  {
    ...bad,
    // API-RULE-payload-1
    name: 'a missing field',
    request: jsonPost('{}'),
    message: 'Field "name" of the body is missing',
    validation: { source: 'body', keys: ['name'] },
  },
  {
    ...bad,
    name: 'a field of another type, which is not converted',
    request: jsonPost('{"name":"a","size":"2"}'),
    message: 'Field "size" of the body has to be a whole number',
    validation: { source: 'body', keys: ['size'] },
  },
  {
    ...bad,
    name: 'an inner field',
    request: jsonPost('{"name":"a","nested":{}}'),
    validation: { source: 'body', keys: ['nested.deep'] },
  },
  {
    ...bad,
    name: 'every field that is wrong',
    request: jsonPost('{"size":"2","kind":"huge","nested":{"deep":"x"}}'),
    message:
      'Field "name" of the body is missing; Field "size" of the body has to be a whole number; ' +
      'Field "nested.deep" of the body has to be a whole number; Field "kind" of the body has to be one of "", "big", "small"',
    validation: { source: 'body', keys: ['name', 'size', 'nested.deep', 'kind'] },
  },
  {
    ...bad,
    name: 'every query value that is wrong',
    request: jsonPost('{"name":"a"}', `${url}?count=0&on=maybe`),
    message: 'Field "count" of the query has to be 1 or more; Field "on" of the query has to be true or false',
    validation: { source: 'query', keys: ['count', 'on'] },
  },
  {
    ...bad,
    name: 'null for a body that may be left out',
    request: jsonPost('null', '/sometimes'),
    message: 'The body is not a JSON object',
    validation: { source: 'body', keys: [] },
  },
  {
    ...bad,
    name: 'the character NUL in a text',
    request: jsonPost('{"name":"a\\u0000b"}'),
    message: 'Field "name" of the body has the character NUL',
    validation: { source: 'body', keys: ['name'] },
  },
  {
    ...bad,
    name: 'the character NUL in an address',
    request: { url: '/files/a%00b' },
    validation: { source: 'params', keys: [] },
  },
  {
    ...bad,
    name: 'the character NUL in a query',
    request: { url: '/things?sort=a%00b&limit=1' },
    validation: { source: 'query', keys: ['sort'] },
  },
  {
    ...bad,
    name: 'a bad query value',
    request: jsonPost('{"name":"a"}', `${url}?count=0`),
    validation: { source: 'query', keys: ['count'] },
  },
  {
    ...bad,
    name: 'a query value given twice',
    request: jsonPost('{"name":"a"}', `${url}?count=1&count=2`),
    validation: { source: 'query', keys: ['count'] },
  },
  {
    ...bad,
    name: 'a bad id in the path',
    request: jsonPost('{"name":"a"}', '/things/no-uuid'),
    validation: { source: 'params', keys: ['thing_id'] },
  },
  {
    ...bad,
    name: 'a rest of the path that is too long',
    request: { url: `/files/${'a'.repeat(31)}` },
    validation: { source: 'params', keys: ['path'] },
  },
  { ...bad, name: 'a path that cannot be decoded', request: { url: '/files/%zz' } },
  {
    ...bad,
    name: 'a page of too many',
    request: { url: '/things?limit=501' },
    validation: { source: 'query', keys: ['limit'] },
  },
  {
    name: 'another media type',
    request: { method: 'POST', url, headers: { 'content-type': 'text/plain' }, payload: 'a' },
    status: 415,
    error: 'Unsupported Media Type',
    code: 'WRONG_MEDIA_TYPE',
    message: 'Media type "text/plain" is not accepted here',
  },
  {
    name: 'a JSON body over 16 MiB',
    request: jsonPost(`{"name":"${'a'.repeat(16 * 1024 * 1024)}"}`),
    status: 413,
    error: 'Payload Too Large',
    code: 'BODY_TOO_LARGE',
    message: 'The body is over the limit of 16777216 bytes',
  },
  {
    name: 'a binary body over the limit of its handler',
    request: { method: 'POST', url: '/upload', payload: Buffer.alloc(101) },
    status: 413,
    error: 'Payload Too Large',
    code: 'BODY_TOO_LARGE',
  },
  { name: 'a missing token', request: { url: '/own' }, status: 401, error: 'Unauthorized', code: 'UNAUTHENTICATED' },
  { name: 'an unknown path', request: { url: '/nowhere' }, status: 404, error: 'Not Found', code: 'NOT_FOUND' },
  {
    name: 'another method of a known path',
    request: { method: 'DELETE', url: '/files/a/b' },
    status: 405,
    error: 'Method Not Allowed',
    code: 'METHOD_NOT_ALLOWED',
    message: 'Method DELETE is not allowed here',
  },
  {
    name: 'a method that the framework knows and no path has',
    request: { method: 'QUERY' as 'GET', url: '/files/a/b' },
    status: 405,
    error: 'Method Not Allowed',
    code: 'METHOD_NOT_ALLOWED',
  },
  {
    name: 'whatever the handler refuses',
    request: { url: '/refuses' },
    status: 429,
    error: 'Too Many Requests',
    code: 'TOO_MANY_LOGINS',
  },
  {
    name: 'an unexpected error',
    request: { url: '/throws' },
    status: 500,
    error: 'Internal Server Error',
    code: 'INTERNAL',
    message: 'The service failed; the log has the cause under this request id',
  },
];

describe('refusal', () => {
  // API-LIMIT-json
  it('of a JSON body begins one byte above 16 MiB', async () => {
    const around = '{"name":""}'.length;
    const text = (bytes: number) => `{"name":"${'a'.repeat(bytes - around)}"}`;
    expect((await send(jsonPost(text(jsonBodyLimitBytes)))).statusCode).toBe(200);
    expect((await send(jsonPost(text(jsonBodyLimitBytes + 1)))).statusCode).toBe(413);
  });

  // API-ERR-4, API-ERR-400, API-ERR-401, API-ERR-405, API-ERR-413, API-ERR-415, API-ERR-500, API-LIMIT-json
  it.each(refused)('of $name has status $status and the one body', async (row) => {
    const reply = await send(row.request);
    expect(reply.statusCode).toBe(row.status);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    const { statusCode, error, code, message, ...rest } = reply.json();
    expect({ statusCode, error, code }).toEqual({ statusCode: row.status, error: row.error, code: row.code });
    if (row.message !== undefined) expect(message).toBe(row.message);
    if (row.validation !== undefined) expect(rest).toEqual({ validation: row.validation });
    expect('validation' in rest).toBe(row.status === 400);
  });

  it('of a field that no record has does not happen, whatever is in it', async () => {
    const reply = await send(jsonPost('{"name":"a","other":["\\u0000"]}'));
    expect(reply.statusCode).toBe(200);
  });

  it('of many wrong items names twenty of them', async () => {
    const reply = await send(jsonPost(JSON.stringify({ list: Array(50_000).fill('x') }), '/sometimes'));
    expect(reply.json().validation.keys).toEqual(Array.from({ length: 20 }, (_, index) => `list.${index}`));
  });

  it('of a missing token names the scheme', async () => {
    expect((await send({ url: '/own' })).headers['www-authenticate']).toBe('Bearer');
  });

  it('of a wrong method names the right ones', async () => {
    expect((await send({ method: 'PUT', url: '/things' })).headers.allow).toBe('GET');
  });

  it('for now says when to come back', async () => {
    expect((await send({ url: '/refuses' })).headers['retry-after']).toBe('9');
  });

  // API-ERR-500
  it('of the unexpected keeps its cause in the log, under the id that the reply carries', async () => {
    server.lines.length = 0;
    const reply = await send({ url: '/throws' });
    expect(reply.payload).not.toContain('secret detail');
    const [line] = server.lines.map((text) => JSON.parse(text));
    expect(line).toMatchObject({
      reqId: reply.headers['x-request-id'],
      err: { message: expect.stringContaining('secret detail') },
    });
  });

  it('and success leave no line in the log', async () => {
    server.lines.length = 0;
    await send({ url: '/cached' });
    await send({ url: '/nowhere' });
    expect(server.lines).toEqual([]);
  });
});
