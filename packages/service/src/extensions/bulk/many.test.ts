import { randomUUID } from 'node:crypto';
import { manyDevicesLimit } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { topics } from '../../engine/bus/topics.ts';
import { type DeviceWorld, deviceWorld, outcome, type Person } from '../../testing/device-world.ts';
import { eachDatabase } from '../../testing/index.ts';

// API-RULE-many-devices-1
eachDatabase('changes of many devices', (open) => {
  let world: DeviceWorld;
  let published: (readonly [topic: string, message: unknown])[];
  const as = (person: Person) => world.as(person);

  beforeAll(async () => {
    world = await deviceWorld(await open());
    published = [];
    for (const topic of [topics.otaDue, topics.deviceMoved]) {
      world.app.storage.bus.subscribe<unknown>(topic, (message) => published.push([topic.name, message]));
    }
  });

  const rowOf = (id: string) =>
    world.app.storage.db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const refusal = (device_id: string, code: string) => expect.objectContaining({ device_id, code });

  // API-EP-POST-devices-tag
  it('tag changes those that are allowed, each once, and lists why the others stay', async () => {
    const [first, second, tagged] = [
      await world.deviceOf('owner'),
      await world.deviceOf('owner'),
      await world.deviceOf('owner', { tag: 'beta' }),
    ];
    const { platform } = world;
    const edition = await world.app.make.product({ platform_id: platform.id });
    const foreign = await world.deviceOf('stranger', { product_id: edition.id });
    const missing = randomUUID();
    const ids = [first.id, second.id.toUpperCase(), first.id, tagged.id, foreign.id, missing];
    const reply = await as('owner').call('manyDevices.setTag', { body: { device_ids: ids, tag: 'beta' } });
    const refused = expect.arrayContaining([refusal(foreign.id, 'NOT_FOUND'), refusal(missing, 'NOT_FOUND')]);
    expect(reply).toMatchObject({ ok: true, value: { value: { ok: 3, refused } } });
    expect(reply.ok && reply.value.value.refused).toHaveLength(2);
    expect([(await rowOf(first.id)).tag, (await rowOf(second.id)).tag, (await rowOf(foreign.id)).tag]).toEqual([
      'beta',
      'beta',
      null,
    ]);
    expect((await world.logsOf(first.id)).map(({ type }) => type)).toEqual(['device.tag']);
    expect(await world.logsOf(tagged.id)).toEqual([]);
    expect(await world.logsOf(foreign.id)).toEqual([]);

    const cleared = await as('owner').call('manyDevices.setTag', { body: { device_ids: [first.id], tag: '' } });
    expect(cleared).toMatchObject({ value: { value: { ok: 1, refused: [] } } });
    expect((await rowOf(first.id)).tag).toBeNull();
  });

  // API-RULE-access-1, API-RULE-access-2
  it.each([
    ['owner', undefined, undefined],
    ['maker', undefined, 'FORBIDDEN'],
    ['manager', undefined, 'FORBIDDEN'],
    ['tester', 'FORBIDDEN', 'FORBIDDEN'],
    ['stranger', 'NOT_FOUND', 'NOT_FOUND'],
    ['admin', undefined, undefined],
  ] as const)('%s: tag is refused with %s, activate with %s', async (who, tag, activate) => {
    const device = await world.deviceOf('owner');
    const other = await world.app.make.product({ platform_id: world.platform.id, publication: 'published' });
    const codes = (reply: Awaited<ReturnType<typeof tagIt>>) =>
      reply.ok ? reply.value.value.refused.map(({ code }) => code) : [reply.error.body.code];
    const device_ids = [device.id];
    const tagIt = () => as(who).call('manyDevices.setTag', { body: { device_ids, tag: 'beta' } });
    expect(codes(await tagIt())).toEqual(tag ? [tag] : []);
    const moved = await as(who).call('manyDevices.activate', { body: { device_ids, product_id: other.id } });
    expect(codes(moved)).toEqual(activate ? [activate] : []);
    const row = await rowOf(device.id);
    expect(row.tag).toBe(tag ? null : 'beta');
    expect(row.product_id).toBe(activate ? world.product.id : other.id);
  });

  // API-EP-POST-devices-activate, API-RULE-activate-1, API-RULE-production-1
  it('activate moves what fits, tells them, and refuses by device', async () => {
    const { make } = world.app;
    const target = await make.product({ platform_id: world.platform.id, user_id: world.people.owner.id });
    const elsewhere = await make.platform();
    const model = await make.product({ platform_id: elsewhere.id });
    const production = await make.product({ platform_id: world.platform.id, production: 1, claimable: 1 });
    const fits = [await world.deviceOf('owner'), await world.deviceOf('owner')];
    const there = await world.deviceOf('owner', { product_id: target.id });
    const other = await world.deviceOf('owner', { platform_id: elsewhere.id, product_id: model.id });
    const bound = await world.deviceOf('owner', { product_id: production.id });
    const blocked = await world.deviceOf('owner', { state: 'disabled' });
    const device_ids = [...fits, there, other, bound, blocked].map(({ id }) => id);
    published.length = 0;
    const reply = await as('owner').call('manyDevices.activate', { body: { device_ids, product_id: target.id } });
    const refused = expect.arrayContaining([
      refusal(other.id, 'PLATFORM_MISMATCH'),
      refusal(bound.id, 'PRODUCTION_DEVICE'),
      refusal(blocked.id, 'DEVICE_DISABLED'),
    ]);
    expect(reply).toMatchObject({ ok: true, value: { value: { ok: 3, refused } } });
    for (const { id } of fits) {
      const row = await rowOf(id);
      expect(row).toMatchObject({ product_id: target.id, update_id: null });
      expect(row.activated_at).not.toBeNull();
      expect((await world.logsOf(id)).map(({ type }) => type)).toEqual(['device.activate']);
    }
    expect(await world.logsOf(there.id)).toEqual([]);
    const moves = fits.map(({ id }) => ['device.moved', { deviceId: id, productId: target.id }]);
    expect(published).toHaveLength(2);
    expect(published).toEqual(expect.arrayContaining(moves));
  });

  it('activate to a product that the caller may not see is refused as a whole', async () => {
    const hidden = await world.app.make.product({ platform_id: world.platform.id });
    const device = await world.deviceOf('owner');
    for (const product_id of [hidden.id, randomUUID()]) {
      const reply = await as('owner').call('manyDevices.activate', { body: { device_ids: [device.id], product_id } });
      expect(outcome(reply)).toBe('NOT_FOUND');
    }
    expect((await rowOf(device.id)).product_id).toBe(world.product.id);
  });

  // API-LIMIT-many-devices
  it('names 1 to 5,000 devices', async () => {
    const named = (count: number) => Array.from({ length: count }, () => randomUUID());
    const tag = (device_ids: string[]) => as('owner').call('manyDevices.setTag', { body: { device_ids, tag: 'beta' } });
    expect(outcome(await tag([]))).toBe('INVALID_REQUEST');
    expect(outcome(await tag(named(manyDevicesLimit + 1)))).toBe('INVALID_REQUEST');
    const most = await tag(named(manyDevicesLimit));
    expect(most.ok && most.value.value.refused).toHaveLength(manyDevicesLimit);
  });

  it('every connector that subscribes to an event gets it for each device', async () => {
    const { db } = world.app.storage;
    const devices = [await world.deviceOf('owner'), await world.deviceOf('owner')];
    const made = await as('maker').call('connectors.create', {
      params: { product_id: world.product.id },
      body: {
        title: 'Hook',
        code: 'MANY',
        opts: { url: 'https://example.com/', events: ['device.tag'] },
      },
    });
    expect(outcome(made)).toBe('ok');
    const device_ids = devices.map(({ id }) => id);
    unwrap(await as('owner').call('manyDevices.setTag', { body: { device_ids, tag: 'alpha' } }));
    const queued = await db.selectFrom('deliveries').select('device_id').where('device_id', 'in', device_ids).execute();
    expect(queued.map(({ device_id }) => device_id).sort()).toEqual([...device_ids].sort());
  });
});
