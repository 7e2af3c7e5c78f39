import { randomUUID } from 'node:crypto';
import {
  callUrl,
  contract,
  type EndpointShape,
  endpointsOf,
  grants,
  isBinary,
  type ProductField,
  productFields,
  scopeOf,
  tokenScopes,
} from '@moorage/api';
import type { InjectOptions } from 'fastify';
import { expect, it } from 'vitest';
import { authorise, may, type Role, roles } from './core/access/rules.ts';
import { makeToken } from './core/auth/accounts.ts';
import { softwarePlatform } from './core/devices/rules.ts';
import { type AccessScene, accessScene, heldBy, paramsOf } from './testing/access-scene.ts';
import { type Row, walk } from './testing/access-table.ts';
import { expectAnswerHeaders } from './testing/answer-headers.ts';
import { buildApp, eachDatabase, type TestApp } from './testing/index.ts';
import { injectAny } from './testing/inject-events.ts';

/** Ids of nothing, for calls that are let through. */
const nowhere = Object.fromEntries(
  [...productFields, 'platform_id', 'customer_id', 'user_id'].map((name) => [name, randomUUID()]),
);

/** What a part of a request declares; bytes declare nothing. */
const partOf = (part: EndpointShape['body']): object =>
  part && !isBinary(part) && 'properties' in part ? (part.properties as object) : {};

/** A thing of the product of a scene, under one of the names that there are for it. */
const ownOf = (scene: AccessScene, field: ProductField): unknown =>
  field === 'device_ids' ? [scene.device] : paramsOf(scene)[field];

/** The fields of a body that name a thing of a product, each with the id of nothing. */
const elsewhere = (body: object = {}): object =>
  Object.fromEntries(
    productFields.flatMap((field) =>
      field in body ? [[field, field === 'device_ids' ? [nowhere[field]] : nowhere[field]]] : [],
    ),
  );

type Outcome = 'may' | 'FORBIDDEN' | 'NOT_FOUND' | 'TOKEN_SCOPE' | 'TOKEN_PRODUCT';

const expected = ({ on, action }: Row, role: Role): Outcome =>
  action === undefined ? 'may' : ((authorise(action, heldBy(role, on), 'It')?.code as Outcome | undefined) ?? 'may');

/** What hides behind "not found" when the caller may not see it, as its message begins. */
const hidden =
  /^(Device|Product|Bundle|Resource|Connector|Segment|Alert rule|Alert|Rollout|Platform|User|Customer) not found$/;

async function outcomeOf(app: TestApp, row: Row, scene: AccessScene): Promise<Outcome> {
  const { shape } = row;
  const body = row.body(scene);
  const request: InjectOptions = {
    // Safe: only the contract's methods.
    method: shape.method as NonNullable<InjectOptions['method']>,
    url: callUrl(shape, { params: row.params(scene) }),
    headers: { authorization: `Bearer ${scene.caller.token}` },
    ...(body && { payload: body }),
  };
  const reply = await injectAny(app.api, shape, request);
  expect(reply.statusCode, reply.payload).toBeLessThan(500);
  expectAnswerHeaders(reply.headers);
  if (reply.statusCode < 400) return 'may';
  const { code, message } = JSON.parse(reply.payload) as { code: string; message: string };
  if (code === 'INVALID_REQUEST') throw new Error(`The call has a bad body: ${message}`);
  if (code === 'FORBIDDEN' || code === 'TOKEN_SCOPE' || code === 'TOKEN_PRODUCT') return code;
  return code === 'NOT_FOUND' && hidden.test(message) ? 'NOT_FOUND' : 'may';
}

/** The endpoints that users show a token to. */
const shown = endpointsOf(contract).filter(({ shape }) => shape.auth === 'bearer');

// API-RULE-access-1, API-RULE-access-2
eachDatabase('authorisation of the endpoints', (open) => {
  it('is tried for every right that the entry of an endpoint names', () => {
    const wrong = shown.flatMap(({ name, shape }) => {
      const tried = walk.filter((row) => row.name === name).map(({ action = 'filtered' }) => action);
      const named = [shape.access].flat();
      return [...new Set(tried)].sort().join() === [...named].sort().join() ? [] : [`${name}: ${tried}`];
    });
    expect(wrong).toEqual([]);
  });

  it('is the table of the rules, cell by cell', async () => {
    const app = await buildApp(await open());
    const software = await app.make.platform({ code: softwarePlatform, part_id: null });
    const wrong: string[] = [];
    const walkAs = async (role: Role): Promise<void> => {
      // A scene serves until a call has changed it.
      let kept: AccessScene | undefined;
      for (const row of walk) {
        const wanted = expected(row, role);
        const scene = kept ?? (await accessScene(app, role, software.id));
        const found = await outcomeOf(app, row, scene).catch(String);
        const hasChanged = row.shape.method !== 'GET' && found !== 'FORBIDDEN' && found !== 'NOT_FOUND';
        kept = hasChanged ? undefined : scene;
        if (found !== wanted) wrong.push(`${row.name} by ${role}: ${found} instead of ${wanted}`);
      }
    };
    await Promise.all(roles.map(walkAs));
    expect(wrong).toEqual([]);
  });
});

// API-RULE-token-3, API-RULE-token-4
eachDatabase('tokens with limits', (open) => {
  /** A token of the caller of a scene with these limits. */
  const limitedTo = async (
    { storage, clock }: TestApp,
    { caller }: AccessScene,
    limits: Partial<Parameters<typeof makeToken>[1]>,
  ): Promise<string> => {
    const proof = { atMs: 1, provenAtMs: clock.now() };
    const made = await makeToken(storage.db, { userId: caller.id, title: 'x', client: null, ...proof, ...limits });
    return made.token;
  };

  it('are limited by every field that names a thing of a product, and by no other', () => {
    const wrong = shown.flatMap(({ name, shape: { limited = 'closed', params, query, body } }) => {
      const all = { ...partOf(params), ...partOf(query), ...partOf(body) };
      const declared = productFields.filter((field) => field in all);
      const named: readonly string[] = typeof limited === 'string' ? [] : limited;
      if (limited === 'closed') return [];
      return [...named].sort().join() === [...declared].sort().join() && (limited === 'open' || named.length > 0)
        ? []
        : [`${name}: ${named} instead of ${declared}`];
    });
    expect(wrong).toEqual([]);
  });

  it('are the table of scopes, cell by cell', async () => {
    const app = await buildApp(await open());
    const scene = await accessScene(app, 'admin', (await app.make.platform()).id);
    const wrong: string[] = [];
    for (const { name, shape } of shown) {
      const needed = scopeOf(shape) ?? 'all';
      for (const scope of tokenScopes) {
        const token = await limitedTo(app, scene, { scopes: [scope] });
        // What may be done is done to nothing.
        const url = callUrl(shape, { params: { ...paramsOf(scene), ...nowhere } });
        const headers = { authorization: `Bearer ${token}` };
        // Safe: only the contract's methods.
        const method = shape.method as NonNullable<InjectOptions['method']>;
        const reply = await injectAny(app.api, shape, { method, url, headers });
        const refused = /TOKEN_SCOPE|UNAUTHENTICATED/.exec(reply.payload)?.[0];
        const wanted = grants([scope], needed) ? undefined : 'TOKEN_SCOPE';
        if (refused !== wanted) wrong.push(`${name} with ${scope}: ${refused} instead of ${wanted}`);
        if (wanted && !reply.payload.includes(`The token lacks the scope \\"${needed}\\"`)) wrong.push(reply.payload);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('of another product get nowhere, those of the product wherever it is named', async () => {
    const app = await buildApp(await open());
    const software = await app.make.platform({ code: softwarePlatform, part_id: null });
    const other = await app.make.product({ platform_id: software.id });
    const wrong: string[] = [];
    const scene = await accessScene(app, 'admin', software.id);
    const as = async (id: string) => ({
      ...scene,
      caller: { ...scene.caller, token: await limitedTo(app, scene, { productIds: [id] }) },
    });
    const [stranger, own] = [await as(other.id), await as(scene.product)];
    for (const row of walk) {
      const { name, shape } = row;
      const found = shape.limited === 'open' ? 'TOKEN_PRODUCT' : await outcomeOf(app, row, stranger);
      if (found !== 'TOKEN_PRODUCT') wrong.push(`${name} of another product: ${found}`);
      if (shape.method !== 'GET' || !['product', 'device'].includes(row.on)) continue;
      const reached = await outcomeOf(app, row, own);
      if (reached === 'TOKEN_PRODUCT') wrong.push(`${name} of the product: ${reached}`);
    }
    expect(wrong).toEqual([]);
  });

  it.each(['query', 'body'] as const)(
    'get nowhere by a name in the %s that the endpoint does not declare',
    async (place) => {
      const app = await buildApp(await open());
      const software = await app.make.platform({ code: softwarePlatform, part_id: null });
      const scene = await accessScene(app, 'admin', software.id);
      const wrong: string[] = [];
      for (const { name, shape } of shown) {
        const token = await limitedTo(app, scene, { productIds: [scene.product] });
        const row = walk.find((one) => one.name === name);
        const good = row?.body(scene);
        const declared = { ...partOf(shape.params), ...partOf(shape.query), ...partOf(shape.body) };
        const names = productFields.filter((field) => !(field in declared));
        const own = Object.fromEntries(names.map((field) => [field, ownOf(scene, field)]));
        const reply = await injectAny(app.api, shape, {
          // Safe: only the contract's methods.
          method: shape.method as NonNullable<InjectOptions['method']>,
          url: callUrl(shape, {
            params: { ...row?.params(scene), ...nowhere },
            ...(place === 'query' && { query: own }),
          }),
          headers: { authorization: `Bearer ${token}` },
          ...((good || place === 'body') && { payload: { ...good, ...elsewhere(good), ...(place === 'body' && own) } }),
        });
        const code = /"code":"(\w+)"/.exec(reply.payload)?.[1];
        // An endpoint about no product is open with such a name in its body, which means nothing there.
        const isRight =
          place === 'query' ? code === 'INVALID_REQUEST' : code === 'TOKEN_PRODUCT' || shape.limited === 'open';
        if (!isRight) wrong.push(`${name}: ${reply.statusCode} ${code}`);
        if (place === 'query' && !names.every((field) => reply.payload.includes(`"${field}"`)))
          wrong.push(`${name}: ${reply.payload}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});

/** Whether a list leaves a thing out: what shows it to a caller in a role, and how a list is asked for it. */
interface ListRow {
  readonly visibleTo: (role: Role) => boolean;
  readonly url: (scene: AccessScene) => string;
  readonly shows: (body: unknown, scene: AccessScene) => boolean;
}

type Items = readonly Readonly<Record<string, unknown>>[];
const hasItem = (field: string, value: unknown) => (body: unknown) =>
  (body as Items).some((item) => item[field] === value);
const seesProduct = (role: Role) => may('product.read', heldBy(role, 'product'));
const seesDevice = (role: Role) => may('device.read', heldBy(role, 'device'));
/** Testers see what a product is, but not what happens to it. Reference: events 1.2. */
const watchesProduct = (role: Role) => ['operator', 'manager', 'trustedVendor', 'owner', 'admin'].includes(role);
const watchesDevice = (role: Role) => watchesProduct(role) || heldBy(role, 'device').includes('deviceOwner');
const everybody = () => true;

/** Every list of the walk, and one row of a log. */
const lists: Readonly<Record<string, ListRow | readonly ListRow[]>> = {
  'platforms.list': {
    visibleTo: everybody,
    url: () => '/api/platforms?limit=500',
    shows: (body, { platform }) => hasItem('id', platform)(body),
  },
  'products.list': {
    visibleTo: seesProduct,
    url: ({ platform }) => `/api/products?platform_id=${platform}`,
    shows: (body, { product }) => hasItem('id', product)(body),
  },
  'devices.list': {
    visibleTo: seesDevice,
    url: ({ product }) => `/api/devices?product_id=${product}`,
    shows: (body, { device }) => hasItem('id', device)(body),
  },
  'metrics.locations': {
    visibleTo: (role) => may('device.private', heldBy(role, 'device')),
    url: ({ product }) => `/api/metrics/locations/devices?product_id=${product}`,
    shows: (body, { device }) => hasItem('device_id', device)(body),
  },
  'rollouts.freezes': {
    visibleTo: watchesProduct,
    url: () => '/api/freezes?limit=500',
    shows: (body, { product }) => hasItem('product_id', product)(body),
  },
  'rollouts.listAll': {
    visibleTo: watchesProduct,
    url: () => '/api/rollouts?limit=500',
    shows: (body, { rollout }) => hasItem('id', rollout)(body),
  },
  'metrics.places': {
    visibleTo: (role) => may('device.private', heldBy(role, 'device')),
    url: ({ product }) => `/api/metrics/locations/places?product_id=${product}`,
    shows: (body) => (body as readonly unknown[]).length > 0,
  },
  'fleet.summary': {
    visibleTo: seesDevice,
    url: ({ product }) => `/api/metrics/fleet?product_id=${product}`,
    shows: (body) => (body as { total: number }).total > 0,
  },
  'alerts.list': {
    visibleTo: watchesProduct,
    url: ({ product }) => `/api/alerts?product_id=${product}`,
    shows: (body, { alert }) => hasItem('id', alert)(body),
  },
  'audit.list': {
    visibleTo: watchesProduct,
    url: ({ product }) => `/api/audit?object=${product}`,
    shows: (body, { product }) => hasItem('product_id', product)(body),
  },
  'logs.list': [
    {
      visibleTo: watchesProduct,
      url: ({ product }) => `/api/logs?product_id=${product}&type=bundle.tag`,
      shows: (body, { productLog }) => hasItem('id', productLog)(body),
    },
    {
      visibleTo: watchesDevice,
      url: ({ device }) => `/api/logs?device_id=${device}`,
      shows: (body, { deviceLog }) => hasItem('id', deviceLog)(body),
    },
  ],
  'logs.get': [
    {
      visibleTo: watchesProduct,
      url: ({ productLog }) => `/api/logs/${productLog}`,
      shows: (body, { productLog }) => (body as { id?: unknown }).id === productLog,
    },
    {
      visibleTo: watchesDevice,
      url: ({ deviceLog }) => `/api/logs/${deviceLog}`,
      shows: (body, { deviceLog }) => (body as { id?: unknown }).id === deviceLog,
    },
  ],
  'metrics.activity': {
    visibleTo: watchesDevice,
    url: ({ product }) => `/api/metrics/activity?product_id=${product}&from=0&to=86400000`,
    shows: (body) => (body as { series: { claim: number }[] }).series.some(({ claim }) => claim > 0),
  },
};

// API-RULE-access-1, API-RULE-access-2, API-RULE-log-1
eachDatabase('authorisation of the lists', (open) => {
  it('has a row for every list of the walk, and none for another', () => {
    const filtered = shown.filter(({ shape }) => shape.method === 'GET' && shape.access === 'filtered');
    expect(Object.keys(lists).sort()).toEqual(filtered.map(({ name }) => name).sort());
  });

  it('leaves out what the caller may not see, cell by cell, in the page and in its total', async () => {
    const app = await buildApp(await open());
    const software = await app.make.platform({ code: softwarePlatform, part_id: null });
    const wrong: string[] = [];
    for (const role of roles) {
      const scene = await accessScene(app, role, software.id);
      const freeze = { product_id: scene.product, reason: 'x', until: null, created_at: 1 };
      await app.storage.db.insertInto('freezes').values(freeze).execute();
      const nothing = { user_id: null, token_id: null, token: null, ip: null, object_kind: null, object_id: null };
      const words = { message: null, before: null, after: null };
      const change = { ...nothing, ...words, at: 1, user: 'x', action: 'x', product_id: scene.product };
      await app.storage.db.insertInto('audit_queue').values(change).execute();
      for (const [name, row] of Object.entries(lists).flatMap(([name, rows]) =>
        [rows].flat().map((row) => [name, row] as const),
      )) {
        const headers = { authorization: `Bearer ${scene.caller.token}` };
        const reply = await app.api.inject({ url: row.url(scene), headers });
        const seen = row.shows(reply.json(), scene);
        if (seen !== row.visibleTo(role)) wrong.push(`${name} by ${role}: ${seen ? 'shown' : 'left out'}`);
        if (reply.statusCode !== 200 && (seen || name !== 'logs.get')) wrong.push(`${name}: ${reply.statusCode}`);
        const total = reply.headers['x-total-count'];
        // All of it fits on one page: whatever the total counted beside it would be a leak.
        if (total !== undefined && Number(total) !== reply.json<Items>().length) {
          wrong.push(`${name} by ${role}: a total of ${total}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});
