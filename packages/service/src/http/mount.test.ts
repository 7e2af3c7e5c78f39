import { binary, endpoint, Id, jsonBodyLimitBytes, Nullable, pageQuery, type Refusal, refusal } from '@moorage/api';
import { failure, success } from '@moorage/base';
import type { FastifyInstance, InjectOptions } from 'fastify';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryBlobs } from '../blobs/memory-blobs.ts';
import { statusOf } from './errors.ts';
import { mountContract } from './mount.ts';
import { buildServer } from './server.ts';
import type { Caller, Handlers } from './types.ts';

const base = { spec: [], tag: 'Test', auth: 'none', errors: [] } as const;
const Echo = Type.Object({ seen: Type.String() });

/** One endpoint for each thing that the mount does. */
const contract = {
  body: endpoint({
    ...base,
    method: 'POST',
    path: '/things/{thing_id}',
    summary: 'Takes a body',
    params: Type.Object({ thing_id: Id }),
    query: Type.Object({ count: Type.Optional(Type.Integer({ minimum: 1 })), on: Type.Optional(Type.Boolean()) }),
    body: Type.Object({
      name: Type.String(),
      size: Type.Optional(Type.Integer()),
      nested: Type.Optional(Type.Object({ deep: Type.Integer() })),
      kind: Type.Optional(Type.Enum(['', 'big', 'small'])),
    }),
    reply: Echo,
  }),
  list: endpoint({
    ...base,
    method: 'GET',
    path: '/things',
    summary: 'A list',
    query: Type.Object(pageQuery),
    reply: Type.Array(Type.Object({ n: Type.Integer(), label: Nullable(Type.String()) })),
    paged: true,
  }),
  rest: endpoint({
    ...base,
    method: 'GET',
    path: '/files/{path*}',
    summary: 'The rest of a path',
    params: Type.Object({ path: Type.String({ maxLength: 30 }) }),
    reply: Echo,
  }),
  optional: endpoint({
    ...base,
    method: 'GET',
    path: '/avatars/{avatar_id?}',
    summary: 'An optional end',
    params: Type.Object({ avatar_id: Type.Optional(Type.String()) }),
    reply: Echo,
  }),
  upload: endpoint({
    ...base,
    method: 'POST',
    path: '/upload',
    summary: 'Bytes in',
    body: binary(),
    reply: Type.Object({ sha256: Type.String(), size: Type.Integer() }),
  }),
  bytes: endpoint({ ...base, method: 'GET', path: '/bytes', summary: 'Bytes out', reply: binary('application/zip') }),
  cached: endpoint({ ...base, method: 'GET', path: '/cached', summary: 'Text that is ready', reply: Echo }),
  own: endpoint({ ...base, method: 'GET', path: '/own', summary: 'Needs a caller', auth: 'bearer', reply: Echo }),
  none: endpoint({ ...base, method: 'POST', path: '/none', summary: 'Takes no body', reply: Echo }),
  refuses: endpoint({ ...base, method: 'GET', path: '/refuses', summary: 'Refuses', reply: Echo }),
  throws: endpoint({ ...base, method: 'GET', path: '/throws', summary: 'Fails', reply: Echo }),
};

const caller: Caller = {
  userId: 'u',
  tokenId: 't',
  username: 'maker',
  role: 'user',
  customerId: null,
  client: null,
};
const throttled: Refusal = { ...refusal('TOO_MANY_LOGINS', { retryAfterS: 9 }), retryAfterS: 9 };

const blobs = memoryBlobs();

const handlers: Handlers<typeof contract> = {
  body: async ({ params, query, body }) => success({ seen: JSON.stringify({ params, query, body }) }),
  list: async ({ query }) => {
    const from = query.offset ?? 0;
    const items = [0, 1, 2, 3, 4].slice(from, from + (query.limit ?? 50));
    return success({ items: items.map((n) => ({ n, label: n === 0 ? null : `n${n}`, secret: 1 })), total: 5 });
  },
  rest: async ({ params }) => success({ seen: params.path }),
  optional: async ({ params }) => success({ seen: String(params.avatar_id) }),
  upload: async ({ upload }) => {
    const stored = await upload.store({ maxBytes: 100 });
    return stored.ok ? success(stored.value.blob) : stored;
  },
  bytes: async () => success({ bytes: Buffer.from('abc'), mime: 'application/zip', filename: 'a "b".zip' }),
  cached: async () => success({ json: '{"seen":"ready","more":1}' }),
  own: async (call) => success({ seen: call.caller.username }),
  none: async ({ body }) => success({ seen: String(body) }),
  refuses: async () => failure(throttled),
  throws: async () => {
    throw new Error('secret detail', { cause: 'inner cause' });
  },
};

const id = '6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e';
const lines: string[] = [];
let app: FastifyInstance;

beforeAll(async () => {
  app = buildServer({
    statusOf,
    logLevel: 'info',
    logStream: { write: (line) => void lines.push(line) },
    endpoints: Object.values(contract),
  });
  mountContract(app, contract, handlers, {
    blobs,
    statusOf,
    authenticate: {
      bearer: async (request) =>
        request.headers.authorization === 'yes' ? success(caller) : failure(refusal('UNAUTHENTICATED')),
    },
  });
  await app.ready();
});

afterAll(() => app.close());

const send = (options: InjectOptions) => app.inject(options);
const json = { 'content-type': 'application/json' };
const post = (payload: string, url = `/things/${id}`) => send({ method: 'POST', url, headers: json, payload });

describe('mounted endpoint', () => {
  // API-RULE-paths-2, API-RULE-payload-2, API-RULE-list-3
  it('hands on params, query and body; query values are read as what they stand for', async () => {
    const reply = await post('{"name":"a","size":2,"extra":true}', `/things/${id}?count=3&on=true&more=1`);
    expect(reply.statusCode).toBe(200);
    expect(JSON.parse(reply.json().seen)).toEqual({
      params: { thing_id: id },
      query: { count: 3, on: true, more: '1' },
      body: { name: 'a', size: 2, extra: true },
    });
  });

  // API-RULE-paths-3
  it('gives the rest of the path, decoded, under its name', async () => {
    expect((await send({ url: '/files/a/b%20c/d' })).json()).toEqual({ seen: 'a/b c/d' });
  });

  // API-RULE-paths-4
  it('serves a path with and without its optional end', async () => {
    expect((await send({ url: '/avatars/7' })).json()).toEqual({ seen: '7' });
    expect((await send({ url: '/avatars' })).json()).toEqual({ seen: 'undefined' });
  });

  it('sends only the fields of the reply, and null where it may be', async () => {
    expect((await send({ url: '/things?limit=2' })).json()).toEqual([
      { n: 0, label: null },
      { n: 1, label: 'n1' },
    ]);
  });

  // API-RULE-list-1
  it.each([
    ['/things', '5', undefined],
    ['/things?limit=2&q=x%20y', '5', '</things?limit=2&q=x+y&offset=2>; rel="next"'],
    ['/things?limit=2&offset=2', '5', '</things?limit=2&offset=4>; rel="next", </things?limit=2&offset=0>; rel="prev"'],
    ['/things?limit=2&offset=4', '5', '</things?limit=2&offset=2>; rel="prev"'],
    ['/things?limit=2&offset=1', '5', '</things?limit=2&offset=3>; rel="next", </things?limit=2&offset=0>; rel="prev"'],
  ])('list %s has its totals and links in headers', async (url, total, link) => {
    const { headers } = await send({ url });
    expect(headers['x-total-count']).toBe(total);
    expect(headers.link).toBe(link);
  });

  it('streams binary bodies of any media type', async () => {
    for (const type of ['application/octet-stream', 'application/json', 'text/x-odd', undefined]) {
      const headers = type === undefined ? {} : { 'content-type': type };
      const reply = await send({ method: 'POST', url: '/upload', headers, payload: Buffer.from('{abc') });
      expect(reply.json()).toMatchObject({ size: 4 });
    }
  });

  it('sends bytes with their media type and a harmless file name', async () => {
    const { headers, rawPayload } = await send({ url: '/bytes' });
    expect(headers['content-type']).toBe('application/zip');
    expect(headers['content-disposition']).toBe('attachment; filename="a__b_.zip"');
    expect(rawPayload.toString()).toBe('abc');
  });

  it('sends text that is ready as it is', async () => {
    const reply = await send({ url: '/cached' });
    expect(reply.payload).toBe('{"seen":"ready","more":1}');
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each([
    [{}, undefined],
    [{ 'content-type': 'application/json' }, ''],
    [{ 'content-type': 'application/json' }, '{"a":1}'],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, ''],
  ])('without a body ignores what is sent as %j %j', async (headers, payload) => {
    const reply = await send({ method: 'POST', url: '/none', headers, ...(payload !== undefined && { payload }) });
    expect(reply.statusCode).toBe(200);
  });

  it('knows its caller', async () => {
    expect((await send({ url: '/own', headers: { authorization: 'yes' } })).json()).toEqual({ seen: 'maker' });
  });
});

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
const url = `/things/${id}`;
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
    message: 'Field "kind" of the body must be equal to one of the allowed values: nothing, big, small',
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
    message: 'Field "size" of the body must be integer',
    validation: { source: 'body', keys: ['size'] },
  },
  {
    ...bad,
    name: 'an inner field',
    request: jsonPost('{"name":"a","nested":{}}'),
    validation: { source: 'body', keys: ['nested.deep'] },
  },
  { ...bad, name: 'the character NUL in a text', request: jsonPost('{"name":"a\\u0000b"}') },
  { ...bad, name: 'the character NUL in an address', request: { url: '/files/a%00b' } },
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
    name: 'whatever the handler refuses',
    request: { url: '/refuses' },
    status: 429,
    error: 'Too Many Requests',
    code: 'TOO_MANY_LOGINS',
  },
  {
    name: 'what nobody expected',
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
    lines.length = 0;
    const reply = await send({ url: '/throws' });
    expect(reply.payload).not.toContain('secret detail');
    const [line] = lines.map((text) => JSON.parse(text));
    expect(line).toMatchObject({
      reqId: reply.headers['x-request-id'],
      err: { message: expect.stringContaining('secret detail') },
    });
  });

  it('and success leave no line in the log', async () => {
    lines.length = 0;
    await send({ url: '/cached' });
    await send({ url: '/nowhere' });
    expect(lines).toEqual([]);
  });
});
