import { randomUUID } from 'node:crypto';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { topics } from '../../engine/bus/topics.ts';
import { sharedReads } from '../../engine/db/work.ts';
import { attributeKeeper } from '../../extensions/fleet/attributes/reports.ts';
import { countsOf } from '../../extensions/fleet/rollouts/queries.ts';
import { openRecords } from '../../tables.ts';
import { outcome } from '../../testing/device-world.ts';
import { buildApp, eachDatabase, extensionsRun } from '../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../testing/ota-world.ts';
import { recount } from '../../testing/recount.ts';
import { tlsDevices } from '../../testing/tls-devices.ts';
import { softwarePlatform } from './rules.ts';

// API-RULE-delete-1
eachDatabase('deleting devices', (open, _kind, address) => {
  let world: OtaWorld;
  let software: Awaited<ReturnType<OtaWorld['app']['make']['platform']>>;
  beforeAll(async () => {
    world = await otaWorld(await open());
    software = await world.app.make.platform({ code: softwarePlatform, part_id: null });
  });

  const as = (token: string) => world.app.client.as(token);
  const remove = (token: string, device_id: string) => as(token).call('devices.remove', { params: { device_id } });
  const own = (more: object = {}) => {
    const at = { platform_id: software.id, product_id: software.product_id, user_id: world.people.owner.id };
    return world.app.make.device({ ...at, ...more });
  };
  const isThere = async (id: string) =>
    outcome(await as(world.people.owner.token).call('devices.get', { params: { identifier: id } }));

  // API-EP-DELETE-devices-device_id, API-EP-GET-devices-device_id-contents
  it.runIf(extensionsRun)(
    'what goes with a device is counted before, and gone after; its log stays with its owner',
    async () => {
      const { app, people } = world;
      const { db } = app.storage;
      const client = as(people.owner.token);
      const device = await own();
      const params = { device_id: device.id };
      unwrap(await client.call('attributes.setLabels', { params, body: { labels: { site: 'pier', test: '' } } }));
      unwrap(
        await client.call('deviceFiles.upload', { params: { ...params, path: 'a.txt' }, body: Buffer.from('12345') }),
      );
      await db.insertInto('telemetry').values({ device_id: device.id, at: 1, data: '{}' }).execute();
      const stream = await db
        .insertInto('streams')
        .values({ device_id: device.id, name: 'a' })
        .returning('id')
        .executeTakeFirstOrThrow();
      await db.insertInto('samples').values({ stream_id: stream.id, at: 1, seq: 1, number: 1, text: null }).execute();
      expect(await isThere(device.id)).toBe('ok');
      expect(unwrap(await client.call('devices.contents', { params })).value).toMatchObject({
        files: 1,
        file_bytes: 5,
        labels: 2,
        streams: 1,
        updates: 0,
      });
      const ended: unknown[] = [];
      app.storage.bus.subscribe(topics.deviceRevoked, (message) => ended.push(message));
      expect(outcome(await remove(people.owner.token, device.id))).toBe('ok');
      expect(await isThere(device.id)).toBe('NOT_FOUND');
      expect(outcome(await remove(people.owner.token, device.id))).toBe('NOT_FOUND');
      expect(ended).toEqual([{ deviceId: device.id, uuid: device.uuid }]);
      for (const table of ['labels', 'files', 'telemetry', 'streams'] as const) {
        expect(await db.selectFrom(table).selectAll().where('device_id', '=', device.id).execute(), table).toEqual([]);
      }
      const { value } = unwrap(await client.call('logs.list', { query: { device_id: device.id } }));
      expect(value.map(({ type }) => type)).toContain('device.delete');
      expect(value.find(({ type }) => type === 'device.delete')?.data).toEqual({
        uuid: device.uuid,
        title: device.title,
      });
    },
  );

  it.each([
    ['tester', 'FORBIDDEN'],
    ['maker', 'FORBIDDEN'],
    ['stranger', 'NOT_FOUND'],
  ] as const)('%s may not: %s', async (who, code) => {
    const { product } = await world.productWithRelease({ platform_id: software.id });
    const device = await own({ product_id: product.id });
    const { token } = world.people[who];
    expect(outcome(await remove(token, device.id))).toBe(code);
    expect(outcome(await as(token).call('devices.contents', { params: { device_id: device.id } }))).toBe(code);
    expect(await isThere(device.id)).toBe('ok');
  });

  it.each([
    ['module hardware', async () => (await world.deviceOn(world.platform.product_id)).id, 'HARDWARE_DEVICE'],
    [
      'what an administrator has blocked',
      async () => (await own({ state: 'disabled', blocked_by: 'admin' })).id,
      'DEVICE_DISABLED',
    ],
    [
      'a device that its product locks',
      async () => {
        const product = await world.app.make.product({ platform_id: software.id, claimable: 0 });
        return (await own({ product_id: product.id })).id;
      },
      'DEVICE_LOCKED',
    ],
  ])('its owner does not get rid of %s so, and an administrator does', async (_, make, code) => {
    const id = await make();
    expect(outcome(await remove(world.people.owner.token, id))).toBe(code);
    expect(outcome(await remove((await world.app.make.admin()).token, id))).toBe('ok');
    expect(await isThere(id)).toBe('NOT_FOUND');
  });

  it.runIf(extensionsRun)('a rollout counts what is deleted no more', async () => {
    const { app, people } = world;
    const { product, bundleOf } = await world.productWithRelease();
    const bundle = await bundleOf(null);
    const [gone, stays] = [await world.deviceOn(product.id), await world.deviceOn(product.id)];
    const client = as(people.maker.token);
    const body = { title: 'x', bundle_id: bundle.id, settings: { stages: [{}] } };
    const made = unwrap(await client.call('rollouts.create', { params: { product_id: product.id }, body })).value;
    const of = { params: { rollout_id: made.id } };
    unwrap(await client.call('rollouts.act', { ...of, body: { action: 'start' } }));
    for (const { id: device_id } of [gone, stays]) {
      unwrap(await as(people.owner.token).call('deviceUpdates.query', { params: { device_id }, body: {} }));
    }
    expect(outcome(await remove((await app.make.admin()).token, gone.id))).toBe('ok');
    const [kept] = await countsOf(sharedReads(app.storage.db), made.id, 1);
    expect(kept?.states).toMatchObject({ waiting: 0, offered: 1 });
    expect(await recount(app.storage.db, made.id)).toMatchObject([{ state: 'offered', n: 1 }]);
  });

  it('what a deleted device reports at the same time keeps no other report from being kept', async () => {
    const { product } = await world.productWithRelease();
    const [gone, stays] = [await world.deviceOn(product.id), await world.deviceOn(product.id)];
    await world.app.storage.db.deleteFrom('devices').where('id', '=', gone.id).execute();
    const keep = attributeKeeper(world.app.storage, async () => {});
    await Promise.all([keep(gone.id, { signal: 1 }, 1), keep(stays.id, { signal: 2 }, 1)]);
    const rows = world.app.storage.db.selectFrom('attributes').select(['device_id', 'value']);
    expect(await rows.where('device_id', 'in', [gone.id, stays.id]).execute()).toEqual([
      { device_id: stays.id, value: '2' },
    ]);
  });

  describe('over TLS', () => {
    // API-DEV-revoked
    it('its certificate is refused, also after another device has its uuid', async () => {
      const app = await buildApp(await openRecords(await address()));
      const devices = await tlsDevices(app, await app.make.platform({ part_id: null }));
      try {
        const admin = await app.make.admin();
        const { row: device, issued, agent } = await devices.deviceOf();
        expect(await devices.call(agent, 'GET', '/info')).toMatchObject({ status: 200 });
        unwrap(await app.client.as(admin.token).call('devices.remove', { params: { device_id: device.id } }));
        const again = devices.agentFor(issued);
        expect(await devices.call(again, 'GET', '/info')).toMatchObject({ status: 403, code: 'DEVICE_NOT_IDENTIFIED' });
        const body = { uuid: device.uuid, platform_id: devices.platform.id };
        const anew = unwrap(await app.client.as(admin.token).call('devices.provision', { body })).value;
        expect(anew.id).not.toBe(device.id);
        expect(anew.user_id).toBeNull();
        expect((await devices.call(devices.agentFor(issued), 'GET', '/info')).status).toBe(403);
      } finally {
        devices.close();
        await app.service.close();
        await app.storage.close();
      }
    });
  });

  // API-EP-POST-devices-delete, API-RULE-many-devices-2
  it.runIf(extensionsRun)('many at once: one row of the log for each owner, and the refused are listed', async () => {
    const { app, people } = world;
    const devices = [await own(), await own(), await own()];
    const hardware = await world.deviceOn(world.platform.product_id);
    const missing = randomUUID();
    const ids = [...devices.map(({ id }) => id), hardware.id, missing];
    const reply = await as(people.owner.token).call('manyDevices.remove', { body: { device_ids: ids } });
    const { value } = unwrap(reply);
    expect(value.ok).toBe(3);
    expect(value.refused.map(({ code }) => code).sort()).toEqual(['HARDWARE_DEVICE', 'NOT_FOUND']);
    for (const { id } of devices) expect(await isThere(id)).toBe('NOT_FOUND');
    const { db } = app.storage;
    const rows = db.selectFrom('logs').selectAll().where('type', '=', 'device.delete').where('device_id', 'is', null);
    const row = await rows.executeTakeFirstOrThrow();
    expect(row).toMatchObject({ message: '3 devices deleted', owner_id: people.owner.id });
    expect(JSON.parse(row.data).devices.toSorted()).toEqual(devices.map(({ id }) => id).toSorted());
  });
});
