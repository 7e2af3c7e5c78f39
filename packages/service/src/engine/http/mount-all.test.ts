import { endpoint } from '@moorage/api';
import { success } from '@moorage/base';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { expect, it } from 'vitest';
import { memoryBlobs } from '../blobs/memory-blobs.ts';
import { statusOf } from './errors.ts';
import { type MountOptions, mountAll } from './mount.ts';
import { buildServer } from './server.ts';

const said = {
  tag: 'x',
  summary: 'x',
  auth: 'none',
  spec: [],
  errors: [],
  reply: Type.Object({ seen: Type.String() }),
} as const;
const contracts = {
  lamps: {
    get: endpoint({
      ...said,
      method: 'GET',
      path: '/lamps/{lamp_id}',
      params: Type.Object({ lamp_id: Type.String() }),
    }),
    dim: endpoint({
      ...said,
      method: 'PUT',
      path: '/lamps/{id}/level',
      params: Type.Object({ id: Type.String() }),
      body: Type.Object({ level: Type.Integer() }),
    }),
  },
  doors: { open: endpoint({ ...said, method: 'POST', path: '/doors' }) },
};

const lamps = {
  get: async ({ params }: { readonly params: { readonly lamp_id: string } }) => success({ seen: params.lamp_id }),
  dim: async ({ body }: { readonly body: { readonly level: number } }) => success({ seen: String(body.level) }),
};
const doors = { open: async () => success({ seen: 'open' }) };

async function serve(intercept?: MountOptions['intercept']): Promise<FastifyInstance> {
  const endpoints = Object.values(contracts).flatMap((resource) => Object.values(resource));
  const app = buildServer({ statusOf, logLevel: 'silent', endpoints });
  mountAll(app, contracts, { lamps, doors }, { blobs: memoryBlobs(), statusOf, authenticate: {}, intercept });
  await app.ready();
  return app;
}

it('mounts several resources, with and without a body', async () => {
  const app = await serve();
  expect((await app.inject({ url: '/lamps/7' })).json()).toEqual({ seen: '7' });
  expect((await app.inject({ method: 'PUT', url: '/lamps/7/level', payload: { level: 3 } })).json()).toEqual({
    seen: '3',
  });
  expect((await app.inject({ method: 'POST', url: '/doors' })).json()).toEqual({ seen: 'open' });
  await app.close();
});

it('takes exactly the handlers of the contracts: others do not compile', () => {
  const options = { blobs: memoryBlobs(), statusOf, authenticate: {} };
  const mounts = (app: FastifyInstance): void => {
    // @ts-expect-error a resource is missing
    mountAll(app, contracts, { lamps }, options);
    // @ts-expect-error a handler is missing
    mountAll(app, contracts, { lamps: { get: lamps.get }, doors }, options);
    // @ts-expect-error no contract has the resource
    mountAll(app, contracts, { lamps, doors, windows: doors }, options);
    // @ts-expect-error the contract has no such endpoint
    mountAll(app, contracts, { lamps, doors: { open: doors.open, shut: doors.open } }, options);
  };
  expect(mounts).toBeTypeOf('function');
});

it('lets something go around a handler, which may ask another of the resource before it', async () => {
  const seen: unknown[] = [];
  const app = await serve((shape, beside) => {
    if (shape.method === 'GET') return undefined;
    return async (call, work, answerOf) => {
      const before = beside.get && (await answerOf('get'));
      const outcome = await work();
      seen.push([shape.path, call.params, before, outcome.ok]);
      return outcome;
    };
  });
  await app.inject({ method: 'PUT', url: '/lamps/7/level', payload: { level: 3 } });
  await app.inject({ method: 'POST', url: '/doors' });
  await app.inject({ url: '/lamps/8' });
  expect(seen).toEqual([
    ['/lamps/{id}/level', { id: '7' }, { seen: '7' }, true],
    ['/doors', {}, undefined, true],
  ]);
  await app.close();
});
