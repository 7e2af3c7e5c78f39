import { contract, refusedValues } from '@moorage/api';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { softwarePlatform } from './core/devices/rules.ts';
import type { Storage } from './engine/db/storage.ts';
import { openApiDocument } from './engine/http/openapi.ts';
import { openRecords } from './tables.ts';
import { expectAnswerHeaders } from './testing/answer-headers.ts';
import { buildApp, eachDatabase, type TestApp } from './testing/index.ts';
import { type Schema, valuesOf, wrongValue } from './testing/schema-values.ts';
import { openScene, paramsOf, type Scene } from './testing/spelling-scene.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, { schema: Schema }>>;
        /** Codes of what fits its schema and is refused all the same. */
        readonly 'x-refused-values'?: readonly string[];
      }
    >
  >;
  readonly security: readonly unknown[];
}

// Safe: another test checks that the document is one.
const document = openApiDocument(contract, '1.0.0') as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Schema;
};

/** Requests of each kind for each operation: enough to meet each field, few enough for seconds. */
const runs = 3;

/** Changes come after reading, and deletions last, so that there is something to find. */
const order = ['get', 'put', 'post', 'delete'];

const operations = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const at = order.indexOf(path.endsWith('/delete') ? 'delete' : method);
      return { ...operation, path, method, at };
    }),
  )
  // Events come without an end, and this one would end the session of the test.
  .filter(({ responses }) => !('text/event-stream' in (responses[200]?.content ?? {})))
  .filter(({ path, method }) => path !== '/api/auth/session' || method !== 'delete')
  .toSorted((one, other) => one.at - other.at);
type Described = (typeof operations)[number];
const named = operations.map((operation) => [operation.operationId, operation] as const);

const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ components: document.components }, 'document');
const validators = new WeakMap<Schema, ReturnType<typeof ajv.compile>>();

/** What is wrong with a body by a schema, whose references lead into the document. */
function faultsOf(schema: Schema, body: unknown): unknown {
  const absolute = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const validate = validators.get(schema) ?? ajv.compile(JSON.parse(absolute));
  validators.set(schema, validate);
  return validate(body) ? undefined : validate.errors;
}

interface Sent {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const jsonBody = ({ requestBody }: Described): Schema | undefined => requestBody?.content['application/json']?.schema;

/** Values of the parts of a request that fit what the document says of them. */
function goodParts(operation: Described): fc.Arbitrary<Sent> {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const properties = Object.fromEntries(query.map(({ name, schema }) => [name, schema]));
  const required = query.filter((parameter) => parameter.required).map(({ name }) => name);
  const schema = jsonBody(operation);
  return fc.record({
    query: valuesOf({ type: 'object', properties, required }) as fc.Arbitrary<Sent['query']>,
    body: schema ? valuesOf(schema) : fc.constant(undefined),
  }) as fc.Arbitrary<Sent>;
}

/** Settings of a rollout that contradict each other. */
const wrongSettings =
  /^(Stage \d+ |Stages and |Either stages|The growth takes|Settings and a template|Settings or a template|The start is|Window \d+ has|There is no time zone|A device that has all|No deadline leads|A default cannot)/;
/** What such a refusal says; that there is one, the document says. */
const stateful: Readonly<Record<string, RegExp>> = {
  'doors.addKeys': /is neither a public key nor the SHA-256 of one$/,
  'productPeople.move': /^Either a user or a customer is named/,
  'products.update': /^The code of a product never changes/,
  'connectors.update': /^Field "opts.type" of the body never changes|changes the target/,
  'rollouts.create': wrongSettings,
  'rollouts.reach': new RegExp(`${wrongSettings.source}|^\\w+ is needed for `),
  'rollouts.setFleetSettings': wrongSettings,
  'rollouts.act': /^Only a rollout that is rolled back takes a bundle/,
  'metrics.activity': /intervals are more than|has to be before "to"/,
};

interface World {
  readonly app: TestApp;
  readonly scene: Scene;
  /** What the blanks of paths, and ids in bodies, are filled with. */
  readonly known: Readonly<Record<string, unknown>>;
}

async function openWorld(storage: Storage): Promise<World> {
  const app = await buildApp(storage);
  const scene = await openScene(app, softwarePlatform);
  // Somebody else's account: the caller's own has to last.
  const { id: user_id } = await app.make.user();
  return { app, scene, known: { ...paramsOf(scene), user_id, firmware_id: scene.firmware, flavor_id: scene.flavor } };
}

function send(
  { app, scene, known }: World,
  operation: Pick<Described, 'path' | 'method'>,
  { path, query, body }: Sent,
  token = scene.caller.token,
) {
  const blanks = { ...known, ...path };
  const url = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(blanks[name])));
  const entries = Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
  const options: InjectOptions = {
    // Safe: the methods of the document.
    method: operation.method.toUpperCase() as 'GET',
    url: `${url}?${new URLSearchParams(entries)}`,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': Buffer.isBuffer(body) ? 'text/plain' : 'application/json' }),
    },
    ...(body !== undefined && { payload: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  };
  return app.api.inject(options);
}
type Reply = Awaited<ReturnType<typeof send>>;

/** Status, media type, body and headers are among those that the document has. */
function expectDescribed(operation: Described, reply: Reply): void {
  const { statusCode, headers, payload } = reply;
  expectAnswerHeaders(headers);
  const response = operation.responses[statusCode];
  expect(Object.keys(operation.responses), payload).toContain(String(statusCode));
  if (statusCode === 304) return;
  const type = String(headers['content-type']).replace(/;.*/, '');
  const types = Object.entries(response?.content ?? {}).map(([name, one]) => [name.replace(/;.*/, ''), one] as const);
  const fitting = types.find(([name]) => name === type || name === 'application/octet-stream' || name === 'image/*');
  expect(fitting?.[0], `${type} of ${operation.operationId}`).toBeDefined();
  if (type === 'application/json' && fitting?.[0] === type) {
    expect({ payload, faults: faultsOf(fitting[1].schema, JSON.parse(payload)) }).toEqual({ payload });
  }
}

const withKnownIds = ({ known }: World, body: unknown): unknown =>
  typeof body !== 'object' || body === null || Array.isArray(body)
    ? body
    : Object.fromEntries(
        Object.entries(body).map(([name, value]) => [
          name,
          /_id$/.test(name) && value ? (known[name] ?? value) : value,
        ]),
      );

it('values that are refused though they fit are those of operations that there are', () => {
  const names = operations.map(({ operationId }) => operationId);
  expect(Object.keys(refusedValues).filter((name) => !names.includes(name))).toEqual([]);
});

eachDatabase('every answer is as the OpenAPI document says', (open) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(await open());
  });

  it.each(named)('%s takes what fits', async (_, operation) => {
    await fc.assert(
      fc.asyncProperty(goodParts(operation), async ({ query, body }) => {
        const bytes = operation.requestBody && !jsonBody(operation) ? Buffer.from('bytes') : undefined;
        const reply = await send(world, operation, { query: query ?? {}, body: bytes ?? withKnownIds(world, body) });
        expectDescribed(operation, reply);
        if (reply.statusCode !== 400) return;
        const { code, message } = reply.json();
        expect(operation.responses[400]?.['x-refused-values'] ?? [], reply.payload).toContain(code);
        if (code === 'INVALID_REQUEST') expect(message, reply.payload).toMatch(stateful[operation.operationId] ?? /^$/);
      }),
      { numRuns: runs },
    );
  });

  describe('what was made is there until it is deleted', () => {
    const at = (url: string) => ({ authorization: `Bearer ${world.scene.caller.token}`, url });
    const call = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
      const { authorization } = at(url);
      return world.app.api.inject({ method, url, headers: { authorization }, ...(payload && { payload }) });
    };
    it.each([
      ['product', '/api/products', { title: 'x', code: 'GONE', meta: '' }, '/api/products/{id}'],
      [
        'connector',
        '/api/products/{product}/connectors',
        { title: 'x', code: 'GONE', opts: { url: 'https://example.com/' } },
        '/api/connectors/{id}',
      ],
      ['asset', '/api/products/{product}/assets/gone.txt', Buffer.from('x'), '/api/products/{product}/assets/gone.txt'],
      ['file', '/api/devices/{device}/files/gone.txt', Buffer.from('x'), '/api/devices/{device}/files/gone.txt'],
    ] as const)('%s', async (_, made, body, there) => {
      const { product } = unwrapped(await call('POST', '/api/products', fresh()));
      // Those of the scene have been deleted by now.
      const at = { platform_id: world.scene.platform, product_id: product };
      const device = made.includes('{device}') ? (await world.app.make.device(at)).id : '';
      const fill = (url: string, id = '') =>
        url.replace('{product}', product).replace('{device}', device).replace('{id}', id);
      const reply = await call('POST', fill(made), 'code' in body && made === '/api/products' ? fresh() : body);
      expect(reply.statusCode, reply.payload).toBe(200);
      const url = fill(there, reply.json().id);
      const statuses = [];
      for (const method of ['GET', 'DELETE', 'GET', 'DELETE'] as const)
        statuses.push((await call(method, url)).statusCode);
      expect(statuses).toEqual([200, 200, 404, 404]);
    });
    let count = 0;
    const fresh = () => ({ title: 'x', code: `GONE${++count}`, meta: '', platform_id: world.scene.platform });
    const unwrapped = (reply: Reply): { product: string } => ({ product: reply.json().id });
  });
});

// These requests come to no database.
describe('what the OpenAPI document does not have', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(await openRecords('sqlite::memory:'));
  });
  afterAll(() => world.app.storage.close());

  const wrongParts = (operation: Described): [key: string, wrong: Sent][] => {
    const schema = jsonBody(operation);
    const fields = Object.entries((schema?.properties ?? {}) as Readonly<Record<string, Schema>>);
    const required = Array.isArray(schema?.required) ? schema.required.map(String) : [];
    return [
      ...operation.parameters
        .filter((parameter) => parameter.in === 'path' && parameter.schema.format === 'uuid')
        .map(({ name }): [string, Sent] => [name, { path: { [name]: 'no-uuid' } }]),
      ...operation.parameters
        .filter(({ schema: { type, enum: values } }) => type === 'integer' || values !== undefined)
        .filter((parameter) => parameter.in === 'query')
        .map(({ name }): [string, Sent] => [name, { query: { [name]: 'none of these' } }]),
      ...fields.flatMap(([name, field]): [string, Sent][] => {
        const value = wrongValue(field);
        return value === undefined ? [] : [[name, { body: { [name]: value } }]];
      }),
      ...required.slice(0, 1).map((name): [string, Sent] => [name, { body: {} }]),
    ];
  };

  it.each(named)('%s refuses what does not fit, naming it', async (_, operation) => {
    for (const [key, wrong] of wrongParts(operation)) {
      const reply = await send(world, operation, wrong);
      expectDescribed(operation, reply);
      expect([key, reply.statusCode, reply.json().validation?.keys]).toEqual([key, 400, expect.arrayContaining([key])]);
      expect(reply.json().message).not.toMatch(/\\|\^|\$/);
    }
    for (const body of jsonBody(operation) ? [null, [], 'text', 1] : []) {
      const reply = await send(world, operation, { body });
      expectDescribed(operation, reply);
      expect({ body, status: reply.statusCode, source: reply.json().validation?.source }).toEqual({
        body,
        status: 400,
        source: 'body',
      });
    }
  });

  it.each(named.filter(([, { security }]) => security.length > 0))('%s needs a token', async (_, operation) => {
    for (const token of ['', 'wrong']) {
      const reply = await send(world, operation, {}, token);
      expectDescribed(operation, reply);
      expect(reply.statusCode).toBe(401);
    }
  });

  const fits = (template: string, path: string): boolean =>
    new RegExp(
      `^${template
        .replaceAll('.', '\\.')
        .replace(/\{path\}$|\{name\}$/, '.+')
        .replace(/\{\w+\}/g, '[^/]+')}$`,
    ).test(path);

  it.each(Object.keys(document.paths))('%s has no methods but its own', async (path) => {
    const own = Object.keys(document.paths[path] ?? {}).map((method) => method.toUpperCase());
    // A path without blanks may be one of those with them, which have methods of their own.
    const also = Object.entries(document.paths)
      .filter(([template]) => template !== path && fits(template, path.replace(/\{\w+\}/g, 'x')))
      .flatMap(([, methods]) => Object.keys(methods).map((method) => method.toUpperCase()));
    for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'QUERY']) {
      if ([...own, ...also].includes(method)) continue;
      const reply = await send(world, { path, method }, {});
      expect([method, reply.statusCode, reply.json().code]).toEqual([method, 405, 'METHOD_NOT_ALLOWED']);
      expectAnswerHeaders(reply.headers);
      expect(String(reply.headers.allow).split(', ').toSorted()).toEqual(own.toSorted());
    }
  });
});
