import { hourMs, unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { eachDatabase } from '../../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../../testing/ota-world.ts';

// API-EP-GET-products-product_id-shape, API-LIMIT-fleet
eachDatabase('the shape of a fleet', (open) => {
  let world: OtaWorld;
  beforeAll(async () => {
    world = await otaWorld(await open());
  });

  const shapeFor = (token: string, product_id: string) =>
    world.app.client.as(token).call('fleet.shape', { params: { product_id } });

  it('counts devices by version, make, last contact and outcome, and names none', async () => {
    const { app, people, platform } = world;
    const { product, release, bundleOf } = await world.productWithRelease();
    const nowMs = app.clock.now();
    const seen = (agoMs: number) => ({ last_seen_at: nowMs - agoMs, bversion: release.bversion });
    const first = await world.deviceOn(product.id, seen(1));
    const second = await world.deviceOn(product.id, seen(2 * hourMs));
    await world.deviceOn(product.id, seen(48 * hourMs));
    await world.deviceOn(product.id, { last_seen_at: nowMs - 30 * 24 * hourMs, bversion: 'of my own' });
    await world.deviceOn(product.id);
    const report = (device_id: string, name: string, value: string, number: number | null) =>
      ({ device_id, name, value, number, version_key: null, since: nowMs }) as const;
    const rows = [first, second].flatMap(({ id }, index) => [
      report(id, 'model', 'Buoy', null),
      report(id, 'free_flash', String(1000 * index), 1000 * index),
      report(id, 'mine', 'secret', null),
    ]);
    await app.storage.db.insertInto('attributes').values(rows).execute();
    const client = app.client.as(people.maker.token);
    const params = { product_id: product.id };
    unwrap(await client.call('rollouts.setFleetSettings', { params, body: { poll_interval_s: 600 } }));
    const bundle = await bundleOf(null);
    const body = { title: 'Spring', bundle_id: bundle.id, settings: { stages: [{}] } };
    const { id: rollout_id } = unwrap(await client.call('rollouts.create', { params, body })).value;
    unwrap(await client.call('rollouts.act', { params: { rollout_id }, body: { action: 'start' } }));
    for (const device of [first, second]) await world.ask(device, { bversion: release.bversion });
    await world.report(first, bundle.id, 1, release.bversion);
    await world.report(first, bundle.id, 1, bundle.bversion);
    await world.report(second, bundle.id, 1, release.bversion);
    await world.report(second, bundle.id, 0, release.bversion);

    const { value } = unwrap(await shapeFor(people.tester.token, product.id));
    const code = platform.code;
    expect(value).toMatchObject({
      devices: 5,
      groups: expect.arrayContaining([
        { platform: code, version: release.version, devices: 2 },
        { platform: code, version: bundle.version, devices: 1 },
        { platform: code, version: null, devices: 2 },
      ]),
      attributes: [{ name: 'model', value: 'Buoy', devices: 2 }],
      free_flash: { least: 0, average: 500, most: 1000 },
      poll_interval_s: 600,
      // Both have just asked.
      seen: { hour: 2, day: 0, week: 1, longer: 1, never: 1 },
      outcomes: { done: 1 },
    });
    expect(Object.values(value.outcomes.failed)).toEqual([1]);
    const text = JSON.stringify(value);
    for (const secret of [first.id, first.uuid, 'secret', 'of my own']) expect(text).not.toContain(secret);
  });

  it('of a product without devices has nothing in it', async () => {
    const { product } = await world.productWithRelease();
    expect(unwrap(await shapeFor(world.people.maker.token, product.id)).value).toEqual({
      devices: 0,
      groups: [],
      attributes: [],
      free_flash: null,
      poll_interval_s: null,
      seen: { hour: 0, day: 0, week: 0, longer: 0, never: 0 },
      outcomes: { done: 0, failed: {} },
    });
  });

  it('of a rollout has the devices that fit its filter, for who may see both', async () => {
    const { app, people } = world;
    const { product, release } = await world.productWithRelease();
    const other = await world.productWithRelease();
    const { id } = await world.deviceOn(product.id, { bversion: release.bversion });
    await world.deviceOn(product.id, { bversion: release.bversion });
    await app.storage.db.insertInto('labels').values({ device_id: id, name: 'region', value: 'eu' }).execute();
    const drafted = async (params: { product_id: string }, bundle_id: string, filter: object) => {
      const body = { title: 'Spring', bundle_id, settings: { stages: [{}] }, ...filter };
      return unwrap(await app.client.as(people.maker.token).call('rollouts.create', { params, body })).value.id;
    };
    const params = { product_id: product.id };
    const shape = async (rollout_id: string, who: 'maker' | 'tester' = 'maker') =>
      app.client.as(people[who].token).call('fleet.shape', { params, query: { rollout_id } });
    const filter = 'label.region==eu';
    const filtered = await drafted(params, release.id, { filter });
    expect(unwrap(await shape(filtered)).value).toMatchObject({
      filter,
      devices: 1,
      groups: [{ version: release.version, devices: 1 }],
      seen: { never: 1 },
    });
    expect(unwrap(await shape(await drafted(params, release.id, {}))).value).toMatchObject({ devices: 2 });
    expect(await shape(filtered, 'tester')).toMatchObject({ error: { body: { code: 'FORBIDDEN' } } });
    const elsewhere = await drafted({ product_id: other.product.id }, other.release.id, {});
    expect(await shape(elsewhere)).toMatchObject({ error: { body: { code: 'NOT_FOUND' } } });
  });

  it('is not for strangers, nor for who has a device of it alone', async () => {
    const { product } = await world.productWithRelease();
    await world.deviceOn(product.id);
    for (const [who, code] of [
      ['stranger', 'NOT_FOUND'],
      ['owner', 'FORBIDDEN'],
    ] as const) {
      expect(await shapeFor(world.people[who].token, product.id)).toMatchObject({ error: { body: { code } } });
    }
  });
});
