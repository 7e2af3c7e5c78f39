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
const post = (payload: string, url: string) => send({ method: 'POST', url, headers: json, payload });

describe('mounted endpoint', () => {
  // API-RULE-paths-2, API-RULE-payload-2, API-RULE-list-3
  it('hands on params, query and body; query values are read as what they stand for', async () => {
    const reply = await post('{"name":"a","size":2,"extra":true}', `/things/${sampleId}?count=3&on=true`);
    expect(reply.statusCode).toBe(200);
    expect(JSON.parse(reply.json().seen)).toEqual({
      params: { thing_id: sampleId },
      query: { count: 3, on: true },
      body: { name: 'a', size: 2 },
    });
  });

  // API-RULE-list-3
  it.each([
    ['POST', `/things/${sampleId}?more=1&count=0`, ['count', 'more']],
    ['GET', '/things?Limit=3', ['Limit']],
    ['GET', '/bytes?x', ['x']],
    ['POST', '/none?__proto__=1', ['__proto__']],
  ] as const)('%s %s is refused for what it does not declare', async (method, url, keys) => {
    const reply = await send({ method, url, headers: json, ...(method === 'POST' && { payload: '{"name":"a"}' }) });
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toMatchObject({ code: 'INVALID_REQUEST', validation: { source: 'query', keys } });
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
    ['/things?limit=2&sort=x%20y', '5', '</things?limit=2&sort=x+y&offset=2>; rel="next"'],
    ['/things?limit=2&offset=2', '5', '</things?limit=2&offset=4>; rel="next", </things?limit=2&offset=0>; rel="prev"'],
    ['/things?limit=2&offset=4', '5', '</things?limit=2&offset=2>; rel="prev"'],
    ['/things?limit=5', '5', undefined],
    ['/things?limit=2&offset=3', '5', '</things?limit=2&offset=1>; rel="prev"'],
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

  it('sends a record with a text field "json" as a record', async () => {
    const reply = await send({ url: '/record' });
    expect(reply.json()).toEqual({ json: '{"seen":"text of a field"}' });
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
