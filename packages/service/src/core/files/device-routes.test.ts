import { gatewayStreamsPath } from '@moorage/api';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { topics } from '../../engine/bus/topics.ts';
import { eachDatabase } from '../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../testing/ota-world.ts';

eachDatabase('files on the device listener', (open) => {
  let world: OtaWorld;
  let product: Awaited<ReturnType<OtaWorld['app']['make']['product']>>;
  let device: Awaited<ReturnType<OtaWorld['deviceOn']>>;
  beforeAll(async () => {
    world = await otaWorld(await open());
  });
  beforeEach(async () => {
    const { app, platform, people } = world;
    product = await app.make.product({ platform_id: platform.id, user_id: people.maker.id });
    device = await world.deviceOn(product.id, { vendor_files: 1 });
  });

  const identity = (of: typeof device) => ({ 'x-device-uuid': of.uuid, 'x-device-token': of.token });
  const call = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: string | Buffer, headers = {}) =>
    world.app.service.devices.inject({
      method,
      url: `/files/${url}`,
      headers: { ...identity(device), ...headers },
      ...(payload !== undefined && { payload: Buffer.from(payload) }),
    });
  const asUser = (method: 'GET' | 'POST' | 'DELETE', url: string, token: string, payload?: string) =>
    world.app.api.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      ...(payload !== undefined && { payload: Buffer.from(payload) }),
    });

  // API-DEV-POST-files-target-path, API-DEV-GET-files-target, API-DEV-GET-files-target-path,
  // API-DEV-DELETE-files-target-path, API-RULE-files-5
  it('of its own a device writes, lists, reads and deletes', async () => {
    const written = await call('POST', 'device/logs/today.txt?version=1.0.0.2', 'line', {
      'content-type': 'text/x-log',
    });
    const entry = { path: 'logs/today.txt', name: 'today.txt', size: 4, mime: 'text/x-log', version: '1.0.0.2' };
    expect([written.statusCode, written.json()]).toMatchObject([200, { result: 'ok', ...entry }]);
    const index = await call('GET', 'device?filter=*.txt');
    expect([index.headers['x-total-count'], index.json()]).toMatchObject(['1', [entry]]);
    const part = await call('GET', 'device/logs/today.txt', undefined, { range: 'bytes=1-2' });
    expect([part.statusCode, part.body]).toEqual([206, 'in']);
    // Its owner sees the same file.
    const { token } = world.people.owner;
    expect((await asUser('GET', `/api/devices/${device.id}/files/logs/today.txt`, token)).body).toBe('line');
    expect((await call('DELETE', 'device/logs/today.txt')).json()).toEqual({ result: 'ok' });
    expect((await call('GET', 'device')).json()).toEqual([]);
    const rows = await world.app.storage.db
      .selectFrom('logs')
      .select(['type', 'user_id', 'product_id', 'client'])
      .where('device_id', '=', device.id)
      .where('type', 'like', 'device.file%')
      .execute();
    const subject = { user_id: world.people.owner.id, product_id: product.id, client: null };
    expect(rows.toSorted((a, b) => (a.type < b.type ? -1 : 1))).toEqual([
      { type: 'device.file_delete', ...subject },
      { type: 'device.file_write', ...subject },
    ]);
  });

  // API-RULE-files-5
  it('of its product a device lists and reads, and writes and deletes nothing', async () => {
    const { maker } = world.people;
    await asUser('POST', `/api/products/${product.id}/assets/tones/bell.wav`, maker.token, 'ding');
    expect((await call('GET', 'product')).json()).toMatchObject([{ path: 'tones/bell.wav', size: 4 }]);
    expect((await call('GET', 'product/tones/bell.wav')).body).toBe('ding');
    for (const refused of [
      await call('POST', 'product/tones/bell.wav', 'x'),
      await call('DELETE', 'product/tones/bell.wav'),
    ]) {
      expect(refused.json()).toMatchObject({
        statusCode: 403,
        code: 'FORBIDDEN',
        message: 'You may not change the assets of your product',
      });
    }
    expect((await call('GET', 'product/tones/bell.wav')).body).toBe('ding');
    // A device of another product sees that one's.
    device = await world.deviceOn((await world.productWithRelease()).product.id);
    expect((await call('GET', 'product')).json()).toEqual([]);
    expect((await call('GET', 'product/tones/bell.wav')).statusCode).toBe(404);
  });

  it('of another device are out of reach', async () => {
    await call('POST', 'device/mine', 'x');
    device = await world.deviceOn(product.id);
    expect((await call('GET', 'device/mine')).statusCode).toBe(404);
    expect((await call('GET', 'device')).json()).toEqual([]);
  });

  // API-DEV-status
  describe('refusals', () => {
    it.each([
      ['GET', 'device/none', 404],
      ['DELETE', 'device/none', 404],
      ['GET', 'other', 400],
      ['POST', 'other/a', 400],
      ['GET', 'device?limit=0', 400],
      ['POST', 'device/a%5cb', 400],
      ['POST', 'device/a%00b', 400],
      ['POST', `device/${'x'.repeat(256)}`, 400],
      ['POST', 'device/a?version=1', 400],
    ] as const)('%s %.20s is %d', async (method, url, status) => {
      expect((await call(method, url, method === 'POST' ? 'x' : undefined)).statusCode).toBe(status);
    });

    it('are 400 where the API has 413, 415 and 416', async () => {
      const over = await call('POST', 'device/a', Buffer.alloc(10 * 1024 * 1024 + 1));
      expect(over.json()).toMatchObject({ statusCode: 400, code: 'BODY_TOO_LARGE' });
      const type = await call('POST', 'device/a', 'x', { 'content-type': 'no type' });
      expect(type.json()).toMatchObject({ statusCode: 400, code: 'WRONG_MEDIA_TYPE' });
      await call('POST', 'device/a', 'x');
      const range = await call('GET', 'device/a', undefined, { range: 'bytes=1-' });
      expect(range.json()).toMatchObject({ statusCode: 400, code: 'RANGE_NOT_SATISFIABLE' });
    });

    it('are 403 for a stranger and for a device that is disabled', async () => {
      const disabled = await world.deviceOn(product.id, { state: 'disabled' });
      for (const headers of [{}, identity(disabled)]) {
        for (const [method, url] of [
          ['GET', '/files/device'],
          ['GET', '/files/device/a'],
          ['POST', '/files/device/a'],
          ['DELETE', '/files/device/a'],
        ] as const) {
          const payload = method === 'POST' ? { payload: Buffer.from('x') } : {};
          const reply = await world.app.service.devices.inject({ method, url, headers, ...payload });
          expect(reply.statusCode).toBe(403);
        }
      }
    });
  });

  // API-CHAN-action
  it('that a user changes for its gateway are told to that, and no others', async () => {
    const sent: unknown[] = [];
    const unsubscribe = world.app.storage.bus.subscribe(topics.channelAction, (message) => sent.push(message));
    const { token } = world.people.owner;
    const at = (path: string) => `/api/devices/${device.id}/files/${path}`;
    for (const path of [gatewayStreamsPath, 'gateway/other.json'])
      expect((await asUser('POST', at(path), token, '{}')).statusCode).toBe(200);
    const told = { deviceId: device.id, action: { action: 'file', path: gatewayStreamsPath } };
    await expect.poll(() => sent).toEqual([told]);
    expect((await asUser('DELETE', at(gatewayStreamsPath), token)).statusCode).toBe(200);
    expect((await asUser('DELETE', at(gatewayStreamsPath), token)).statusCode).toBe(404);
    await expect.poll(() => sent).toEqual([told, told]);
    unsubscribe();
  });
});
