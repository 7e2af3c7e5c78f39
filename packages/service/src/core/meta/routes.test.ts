import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contract, coreContract, endpointsOf, errors } from '@moorage/api';
import { beforeAll, describe, expect, it } from 'vitest';
import { diskBlobs } from '../../engine/blobs/backends/disk-blobs.ts';
import { memoryBlobs } from '../../engine/blobs/memory-blobs.ts';
import { routerPaths } from '../../engine/http/paths.ts';
import { Traffic } from '../../engine/http/traffic.ts';
import { openRecords } from '../../tables.ts';
import { buildApp, eachDatabase, extensionsRun, type TestApp, testStartMs } from '../../testing/index.ts';

eachDatabase('healthz', (open, kind) => {
  // API-EP-GET-healthz
  it('says that the service is alive and which database it has', async () => {
    const app = await buildApp(await open());
    await app.clock.advance(61_000);
    const reply = await app.client.call('meta.health');
    expect(reply.ok && reply.value.value).toEqual({ status: 'ok', version: '0.1.0', database: kind, uptime_s: 61 });
  });

  it('says that the process lives when its database does not answer: a restart would not help', async () => {
    const storage = await open();
    const app = await buildApp(storage);
    await storage.close();
    expect(await app.client.call('meta.health')).toMatchObject({ ok: true, value: { value: { status: 'ok' } } });
  });
});

const served = extensionsRun ? contract : coreContract;

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
    app = await buildApp(await openRecords('sqlite::memory:'));
    document = (await app.api.inject({ url: '/openapi.json' })).json();
  });

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ ...operation, path })),
    );

  // API-EP-GET-openapi.json
  it('describe every endpoint with its summary, clauses, caller and statuses', () => {
    expect(document.openapi).toBe('3.1.0');
    for (const { name, shape } of endpointsOf(served)) {
      const operation = operations().find(({ operationId }) => operationId === name);
      expect(operation, name).toMatchObject({ summary: shape.summary, 'x-spec': shape.spec });
      expect(operation?.security.length, name).toBe(shape.auth === 'bearer' ? 1 : 0);
      const statuses = Object.keys(operation?.responses ?? {});
      for (const status of [200, 500, ...shape.errors]) expect(statuses, name).toContain(String(status));
      if (shape.auth === 'bearer') expect(statuses, name).toContain('401');
      // Paths that differ in the names of their blanks share the names of the first.
      const blanks = [...(operation?.path ?? '').matchAll(/\{(\w+)/g)].map(([, blank]) => blank);
      expect(blanks.length, name).toBe([...shape.path.matchAll(/\{\w+/g)].length);
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
        if (Number(status) < 400) continue;
        const schema = { schema: { $ref: '#/components/schemas/Error' } };
        expect(content, `${operationId} ${status}`).toEqual({ 'application/json': schema });
      }
    }
  });

  it('describe what is mounted: every endpoint is served', () => {
    for (const { name, shape } of endpointsOf(served)) {
      for (const { url } of routerPaths(shape.path)) {
        expect(app.api.hasRoute({ method: shape.method, url }), name).toBe(true);
      }
    }
  });

  it('name only statuses that the error table has', () => {
    const known = new Set<number>(Object.values(errors).map(({ status }) => status));
    for (const { name, shape } of endpointsOf(served)) {
      for (const status of shape.errors) expect(known.has(status), `${name} ${status}`).toBe(true);
    }
  });

  it('refuse strangers wherever a bearer token is needed', async () => {
    const someId = '6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e';
    for (const { name, shape } of endpointsOf(served)) {
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
    const described = (await app.api.inject({ url: '/docs/json' })).json();
    expect(described).toEqual((await app.api.inject({ url: '/openapi.json' })).json());
    expect(described.paths).toHaveProperty('/api/auth/login');
    const parts = [...page.payload.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => part);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      expect(part).not.toMatch(/^(https?:)?\/\//);
      const url = new URL(part, 'http://service/docs').pathname;
      expect((await app.api.inject({ url })).statusCode, url).toBe(200);
    }
  });
});

eachDatabase('readyz', (open, kind, address) => {
  const ready = (app: TestApp) => app.client.call('meta.ready');
  const bus = { kind: kind === 'postgres' ? 'postgres' : 'local', connected: true };

  // API-EP-GET-readyz
  it('says that database and file contents answer', async () => {
    expect(await ready(await buildApp(await open()))).toMatchObject({ ok: true, value: { value: { status: 'ok' } } });
  });

  const away = (parts: string) => ({
    ok: false,
    error: {
      status: 503,
      body: { code: 'STORAGE_AWAY', message: `The storage does not answer (${parts}); try again in 5 seconds` },
    },
  });

  it('says which part does not answer', async () => {
    const storage = await open();
    const blobs = memoryBlobs();
    const app = await buildApp(storage, { blobs });
    blobs.check = () => Promise.reject(new Error('gone'));
    expect(await ready(app)).toMatchObject(away('file_store'));
    await storage.close();
    expect(await ready(app)).toMatchObject(away('database, file_store'));
  });

  it('says so when the database does not answer', async () => {
    const storage = await open();
    const app = await buildApp(storage);
    await storage.close();
    expect(await ready(app)).toMatchObject(away('database'));
  });

  // API-EP-GET-readyz
  it('answers within a second when the storage does not answer at all, and asks it once for all probes', async () => {
    const silent = new Promise<never>(() => {});
    for (const part of ['records', 'files'] as const) {
      const storage = await open();
      let asked = 0;
      const ask = () => {
        asked += 1;
        return silent;
      };
      const app = await buildApp(part === 'records' ? { ...storage, check: ask } : storage, {
        ...(part === 'files' && { blobs: { ...memoryBlobs(), check: ask } }),
      });
      const probes = [1, 2, 3].map(() => ready(app));
      await app.clock.advance(1_000);
      for (const probe of probes) {
        expect(await probe).toMatchObject({ ok: false, error: { status: 503, body: { code: 'STORAGE_AWAY' } } });
      }
      expect(asked, part).toBe(1);
    }
  });

  it.skipIf(kind === 'sqlite')(
    'says when messages reach no other node; requests are answered all the same',
    async () => {
      const away = { kind: 'nats', connected: false };
      const reported: string[] = [];
      const storage = await openRecords(await address(), {
        nats: { url: 'nats://127.0.0.1:1' },
        onError: () => reported.push('database'),
        onBusError: () => reported.push('bus'),
      });
      expect(reported).toEqual(['bus']);
      const app = await buildApp(storage);
      expect(await ready(app)).toMatchObject({ ok: true, value: { value: { status: 'ok', bus: away } } });
      await app.service.close();
      await storage.close();
    },
  );

  it('names an authority that is out of its time, as does the log', async () => {
    const device_names = ['localhost', '127.0.0.1', '::1'];
    const storage = await open();
    const first = await buildApp(storage);
    expect(await ready(first)).toEqual(
      expect.objectContaining({ value: expect.objectContaining({ value: { status: 'ok', bus, device_names } }) }),
    );
    await first.service.close();
    const lines: string[] = [];
    const logStream = { write: (line: string) => lines.push(line) };
    const startMs = testStartMs + 11_000 * 86_400_000;
    const app = await buildApp(storage, { startMs, logLevel: 'error', logStream });
    const warning = expect.stringContaining('has not been valid since 2053-11-06');
    expect(await ready(app)).toMatchObject({ ok: true, value: { value: { status: 'ok', warning } } });
    expect(lines).toEqual([expect.stringContaining('has not been valid since 2053-11-06')]);
  });

  // API-RULE-names-1
  it('names whoever has a name of somebody else, from the time when names were not one space', async () => {
    const storage = await open();
    const first = await buildApp(storage);
    await first.make.user({ username: 'acme' });
    await first.make.platform({ manufacturer: 'Acme' });
    await first.service.close();
    const app = await buildApp(storage);
    const warning = 'Users, customers or manufacturers have the same name: acme';
    expect(await ready(app)).toMatchObject({ ok: true, value: { value: { warning } } });
  });

  it('says so when nothing can be stored', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'moorage-ready-'));
    const blobs = await diskBlobs(folder);
    const app = await buildApp(await open(), { blobs });
    expect((await ready(app)).ok).toBe(true);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
    rmSync(folder, { recursive: true });
    expect(await ready(app)).toMatchObject({ ok: false, error: { status: 503 } });
    expect((await app.client.call('meta.health')).ok).toBe(true);
  });
});

eachDatabase('metrics', (open) => {
  const figures = async (app: TestApp): Promise<string[]> => {
    const { token } = await app.make.user({ role: 'admin' });
    const reply = await app.api.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } });
    expect(reply.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    return reply.payload.split('\n');
  };

  // API-EP-GET-metrics
  it('count requests by route and status, unknown paths under one name', async () => {
    const app = await buildApp(await open());
    const { token } = await app.make.user();
    const headers = { authorization: `Bearer ${token}` };
    for (const id of ['a', 'b']) await app.api.inject({ url: `/api/devices/${id}`, headers });
    await app.api.inject({ url: '/api/devices/a' });
    await app.api.inject({ url: '/nowhere/1' });
    await app.api.inject({ url: '/nowhere/2' });
    await app.service.devices.inject({ url: '/info' });
    const lines = await figures(app);
    const count = (listener: string, method: string, route: string, status: number) =>
      lines.find((line) =>
        line.startsWith(
          `moorage_http_request_duration_seconds_count{listener="${listener}",method="${method}",route="${route}",status="${status}"}`,
        ),
      );
    expect(count('api', 'GET', '/api/devices/:identifier', 404)).toMatch(/ 2$/);
    expect(count('api', 'GET', '/api/devices/:identifier', 401)).toMatch(/ 1$/);
    expect(count('api', 'any', 'unknown', 404)).toMatch(/ 2$/);
    expect(count('devices', 'GET', '/info', 403)).toMatch(/ 1$/);
    expect(lines).toContain('# TYPE moorage_http_request_duration_seconds histogram');
    expect(lines.find((line) => line.startsWith('process_cpu_seconds_total'))).toBeDefined();
    await app.service.close();
  });

  it('say what does not reply, and all that is known without it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'moorage-figures-'));
    const app = await buildApp(await open(), {
      blobs: await diskBlobs(folder),
      settings: { opsPort: { host: undefined, port: 0 } },
    });
    const known = async () => {
      const reply = await app.service.ops?.inject({ url: '/metrics' });
      return reply?.payload.split('\n').filter((line) => /^moorage_(part_up|warning|info|devices)/.test(line));
    };
    expect(await known()).toContain('moorage_part_up{part="file_store"} 1');
    rmSync(folder, { recursive: true });
    app.service.warnings.set('test', 'Something is wrong');
    await app.storage.close();
    expect(await known()).toEqual([
      expect.stringMatching(/^moorage_info\{version="\d+\.\d+\.\d+.*"\} 1$/),
      'moorage_part_up{part="database"} 0',
      'moorage_part_up{part="file_store"} 0',
      expect.stringMatching(/^moorage_part_up\{part="bus"\} [01]$/),
      'moorage_warning 1',
    ]);
  });

  it('count devices and open updates by state, and count again only after a minute', async () => {
    const app = await buildApp(await open());
    const platform = await app.make.platform();
    const at = { platform_id: platform.id, product_id: platform.product_id };
    const device = await app.make.device({ ...at, state: 'active' });
    await app.make.device(at);
    const update = {
      device_id: device.id,
      product_id: at.product_id,
      cause: 'device',
      to_version: '1',
      to_bversion: '1',
      created_at: 1,
    } as const;
    await app.storage.db
      .insertInto('updates')
      .values({ ...update, state: 'offered' })
      .execute();
    await app.storage.db
      .insertInto('updates')
      .values({ ...update, state: 'done' })
      .execute();
    const states = async () => (await figures(app)).filter((line) => /^moorage_(devices|open)/.test(line)).sort();
    const first = [
      'moorage_devices{state="active"} 1',
      'moorage_devices{state="enabled"} 1',
      'moorage_open_updates{state="offered"} 1',
    ];
    expect(await states()).toEqual(first);
    await app.storage.db.deleteFrom('devices').where('id', '=', device.id).execute();
    expect(await states()).toEqual(first);
    await app.clock.advance(60_000);
    expect(await states()).toEqual(['moorage_devices{state="enabled"} 1']);
    await app.service.close();
  });
});

eachDatabase('a listener for monitors', (open) => {
  const opsPort = { host: undefined, port: 0 };

  it('answers all three without a token, and nothing else', async () => {
    const app = await buildApp(await open(), { settings: { opsPort } });
    const { ops } = app.service;
    for (const url of ['/healthz', '/readyz', '/metrics']) expect((await ops?.inject({ url }))?.statusCode).toBe(200);
    for (const url of ['/', '/docs', '/api/init']) expect((await ops?.inject({ url }))?.statusCode).toBe(404);
    await app.service.close();
  });

  it('leaves /metrics of the API to administrators, with such a listener and without', async () => {
    const storage = await open();
    const { make } = await buildApp(storage);
    const [user, admin] = [await make.user(), await make.user({ role: 'admin' })];
    for (const settings of [{}, { opsPort }]) {
      const app = await buildApp(storage, { settings });
      expect(app.service.ops === undefined).toBe(settings.opsPort === undefined);
      const status = async (token?: string) => {
        const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
        // A body that nothing asks for is not looked at.
        return (await app.api.inject({ url: '/metrics', headers, payload: 'x' })).statusCode;
      };
      expect([await status(), await status(user.token), await status(admin.token)]).toEqual([401, 403, 200]);
      await app.service.close();
    }
  });
});

describe('durations', () => {
  it('fall into the class whose bound they do not pass', () => {
    const traffic = new Traffic();
    const count = traffic.route('api', 'GET', '/');
    for (const durationMs of [0.5, 1, 1.1, 10_000, 10_001]) count(200, durationMs);
    const [cell] = traffic.cells;
    expect([cell?.counts[0], cell?.counts[1], cell?.counts.at(-2), cell?.counts.at(-1)]).toEqual([2, 1, 1, 1]);
    expect(cell?.sum).toBeCloseTo(20.0036);
  });
});
