import { unwrap } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { callUrl, createClient } from './client.ts';
import { contract, endpointsOf } from './contract.ts';
import type { EndpointShape } from './endpoint.ts';
import { ResultOk } from './fields.ts';

const at = (path: string): EndpointShape => ({
  method: 'GET',
  path,
  spec: [],
  tag: '',
  summary: '',
  auth: 'none',
  reply: ResultOk,
  errors: [],
});

describe('callUrl', () => {
  it.each([
    ['/api/user', {}, '/api/user'],
    ['/a/{x}', { params: { x: 'b c/d' } }, '/a/b%20c%2Fd'],
    ['/a/{path*}', { params: { path: 'b c/d' } }, '/a/b%20c/d'],
    ['/a/{x?}', {}, '/a'],
    ['/a/{x?}', { params: { x: 1 } }, '/a/1'],
    ['/a', { query: { limit: 2, q: 'x y', tag: '', none: undefined } }, '/a?limit=2&q=x+y&tag='],
  ])('of %s with %j is %s', (path, input, expected) => {
    expect(callUrl(at(path), input)).toBe(expected);
  });
});

/** A service that always answers the same, and remembers what it was asked. */
function answering(status: number, text: string, headers: Record<string, string> = {}) {
  const requests: { url: string; init: RequestInit }[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    requests.push({ url, init });
    return new Response(text, { status, headers });
  };
  return { requests, client: createClient({ baseUrl: 'http://host:1/', token: 'T', fetch }) };
}

describe('client', () => {
  it('sends method, address, token and JSON body as the contract says', async () => {
    const { requests, client } = answering(200, '{"id":"x"}');
    const reply = await client.call('tokens.rename', { params: { token_id: 'x' }, body: { title: 'New' } });
    expect(reply).toMatchObject({ ok: true, value: { value: { id: 'x' }, total: undefined } });
    const [{ url, init } = { url: '', init: {} }] = requests;
    expect(url).toBe('http://host:1/api/user/tokens/x');
    expect(init).toMatchObject({ method: 'PUT', body: '{"title":"New"}' });
    const headers = new Headers(init.headers);
    expect(headers.get('authorization')).toBe('Bearer T');
    expect(headers.get('content-type')).toBe('application/json');
  });

  it('keeps its token from endpoints that need none', async () => {
    const { requests, client } = answering(200, '{}');
    unwrap(await client.call('auth.login', { body: { username: 'a', password: 'b' } }));
    expect(new Headers(requests[0]?.init.headers).has('authorization')).toBe(false);
  });

  it.each([
    ['bytes', new Uint8Array([1]), 'application/octet-stream'],
    ['a blob of a type', new Blob(['x'], { type: 'text/x-test' }), 'text/x-test'],
    ['a blob of no type', new Blob(['x']), 'application/octet-stream'],
    ['a form', new FormData(), 'multipart/form-data'],
  ])('sends %s with the media type of the body', async (_, body, expected) => {
    const { requests, client } = answering(200, '{}');
    unwrap(await client.call('deviceFiles.upload', { params: { device_id: 'x', path: 'a/b c' }, body }));
    const [{ url, init } = { url: '', init: {} }] = requests;
    expect(url).toBe('http://host:1/api/devices/x/files/a/b%20c');
    // What `fetch` makes of it.
    expect(new Request(url, init).headers.get('content-type')).toContain(expected);
  });

  it('gives the total of a list', async () => {
    const { client } = answering(200, '[]', { 'x-total-count': '7' });
    expect(await client.call('tokens.list', { query: { limit: 1 } })).toMatchObject({ ok: true, value: { total: 7 } });
  });

  it('gives bytes where the contract does', async () => {
    const { client } = answering(200, 'abc');
    const params = { bundle_id: 'b', resource_id: 'r' };
    const reply = await client.call('bundles.binary', { params });
    expect(reply.ok && Buffer.from(reply.value.value).toString()).toBe('abc');
  });

  it('returns refusals, and what is not one of ours in the same shape', async () => {
    const body = { statusCode: 404, error: 'Not Found', message: 'Token not found', code: 'NOT_FOUND' };
    const params = { token_id: 'x' };
    const refused = await answering(404, JSON.stringify(body)).client.call('tokens.revoke', { params });
    expect(refused).toEqual({ ok: false, error: { status: 404, body } });
    const foreign = await answering(502, '<html>').client.call('tokens.revoke', { params });
    expect(foreign).toMatchObject({ ok: false, error: { status: 502, body: { code: 'UNKNOWN', message: '<html>' } } });
  });

  it('throws without an answer', async () => {
    const fetch = async () => {
      throw new TypeError('fetch failed');
    };
    await expect(createClient({ baseUrl: 'http://x', fetch }).call('users.get')).rejects.toThrow('fetch failed');
  });
});

describe('contract', () => {
  it('has each method and path once', () => {
    const routes = endpointsOf(contract).map(({ shape }) => `${shape.method} ${shape.path.replace(/\{\w+/g, '{')}`);
    expect(new Set(routes).size).toBe(routes.length);
  });

  // API-RULE-paths-1: what is outside is for machines that look after the service or read a schema at its address, and is listed here.
  it('has every call of the specification under /api', () => {
    const outside = endpointsOf(contract).filter(({ shape }) => !shape.path.startsWith('/api/'));
    expect(outside.map(({ shape }) => shape.path).toSorted()).toEqual([
      '/healthz',
      '/metrics',
      '/readyz',
      '/schemas/capabilities.json',
    ]);
  });

  it('declares a parameter for each blank of a path, and no other', () => {
    for (const { name, shape } of endpointsOf(contract)) {
      const blanks = [...shape.path.matchAll(/\{(\w+)/g)].map(([, blank]) => blank);
      expect(Object.keys(shape.params?.properties ?? {}), name).toEqual(blanks);
    }
  });

  it('names clauses for each endpoint', () => {
    for (const { name, shape } of endpointsOf(contract)) expect(shape.spec.length, name).toBeGreaterThan(0);
  });
});
