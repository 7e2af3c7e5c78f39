import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { buildApp } from '../../testing/index.ts';

it('a body that is packed is refused, named and not stored; the encoding "identity" is none', async () => {
  const storage = await openRecords('sqlite::memory:');
  const app = await buildApp(storage, { settings: { deviceInsecure: true } });
  const { token } = await app.make.admin();
  const platform = await app.make.platform();
  const product = await app.make.product({ platform_id: platform.id });
  const assets = `/api/products/${product.id}/assets`;
  const send = (url: string, encoding: string, payload: string | Buffer, more = {}) =>
    app.api.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${token}`, 'content-encoding': encoding, ...more },
      payload,
    });
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'multipart/form-data; boundary=b' };
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\nbytes\r\n--b--\r\n';
  for (const reply of [
    await send(`${assets}/file`, 'gzip', gzipSync('bytes')),
    await send(`${assets}/file`, 'BR', 'bytes'),
    await send(`${assets}/file`, 'identity, gzip', gzipSync('bytes')),
    await send(`${assets}/file`, 'gzip', part, form),
    await send('/api/products', 'gzip', gzipSync('{"title":"x"}'), json),
  ]) {
    expect(reply.statusCode).toBe(415);
    expect(reply.headers['accept-encoding']).toBe('identity');
    expect(reply.json()).toMatchObject({
      code: 'ENCODED_BODY',
      message: expect.stringMatching(/^A body is taken as it is; header "content-encoding" is "/),
      validation: { source: 'headers', keys: ['content-encoding'] },
    });
  }
  const list = await app.api.inject({ url: assets, headers: { authorization: `Bearer ${token}` } });
  expect(list.json()).toEqual([]);
  expect((await send(`${assets}/file`, 'identity', 'bytes')).statusCode).toBe(200);
  // Strangers hear of their token first, and devices have no such status.
  const stranger = await app.api.inject({
    method: 'POST',
    url: '/api/products',
    headers: { 'content-encoding': 'gzip' },
  });
  expect(stranger.statusCode).toBe(401);
  const device = await app.service.devices.inject({
    method: 'POST',
    url: '/provision',
    headers: { 'content-encoding': 'gzip', ...json },
    payload: gzipSync('{}'),
  });
  expect([device.statusCode, device.json().code]).toEqual([400, 'ENCODED_BODY']);
  await app.service.close();
  await storage.close();
});
