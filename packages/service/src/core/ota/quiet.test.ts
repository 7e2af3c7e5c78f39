import { unwrap } from '@moorage/base';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../testing/ota-world.ts';
import { type TlsDevices, tlsDevices } from '../../testing/tls-devices.ts';
import { QuietChoices } from './quiet.ts';
import type { OtaDeviceRow } from './work.ts';

eachDatabase('queries that bring nothing new', (open) => {
  let world: OtaWorld;
  let app: TestApp;
  let devices: TlsDevices;
  beforeAll(async () => {
    world = await otaWorld(await open());
    // Rows of devices are remembered by the listener with certificates.
    app = await buildApp(world.app.storage);
    devices = await tlsDevices(app, world.platform);
  });
  afterAll(async () => {
    devices.close();
    await app.service.close();
  });

  afterEach(() => vi.restoreAllMocks());

  /** Nothing is done at its time meanwhile, so nothing is written. */
  const timeGoesBy = (ms: number) => {
    const laterMs = app.clock.now() + ms;
    vi.spyOn(app.clock, 'now').mockReturnValue(laterMs);
  };

  const maker = () => app.client.as(world.people.maker.token);

  /** A device that runs the release of its product, and has asked until nothing of that was new any more. */
  async function scene() {
    const { product, release, bundleOf } = await world.productWithRelease();
    const { row, agent } = await devices.deviceOf({ product_id: product.id, user_id: world.people.owner.id });
    const runs = { bid: release.id, bversion: release.bversion, mac: row.mac ?? undefined };
    const ask = (more: object = {}) => devices.call(agent, 'POST', '/ota', { ...runs, ...more });
    const quiet = async (times = 3) => {
      for (let time = 0; time < times; time++) expect(await ask()).toMatchObject({ status: 200, result: 'none' });
    };
    await quiet();
    const params = { product_id: product.id };
    return { product, release, bundleOf, device: row, ask, quiet, params, of: { params: { device_id: row.id } } };
  }
  type Scene = Awaited<ReturnType<typeof scene>>;

  const update = { result: 'update' };
  it.each<[string, (scene: Scene) => Promise<object>]>([
    [
      'another bundle is the release',
      async ({ release, bundleOf }) => {
        const old = app.storage.db.updateTable('bundles').set({ tag: null }).where('id', '=', release.id);
        await old.execute();
        return { ...update, bundle_id: (await bundleOf('release')).id };
      },
    ],
    [
      'the device follows another tag',
      async ({ bundleOf, of }) => {
        const { id } = await bundleOf('beta');
        const owner = app.client.as(world.people.owner.token);
        unwrap(await owner.call('devices.setTag', { ...of, body: { tag: 'beta' } }));
        return { ...update, bundle_id: id };
      },
    ],
    [
      'the device is pinned',
      async ({ bundleOf, of }) => {
        const { id } = await bundleOf(null);
        unwrap(await maker().call('rollouts.pin', { ...of, body: { bundle_id: id, reason: 'x' } }));
        return { ...update, bundle_id: id };
      },
    ],
    [
      'a rollout begins',
      async ({ bundleOf, params, product }) => {
        const { id: bundle_id } = await bundleOf(null);
        await world.deviceOn(product.id);
        const body = { title: 'Spring', bundle_id, settings: { stages: [{}] } };
        const { id: rollout_id } = unwrap(await maker().call('rollouts.create', { params, body })).value;
        unwrap(await maker().call('rollouts.act', { params: { rollout_id }, body: { action: 'start' } }));
        return { ...update, bundle_id };
      },
    ],
    [
      'a freeze ends at its time',
      async ({ release, bundleOf, params, quiet }) => {
        const body = { reason: 'Holidays', until: app.clock.now() + 60_000 };
        unwrap(await maker().call('rollouts.freeze', { params, body }));
        const old = app.storage.db.updateTable('bundles').set({ tag: null }).where('id', '=', release.id);
        await old.execute();
        const { id } = await bundleOf('release');
        await quiet();
        timeGoesBy(60_000);
        return { ...update, bundle_id: id };
      },
    ],
    [
      'the window of a rollout opens',
      async ({ bundleOf, params, product, quiet }) => {
        const { id: bundle_id } = await bundleOf(null);
        await world.deviceOn(product.id);
        const from = new Date(app.clock.now() + 3_600_000).toISOString().slice(11, 16);
        const to = new Date(app.clock.now() + 7_200_000).toISOString().slice(11, 16);
        const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
        const window = { times: [{ days: [...days], from, to }], zone: 'UTC' };
        const body = { title: 'Nightly', bundle_id, settings: { stages: [{}], window } };
        const { id: rollout_id } = unwrap(await maker().call('rollouts.create', { params, body })).value;
        unwrap(await maker().call('rollouts.act', { params: { rollout_id }, body: { action: 'start' } }));
        await quiet();
        timeGoesBy(3_700_000);
        return { ...update, bundle_id };
      },
    ],
  ])('are answered anew when %s', async (_, change) => {
    const found = await scene();
    const expected = await change(found);
    expect(await found.ask()).toMatchObject(expected);
  });

  it('are answered by what each of them says', async () => {
    const { ask, quiet, release } = await scene();
    expect(await ask({ force: true })).toMatchObject({ ...update, bundle_id: release.id });
    await quiet();
    expect(await ask({ bid: undefined, bversion: 'factory' })).toMatchObject({ ...update, bundle_id: release.id });
  });

  it('are noted where somebody has asked the device to look', async () => {
    const { device, quiet } = await scene();
    const row = app.storage.db.updateTable('devices').where('id', '=', device.id);
    await row.set({ update_asked_at: app.clock.now(), update_looked_at: null }).execute();
    await quiet(1);
    const looked = app.storage.db.selectFrom('devices').select('update_looked_at').where('id', '=', device.id);
    expect(await looked.executeTakeFirst()).toEqual({ update_looked_at: app.clock.now() });
  });
});

it('an answer is that of the very row that it was made from', async () => {
  const quiet = new QuietChoices({ version: () => 1, lastMark: 0, markOf: () => 0 });
  const row = { id: 'one' } as OtaDeviceRow;
  const choice = { standing: { poll: { intervalMs: 1, isSoon: false, atMs: undefined }, isLasting: true } };
  quiet.beginRead()(row, {}, choice);
  expect([quiet.find(row, {}), quiet.find({ ...row }, {})]).toEqual([choice, undefined]);
});
