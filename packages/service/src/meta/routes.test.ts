import { contract, endpointsOf, errors } from '@moorage/api';
import { beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../db/open.ts';
import { routerPaths } from '../http/paths.ts';
import { buildApp, eachDatabase, type TestApp } from '../testing/index.ts';

eachDatabase('healthz', (open, kind) => {
  // API-EP-GET-healthz
  it('says that the service is alive and which database it has', async () => {
    const app = await buildApp(await open());
    await app.clock.advance(61_000);
    const reply = await app.client.call('meta.health');
    expect(reply.ok && reply.value.value).toEqual({ status: 'ok', version: '0.1.0', database: kind, uptime_s: 61 });
  });

  it('says so when the database does not answer', async () => {
    const storage = await open();
    const app = await buildApp(storage);
    await storage.close();
    const reply = await app.client.call('meta.health');
    expect(reply).toMatchObject({ ok: false, error: { status: 503, body: { code: 'BUSY' } } });
  });
});

describe('API documents', () => {
  let app: TestApp;
  let document: {
    readonly openapi: string;
    readonly paths: Readonly<
      Record<
        string,
        Readonly<
          Record<
            string,
            {
              readonly operationId: string;
              readonly summary: string;
              readonly 'x-spec': readonly string[];
              readonly security: readonly unknown[];
              readonly parameters: readonly { readonly name: string; readonly in: string }[];
              readonly responses: Readonly<Record<string, { readonly content: unknown }>>;
            }
          >
        >
      >
    >;
  };
  beforeAll(async () => {
    app = await buildApp(await openStorage('sqlite::memory:'));
    document = (await app.api.inject({ url: '/openapi.json' })).json();
  });

  const operations = () => Object.values(document.paths).flatMap((path) => Object.values(path));

  // API-EP-GET-openapi.json
  it('describe every endpoint with its summary, clauses, caller and statuses', () => {
    expect(document.openapi).toBe('3.1.0');
    for (const { name, shape } of endpointsOf(contract)) {
      const operation = operations().find(({ operationId }) => operationId === name);
      expect(operation, name).toMatchObject({ summary: shape.summary, 'x-spec': shape.spec });
      expect(operation?.security.length, name).toBe(shape.auth === 'bearer' ? 1 : 0);
      const statuses = Object.keys(operation?.responses ?? {});
      for (const status of [200, 500, ...shape.errors]) expect(statuses, name).toContain(String(status));
      if (shape.auth === 'bearer') expect(statuses, name).toContain('401');
      const blanks = [...shape.path.matchAll(/\{(\w+)/g)].map(([, blank]) => blank);
      const inPath = operation?.parameters
        .filter((parameter) => parameter.in === 'path')
        .map((parameter) => parameter.name);
      expect(inPath, name).toEqual(blanks);
    }
  });

  it('give every operation a name of its own', () => {
    const names = operations().map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('describe refusals by one schema', () => {
    for (const { responses, operationId } of operations()) {
      for (const [status, { content }] of Object.entries(responses)) {
        if (status === '200') continue;
        const schema = { schema: { $ref: '#/components/schemas/Error' } };
        expect(content, `${operationId} ${status}`).toEqual({ 'application/json': schema });
      }
    }
  });

  it('describe what is mounted: every endpoint is served', () => {
    for (const { name, shape } of endpointsOf(contract)) {
      for (const { url } of routerPaths(shape.path)) {
        expect(app.api.hasRoute({ method: shape.method, url }), name).toBe(true);
      }
    }
  });

  it('name only statuses that the error table has', () => {
    const known = new Set<number>(Object.values(errors).map(({ status }) => status));
    for (const { name, shape } of endpointsOf(contract)) {
      for (const status of shape.errors) expect(known.has(status), `${name} ${status}`).toBe(true);
    }
  });

  it('refuse strangers wherever a bearer token is needed', async () => {
    const someId = '6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e';
    for (const { name, shape } of endpointsOf(contract)) {
      if (shape.auth !== 'bearer') continue;
      const url = shape.path.replace(/\{\w+[*?]?\}/g, someId);
      const reply = await app.api.inject({ method: shape.method, url });
      expect(reply.statusCode, name).toBe(401);
    }
  });

  // API-EP-GET-docs
  it('have a page whose parts are all served from here', async () => {
    expect((await app.api.inject({ url: '/' })).headers.location).toBe('/docs');
    const page = await app.api.inject({ url: '/docs' });
    expect(page.statusCode).toBe(200);
    const parts = [...page.payload.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => part);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      expect(part).not.toMatch(/^(https?:)?\/\//);
      const url = new URL(part, 'http://service/docs').pathname;
      expect((await app.api.inject({ url })).statusCode, url).toBe(200);
    }
  });
});
