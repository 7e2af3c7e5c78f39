import { randomUUID } from 'node:crypto';
import type { LogType } from '@moorage/api';
import { dayMs, unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeLog } from '../../engine/db/logs.ts';
import { buildApp, eachDatabase } from '../../testing/index.ts';
import { type ProductScene, productScene, type Who } from '../../testing/product-scene.ts';
import { deletePollsBefore } from './queries.ts';

eachDatabase('metrics', (open) => {
  let scene: ProductScene;
  let product: string;
  beforeAll(async () => {
    scene = await productScene(await open());
    product = (await scene.add()).id;
  });

  describe('activity', () => {
    const startMs = Date.UTC(2023, 0, 2);
    const happen = (type: LogType, day: number, user?: Who, productId: string | null = product, deviceId?: string) =>
      scene.app.storage.transaction((trx) =>
        writeLog(trx, {
          type,
          message: 'M',
          atMs: startMs + day * dayMs + 5,
          productId,
          userId: user ? scene.people[user].id : null,
          ...(deviceId && { deviceId }),
        }),
      );
    const activity = async (who: Who, product_id?: string) => {
      const query = { from: startMs, to: startMs + 3 * dayMs, ...(product_id && { product_id }) };
      return unwrap(await scene.as(who).call('metrics.activity', { query })).value;
    };

    // API-EP-GET-metrics-activity
    it('counts each row once, for those who may read it', async () => {
      const device = await scene.occupy(product, scene.people.owner.id);
      await happen('ota.ok', 0, 'owner', product, device.id);
      await happen('ota.check', 2);
      await happen('ota.none', 2);
      await happen('user.login', 1, 'stranger', null);
      await happen('device.tag', 1);
      await happen('ota.ok', 3);
      const seen = async (who: Who) =>
        (await activity(who)).series.map(({ ota_ok, ota_check, login }) => [ota_ok, ota_check, login]);
      expect(await seen('owner')).toEqual([
        [1, 0, 0],
        [0, 0, 0],
        [0, 2, 0],
      ]);
      expect(await seen('manager')).toEqual(await seen('owner'));
      expect(await seen('stranger')).toEqual([
        [0, 0, 0],
        [0, 0, 1],
        [0, 0, 0],
      ]);
      expect(await seen('tester')).toEqual([
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ]);
      expect(await seen('admin')).toEqual([
        [1, 0, 0],
        [0, 0, 1],
        [0, 2, 0],
      ]);
      const ofOther = (await activity('owner', randomUUID())).series;
      expect(ofOther.every(({ ota_ok, ota_check }) => ota_ok + ota_check === 0)).toBe(true);
      expect((await activity('owner', product.toUpperCase())).series[0]).toMatchObject({
        at: String(startMs),
        ota_ok: 1,
      });
    });

    // API-RULE-metrics-1
    it('counts polls that write no row, by hour, for those who watch the product or own the device', async () => {
      const mine = (await scene.add()).id;
      const { clock } = scene.app;
      const { hot } = scene.app.storage;
      const now = clock.now();
      const of = (owner: Who | null) => (owner === null ? null : scene.people[owner].id);
      const poll = (owner: Who | null, count: number, atMs = now) => {
        for (let time = 0; time < count; time++) hot.countPoll(mine, of(owner), atMs);
      };
      const seen = async (who: Who) => {
        const query = { from: now - 3_600_000, to: now + 1, interval: 'hour', product_id: mine } as const;
        const { series } = unwrap(await scene.as(who).call('metrics.activity', { query })).value;
        return series.map(({ ota_check }) => ota_check);
      };
      poll('stranger', 3);
      poll(null, 2);
      poll('tester', 4, now - 3_600_000);
      expect(await seen('owner')).toEqual([4, 5]);
      // Written counts are added to.
      poll('stranger', 1);
      expect(await seen('admin')).toEqual([4, 6]);
      expect([await seen('stranger'), await seen('tester')]).toEqual([
        [0, 4],
        [4, 0],
      ]);
      // A contact takes the counts along.
      poll('stranger', 1);
      const device = await scene.occupy(mine, null);
      await hot.touchDevice(device.id, now + 5_000, null);
      const { total } = await scene.app.storage.db
        .selectFrom('polls')
        .select((eb) => eb.fn.sum<number>('polls').as('total'))
        .where('product_id', '=', mine)
        .executeTakeFirstOrThrow();
      expect(total).toBe(11);
      for (const [beforeMs, left] of [
        [now - 7_200_000, [4, 7]],
        [now - 3_600_000, [0, 7]],
        [now, [0, 0]],
      ] as const) {
        await deletePollsBefore(scene.app.storage, beforeMs);
        expect(await seen('admin')).toEqual(left);
      }
    });

    it.each(['owner', 'admin'] as const)('of the %s is that of the last 30 days by day', async (who) => {
      const value = unwrap(await scene.as(who).call('metrics.activity')).value;
      expect(value).toMatchObject({ interval: 'day', to: String(scene.app.clock.now()) });
      expect(value.series).toHaveLength(31);
    });

    it.each(['from=x', 'interval=year', 'product_id=1', 'from=5&to=5'])('with %s is refused', async (query) => {
      const headers = { authorization: `Bearer ${scene.people.owner.token}` };
      const reply = await scene.app.api.inject({ url: `/api/metrics/activity?${query}`, headers });
      expect(reply.json()).toMatchObject({ statusCode: 400, validation: { source: 'query' } });
    });
  });

  // API-EP-GET-metrics-locations-devices, API-RULE-location-1
  it('locations are those that users have set, and they go with a reset', async () => {
    const device = await scene.occupy(product, scene.people.owner.id);
    await scene.occupy(product, scene.people.owner.id);
    const params = { device_id: device.id };
    const location = { lat: -33.868821, lon: 151.209295, city: 'Sydney' };
    const set = unwrap(await scene.as('owner').call('devices.update', { params, body: { location } })).value;
    expect(set.location).toEqual({ ...location, country: '' });
    const seen = async (who: Who, query = {}) =>
      unwrap(await scene.as(who).call('metrics.locations', { query })).value.map((one) => one.device_id);
    for (const who of ['owner', 'manager', 'admin'] as const) expect(await seen(who)).toEqual([device.id]);
    // Where a device is, is its owner's to know, and its vendor's.
    for (const who of ['tester', 'stranger'] as const) expect(await seen(who)).toEqual([]);
    expect(await seen('owner', { product_id: product })).toEqual([device.id]);
    expect(await seen('owner', { product_id: randomUUID() })).toEqual([]);
    expect(unwrap(await scene.as('owner').call('metrics.locations')).value).toEqual([
      {
        device_id: device.id,
        title: device.title,
        product_id: product,
        ...location,
        country: '',
        health: 'never',
        last_seen_at: null,
      },
    ]);
    unwrap(await scene.as('owner').call('devices.update', { params, body: { location: null } }));
    expect(await seen('owner')).toEqual([]);
    unwrap(await scene.as('owner').call('devices.update', { params, body: { location } }));
    unwrap(await scene.as('owner').call('devices.reset', { params }));
    expect(await seen('admin')).toEqual([]);
  });

  // API-EP-GET-metrics-locations-places, API-LIMIT-places
  it('places are devices near each other, for those who may see where they are', async () => {
    const at = async (lat: number, lon: number, city: string) => {
      const device = await scene.occupy(product, scene.people.owner.id);
      const params = { device_id: device.id };
      unwrap(await scene.as('owner').call('devices.update', { params, body: { location: { lat, lon, city } } }));
      return device;
    };
    const far = await at(-33.8, -70.5, 'Valparaíso');
    const near = [await at(53.5, 9.9, 'Hamburg'), await at(53.7, 10.1, 'Hamburg')];
    const query = { product_id: product };
    const seen = async (who: Who, more = {}) =>
      unwrap(await scene.as(who).call('metrics.places', { query: { ...query, ...more } })).value;
    expect(await seen('owner')).toEqual([
      { lat: 53.6, lon: 10, city: 'Hamburg', devices: 2, heard: 0, device_id: null, title: null },
      { lat: -33.8, lon: -70.5, city: 'Valparaíso', devices: 1, heard: 0, device_id: far.id, title: far.title },
    ]);
    expect((await seen('owner', { cell: 0.1 })).map(({ devices }) => devices)).toEqual([1, 1, 1]);
    expect((await seen('owner', { north: 0 })).map(({ city }) => city)).toEqual(['Valparaíso']);
    for (const who of ['tester', 'stranger'] as const) expect(await seen(who)).toEqual([]);
    const box = { ...query, south: 53, north: 54, west: 9, east: 11 };
    const listed = unwrap(await scene.as('owner').call('metrics.locations', { query: box }));
    expect(listed.value.map(({ device_id }) => device_id).sort()).toEqual(near.map(({ id }) => id).sort());
    for (const { id } of [far, ...near]) {
      unwrap(await scene.as('owner').call('devices.update', { params: { device_id: id }, body: { location: null } }));
    }
  });

  // API-EP-GET-metrics-locations-map
  it('maps have the pictures that the settings name, or none', async () => {
    const without = unwrap(await scene.as('stranger').call('metrics.map')).value;
    expect(without).toEqual({ tiles: null, attribution: null });
    const tiles = 'https://tiles.test/{z}/{x}/{y}.png';
    const other = await buildApp(await open(), { settings: { mapTiles: tiles, mapAttribution: 'The harbour' } });
    const { token } = await other.make.user();
    const named = unwrap(await other.client.as(token).call('metrics.map')).value;
    expect(named).toEqual({ tiles, attribution: 'The harbour' });
    await other.service.close();
  });

  it.each([{ lat: 91, lon: 0 }, { lat: 0, lon: -181 }, { lat: 0 }, 'here'])(
    'location %j is refused',
    async (location) => {
      const device = await scene.occupy(product, scene.people.owner.id);
      const body = { location } as never;
      expect(await scene.as('owner').call('devices.update', { params: { device_id: device.id }, body })).toMatchObject({
        error: { status: 400 },
      });
    },
  );

  it('are refused without a token', async () => {
    expect(await scene.app.client.call('metrics.activity')).toMatchObject({ error: { status: 401 } });
    expect(await scene.app.client.call('metrics.locations')).toMatchObject({ error: { status: 401 } });
    expect(await scene.app.client.call('metrics.places')).toMatchObject({ error: { status: 401 } });
    expect(await scene.app.client.call('metrics.map')).toMatchObject({ error: { status: 401 } });
  });
});
