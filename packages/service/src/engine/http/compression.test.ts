import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { buildApp, type TestApp } from '../../testing/index.ts';
import type { Storage } from '../db/storage.ts';
import { acceptedEncoding } from './compression.ts';

it.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip;q=0.0', undefined],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', undefined],
  ['gzipped', undefined],
  ['br;q=x', undefined],
])('Accept-Encoding "%s" gets %s', (header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding);
});

describe('JSON', () => {
  let storage: Storage;
  let app: TestApp;
  let authorization: string;
  beforeAll(async () => {
    storage = await openRecords('sqlite::memory:');
    app = await buildApp(storage);
    const owner = await app.make.user();
    authorization = `Bearer ${owner.token}`;
    const platform = await app.make.platform();
    const at = { platform_id: platform.id, product_id: platform.product_id, user_id: owner.id };
    for (let count = 0; count < 20; count++) await app.make.device(at);
  });
  afterAll(async () => {
    await app.service.close();
    await storage.close();
  });

  const get = (url: string, accepted?: string) =>
    app.api.inject({ url, headers: { authorization, ...(accepted !== undefined && { 'accept-encoding': accepted }) } });

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('that is long is packed with %s, and is the same', async (encoding, unpack) => {
    const plain = await get('/api/devices');
    const packed = await get('/api/devices', encoding);
    expect(packed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
    expect(packed.headers['content-length']).toBe(String(packed.rawPayload.length));
    expect(packed.headers['x-total-count']).toBe('20');
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4);
    expect(unpack(packed.rawPayload).toString()).toBe(plain.body);
  });

  it('that is long says that it may be packed, to those who take it as it is too', async () => {
    const reply = await get('/api/devices');
    expect(reply.headers.vary).toBe('accept-encoding');
    expect(reply.headers['content-encoding']).toBeUndefined();
  });

  it('that is short goes as it is', async () => {
    for (const url of ['/api/user', '/api/devices?limit=1', '/api/nothing', '/readyz']) {
      const { headers } = await get(url, 'br');
      expect([headers['content-encoding'], headers.vary], url).toEqual([undefined, undefined]);
    }
  });

  it('is packed where the service has it as a text: the API document', async () => {
    const reply = await get('/openapi.json', 'gzip');
    expect(JSON.parse(gunzipSync(reply.rawPayload).toString()).openapi).toBe('3.1.0');
  });

  it('in a file is a file: neither it nor a range of it is packed', async () => {
    const platform = await app.make.platform();
    const product = await app.make.product({ platform_id: platform.id });
    const admin = await app.make.user({ role: 'admin' });
    const headers = { authorization: `Bearer ${admin.token}`, 'accept-encoding': 'br, gzip' };
    const text = JSON.stringify({ long: 'x'.repeat(5_000) });
    const url = `/api/products/${product.id}/assets/long.json`;
    const put = await app.api.inject({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: text,
    });
    expect(put.statusCode).toBe(200);
    const whole = await app.api.inject({ url, headers });
    expect([whole.headers['content-encoding'], whole.body]).toEqual([undefined, text]);
    const part = await app.api.inject({ url, headers: { ...headers, range: 'bytes=10-2999' } });
    expect([part.statusCode, part.headers['content-encoding'], part.body]).toEqual([
      206,
      undefined,
      text.slice(10, 3000),
    ]);
  });
});
