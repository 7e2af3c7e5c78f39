import { connect } from 'node:net';
import { contract, deviceListenerContract, type EndpointShape, endpointsOf, errors } from '@moorage/api';
import fc from 'fast-check';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { statusesOf } from './engine/http/openapi.ts';
import { openRecords } from './tables.ts';
import { type AbuseRequest, abuseOf } from './testing/abuse-requests.ts';
import { type AbuseWorld, openAbuseWorld, secretMark } from './testing/abuse-world.ts';
import { buildApp, type DatabaseKind, eachDatabase } from './testing/index.ts';
import { injectAny } from './testing/inject-events.ts';

/** Requests of one run, all endpoints together. */
const requestsOf: Readonly<Record<DatabaseKind, number>> = { sqlite: 40_000, postgres: 10_000 };
/** Requests under way at a time. */
const lanes = 16;
/** Endpoints that hash a password, which is slow on purpose: so many requests each. */
const slowEndpoints = [
  'auth.login',
  'auth.signup',
  'session.open',
  'session.signup',
  'session.changePassword',
  'device.claim',
  'data.activate',
  'data.deactivate',
];
const slowRequests = 60;
/** One run is like another; set the variable to try others. */
const seed = Number(process.env.ABUSE_SEED ?? 1);

/** Things that tell of the inside of the service. */
const insides = /\n\s+at |node_modules|node:internal|\.ts:\d|sqlite|select .* from|constraint/i;

interface Attack {
  readonly app: FastifyInstance;
  readonly request: AbuseRequest;
  readonly name: string;
  readonly shape: EndpointShape;
}

/** Requests to every endpoint of a contract. */
function attacks(
  app: FastifyInstance,
  resources: Parameters<typeof endpointsOf>[0],
  headers: (shape: EndpointShape) => Readonly<Record<string, string>>,
  { ids, count }: { readonly ids: readonly string[]; readonly count: number },
): Attack[] {
  const endpoints = endpointsOf(resources);
  return endpoints.flatMap(({ name, shape }) => {
    const each = Math.ceil(count / endpoints.length);
    const numRuns = slowEndpoints.includes(name) ? Math.min(each, slowRequests) : each;
    return fc.sample(abuseOf(shape, ids), { numRuns, seed }).map((request) => {
      return { app, name, shape, request: { ...request, headers: { ...headers(shape), ...request.headers } } };
    });
  });
}

/** How many requests a server has served: abuse that is always refused at the door tries nothing. */
const succeeded = new WeakMap<FastifyInstance, number>();

/** What is wrong with the answer to a request, if anything is. */
async function fault({ app, shape, request }: Attack, mayKnow: boolean): Promise<string | undefined> {
  // Safe: the methods are those of the contract.
  const reply = await injectAny(app, shape, request as InjectOptions);
  const { statusCode, payload } = reply;
  if (statusCode === 200) succeeded.set(app, (succeeded.get(app) ?? 0) + 1);
  if (statusCode >= 500) return `answered ${statusCode}`;
  // What was meant for this endpoint, and got there.
  const isAimed = request.method === shape.method && !payload.includes('Path not found') && statusCode !== 405;
  if (isAimed && shape.path.startsWith('/api/') && !statusesOf(shape).includes(statusCode)) {
    return `answered ${statusCode}, of which the document says nothing`;
  }
  if (statusCode >= 300 && statusCode !== 304) {
    const body = JSON.parse(payload) as { code?: string; statusCode?: number };
    if (body.statusCode !== statusCode || !(String(body.code) in errors)) return `answered with the body ${payload}`;
    if (insides.test(payload)) return `tells of its insides: ${payload}`;
  }
  if (!mayKnow && (payload.includes(secretMark) || JSON.stringify(reply.headers).includes(secretMark))) return 'leaks';
  return undefined;
}

/** Sends them all, some at a time; returns the first fault of each endpoint, and how many requests there were. */
async function attackWith(all: readonly Attack[], world: AbuseWorld, mayKnow: boolean): Promise<string[]> {
  const faults = new Map<string, string>();
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let attack = all[next++]; attack; attack = all[next++]) {
      const wrong = await fault(attack, mayKnow).catch((error: unknown) => `broke: ${String(error)}`);
      if (wrong === undefined || faults.has(attack.name)) continue;
      const { method, url, headers, payload } = attack.request;
      const sent = JSON.stringify({ url, payload: payload?.toString().slice(0, 400), headers }).slice(0, 900);
      faults.set(attack.name, `${attack.name} ${wrong}\n  ${method} ${sent}\n  ${world.errors.at(-1)?.slice(0, 1500)}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return [...faults.values()];
}

// API-RULE-access-2, API-ERR-4
eachDatabase('abuse', (open, kind) => {
  it(`of every endpoint is refused in good order, and changes and tells nothing (seed ${seed})`, async () => {
    const world = await openAbuseWorld(await open());
    const { ids, app } = world;
    const { api, devices } = app.service;
    // A logout would end the attacks: that one call is tried with an unknown token.
    const bearer = (token: string) => (shape: EndpointShape) => {
      if (shape.auth !== 'bearer') return {};
      return { authorization: `Bearer ${shape === contract.session.close ? 'nobody' : token}` };
    };
    const count = requestsOf[kind];
    const byAttacker = [
      ...attacks(api, contract, bearer(world.attacker), { ids, count: count * 0.85 }),
      ...attacks(devices, deviceListenerContract, () => world.device, { ids, count: count * 0.05 }),
    ];
    const byAdmin = attacks(api, contract, bearer(world.admin), { ids, count: count * 0.15 });
    expect(byAttacker.length + byAdmin.length).toBeGreaterThanOrEqual(count);
    const before = await world.victimRows();
    expect(before).toContain(secretMark);
    expect(await attackWith(byAttacker, world, false)).toEqual([]);
    expect(await world.victimRows()).toBe(before);
    expect(succeeded.get(api)).toBeGreaterThan(count * 0.05);
    // The attack was no attack if the token had stopped working on the way.
    expect((await app.client.as(world.attacker).call('users.get')).ok).toBe(true);
    expect(await attackWith(byAdmin, world, true)).toEqual([]);
    expect(world.errors).toEqual([]);
    await world.close();
  });
});

describe('abuse of the connection', () => {
  const post = (length: string, body: string, type = 'application/json') =>
    `POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\n${length}\r\n\r\n${body}`;

  /** Sends bytes and ends its side; resolves with what came back when the service ends the other. */
  const exchange = (port: number, bytes: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => socket.end(bytes, 'latin1'));
      socket.setEncoding('latin1').on('data', (text: string) => {
        answer += text;
      });
      socket.on('error', reject).on('close', () => resolve(answer));
    });

  it.each([
    ['a body that ends early', post('content-length: 100', '{"username"'), /^(HTTP\/1.1 400 |$)/],
    ['a length over the limit', post('content-length: 99999999999', '{'), /^HTTP\/1.1 413 /],
    ['two lengths', post('content-length: 2\r\ncontent-length: 3', '{}'), /^HTTP\/1.1 400 /],
    ['a length and chunks', post('content-length: 2\r\ntransfer-encoding: chunked', '0\r\n\r\n'), /^HTTP\/1.1 400 /],
    ['a length that is none', post('content-length: -1', ''), /^HTTP\/1.1 400 /],
    ['chunks that are none', post('transfer-encoding: chunked', 'zz\r\n'), /^HTTP\/1.1 400 /],
    ['chunks that end early', post('transfer-encoding: chunked', '5\r\nab'), /^(HTTP\/1.1 400 |$)/],
    ['no HTTP', '\x16\x03\x01\x00\xa5\x01', /^HTTP\/1.1 400 /],
    ['headers without an end', `GET / HTTP/1.1\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, /^HTTP\/1.1 4\d\d /],
    [
      'a path that is too long',
      `GET /api/devices/${'y'.repeat(10_000)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      /^HTTP\/1.1 4\d\d /,
    ],
    ['a raw NUL in the path', 'GET /api/devices/a\0b HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1.1 400 /],
    [
      'another protocol asked for',
      'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: upgrade, close\r\nupgrade: h2c\r\n\r\n',
      /^HTTP\/1.1 [24]\d\d /,
    ],
  ])('%s is refused, and the next request answered', async (_, bytes, expected) => {
    const app = await buildApp(await openRecords('sqlite::memory:'));
    await app.api.listen({ host: '127.0.0.1', port: 0 });
    const address = app.api.server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    expect(await exchange(port, bytes)).toMatch(expected);
    expect(await exchange(port, 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 200 /,
    );
    await app.service.close();
    await app.storage.close();
  });

  it('by a JSON body over the limit is refused', async () => {
    const app = await buildApp(await openRecords('sqlite::memory:'));
    const headers = { 'content-type': 'application/json' };
    const payload = JSON.stringify({ username: 'a', password: 'x'.repeat(17 * 1024 * 1024) });
    const reply = await app.api.inject({ method: 'POST', url: '/api/auth/login', headers, payload });
    expect(reply.json()).toMatchObject({ statusCode: 413, code: 'BODY_TOO_LARGE' });
    await app.service.close();
    await app.storage.close();
  });
});
