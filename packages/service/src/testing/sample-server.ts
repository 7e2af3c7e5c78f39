import { binary, endpoint, Id, Nullable, pageQuery, type Refusal, refusal } from '@moorage/api';
import { failure, success } from '@moorage/base';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { memoryBlobs } from '../engine/blobs/memory-blobs.ts';
import { statusOf } from '../engine/http/errors.ts';
import { mountContract } from '../engine/http/mount.ts';
import { buildServer } from '../engine/http/server.ts';
import type { Caller, Handlers } from '../engine/http/types.ts';

const base = { spec: [], tag: 'Test', auth: 'none', errors: [] } as const;
const Echo = Type.Object({ seen: Type.String() });

/** One endpoint for each thing that the mount does. */
const sampleContract = {
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
  record: endpoint({
    ...base,
    method: 'GET',
    path: '/record',
    summary: 'A record with a text field "json"',
    reply: Type.Object({ json: Type.String() }),
  }),
  own: endpoint({ ...base, method: 'GET', path: '/own', summary: 'Needs a caller', auth: 'bearer', reply: Echo }),
  sometimes: endpoint({
    ...base,
    method: 'POST',
    path: '/sometimes',
    summary: 'Takes a body that may be left out',
    body: Type.Object({ name: Type.Optional(Type.String()), list: Type.Optional(Type.Array(Type.Integer())) }),
    reply: Echo,
  }),
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
  customerRole: 'owner',
  client: null,
};
const throttled: Refusal = { ...refusal('TOO_MANY_LOGINS', { retryAfterS: 9 }), retryAfterS: 9 };

const handlers: Handlers<typeof sampleContract> = {
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
  record: async () => success({ json: '{"seen":"text of a field"}' }),
  own: async (call) => success({ seen: call.caller.username }),
  sometimes: async ({ body }) => success({ seen: JSON.stringify(body) }),
  none: async ({ body }) => success({ seen: String(body) }),
  refuses: async () => failure(throttled),
  throws: async () => {
    throw new Error('secret detail', { cause: 'inner cause' });
  },
};

export interface SampleServer {
  readonly app: FastifyInstance;
  /** What the server has logged, each line as JSON text. */
  readonly lines: string[];
}

/** A server with the sample contract; its one caller sends the header `authorization: yes`. */
export async function buildSampleServer(): Promise<SampleServer> {
  const lines: string[] = [];
  const app = buildServer({
    statusOf,
    logLevel: 'info',
    logStream: { write: (line) => void lines.push(line) },
    endpoints: Object.values(sampleContract),
  });
  mountContract(app, sampleContract, handlers, {
    blobs: memoryBlobs(),
    statusOf,
    authenticate: {
      bearer: async (request) =>
        request.headers.authorization === 'yes' ? success(caller) : failure(refusal('UNAUTHENTICATED')),
    },
  });
  await app.ready();
  return { app, lines };
}

/** A record id that the sample contract takes. */
export const sampleId = '6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e';
