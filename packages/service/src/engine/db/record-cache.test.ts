import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { openRecords } from '../../tables.ts';
import { buildApp, eachDatabase } from '../../testing/index.ts';
import { ChangeCounter, RecordCache } from './record-cache.ts';

/** A counter as a database has it, without the database. */
function countedCache(limit = 10) {
  const counter = new ChangeCounter();
  const changes = {
    version: () => counter.writes,
    get lastMark() {
      return counter.lastMark;
    },
    markOf: (deviceId: string) => counter.markOf(deviceId),
  };
  return { counter, cache: new RecordCache<string>(changes, limit) };
}

describe('RecordCache', () => {
  test('gives what was kept until something is written', () => {
    const { counter, cache } = countedCache();
    cache.beginRead()('key', 'value');
    expect(cache.get('key')).toBe('value');
    counter.noteWrite();
    expect(cache.get('key')).toBeUndefined();
  });

  test('does not keep what was read before a write', () => {
    const { counter, cache } = countedCache();
    const keep = cache.beginRead();
    counter.noteWrite();
    keep('key', 'old');
    expect(cache.get('key')).toBeUndefined();
  });

  test('drops what was made from a device when that device is marked, and nothing else', () => {
    const { counter, cache } = countedCache();
    cache.beginRead()('a', 'of a', 'device-a');
    cache.beginRead()('b', 'of b', 'device-b');
    counter.noteMark('device-a');
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 'of b']);
  });

  test('does not give what was read before a mark and kept after it', () => {
    const { counter, cache } = countedCache();
    const keep = cache.beginRead();
    counter.noteMark('device');
    keep('key', 'old', 'device');
    expect(cache.get('key')).toBeUndefined();
  });

  test('keeps no more than its limit, the newest', () => {
    const { cache } = countedCache(2);
    for (const key of ['a', 'b', 'c']) cache.beginRead()(key, key);
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 'b', 'c']);
  });

  test('holds nothing where changes cannot be known', () => {
    const cache = new RecordCache<string>({ version: () => undefined, lastMark: 0, markOf: () => 0 }, 10);
    cache.beginRead()('key', 'value');
    expect(cache.get('key')).toBeUndefined();
  });
});

eachDatabase('cached records', (open, kind, address) => {
  test('are never older than the last write', async () => {
    const app = await buildApp(await open());
    const owner = await app.make.user();
    const platform = await app.make.platform();
    const product = await app.make.product({ platform_id: platform.id, user_id: owner.id });
    const device = await app.make.device({ platform_id: platform.id, product_id: product.id, user_id: owner.id });
    const client = app.client.as(owner.token);
    const read = async () => {
      const reply = await client.call('devices.get', { params: { identifier: device.uuid } });
      return reply.ok ? reply.value.value : reply.error.body.code;
    };
    expect(await read()).toEqual(await read());
    unwrap(await client.call('devices.update', { params: { device_id: device.id }, body: { title: 'Renamed' } }));
    expect(await read()).toMatchObject({ title: 'Renamed' });
    await app.storage.hot.touchDevice(device.id, 1_800_000_000_000, '192.0.2.1');
    expect(await read()).toMatchObject({ last_seen_at: '1800000000000', ip: '192.0.2.1' });
    await app.storage.db.updateTable('products').set({ claimable: 0 }).where('id', '=', product.id).execute();
    expect(await read()).toMatchObject({ claimable: false });
    await app.storage.db.deleteFrom('tokens').where('user_id', '=', owner.id).execute();
    expect(await read()).toBe('UNAUTHENTICATED');
  });

  test('notice what another process has written', async () => {
    const url = await address();
    const app = await buildApp(await openRecords(url));
    const owner = await app.make.user();
    const platform = await app.make.platform();
    const product = await app.make.product({ platform_id: platform.id });
    const device = await app.make.device({ platform_id: platform.id, product_id: product.id, user_id: owner.id });
    const client = app.client.as(owner.token);
    const title = async () => {
      const reply = await client.call('devices.get', { params: { identifier: device.id } });
      return reply.ok && reply.value.value.title;
    };
    expect(await title()).toBe(await title());
    const other = await openRecords(url);
    await other.db
      .updateTable('devices')
      .set({ title: `From elsewhere, ${kind}` })
      .where('id', '=', device.id)
      .execute();
    await other.close();
    // Another process cannot be this quick: its messages arrive in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    expect(await title()).toBe(`From elsewhere, ${kind}`);
    await app.service.close();
    await app.storage.close();
  });
});
