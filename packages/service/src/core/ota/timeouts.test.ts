import { beforeEach, describe, expect, it } from 'vitest';
import { topics } from '../../engine/bus/topics.ts';
import { eachDatabase } from '../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../testing/ota-world.ts';
import { openOtaEngine } from './engine.ts';
import { PollLoad } from './poll-load.ts';

eachDatabase('updates that take their time', (open) => {
  let world: OtaWorld;
  let product: Awaited<ReturnType<OtaWorld['productWithRelease']>>;
  let device: Awaited<ReturnType<OtaWorld['deviceOn']>>;

  beforeEach(async () => {
    world = await otaWorld(await open());
    product = await world.productWithRelease();
    device = await world.deviceOn(product.product.id);
  });
  const downloading = 7 * 86_400_000;
  const installed = 86_400_000;
  /** What the background does after some time. */
  const later = async (ms: number, updateTimeoutHours = 24) => {
    const { storage, clock, service } = world.app;
    await storage.db
      .updateTable('updates')
      .set((update) => ({
        created_at: update('created_at', '-', ms),
        downloading_at: update('downloading_at', '-', ms),
        installed_at: update('installed_at', '-', ms),
      }))
      .execute();
    const settings = { ...service.deps.settings, updateTimeoutHours };
    await openOtaEngine({ ...service.deps, settings, load: new PollLoad() }, { notify() {} }).expire();
    return clock.now();
  };
  const begin = async () => {
    const { path, files } = await world.ask(device, { bversion: 'factory' });
    await world.inject(device, 'GET', new URL(path.replace('%s', files[0].remote)).pathname);
  };

  /** States of the device's updates, as those who watch it see them. */
  const watch = () => {
    const seen: string[] = [];
    const { bus } = world.app.storage;
    bus.publish(topics.liveWatch, [device.id]);
    const unsubscribe = bus.subscribe(topics.liveEvent, ({ deviceId, event }) => {
      if (deviceId === device.id && event.type === 'update') seen.push((event.data as { state: string }).state);
    });
    return { seen, unsubscribe };
  };

  // API-RULE-ota-11
  describe('a device that never comes back', () => {
    it('after its restart has failed, with a reason and a row in the log', async () => {
      await begin();
      await world.report(device, product.release.id, 1, 'factory');
      await later(installed - 1);
      expect(await world.states(device)).toEqual(['installed']);
      const now = await later(2);
      expect(await world.history(device)).toMatchObject([
        { state: 'failed', reason: 'The device did not come back within 24 hours of its restart', finished_at: now },
      ]);
      // No device has spoken: the service itself has ended it.
      const { data } = await world.app.storage.db
        .selectFrom('logs')
        .select('data')
        .where('device_id', '=', device.id)
        .where('type', '=', 'ota.fail')
        .executeTakeFirstOrThrow();
      expect(JSON.parse(data ?? '')).toMatchObject({ cause: 'service' });
      expect(await world.record(device)).toMatchObject({ bundle_ok: false });
    });

    it('has as long for that as the settings say', async () => {
      await begin();
      await world.report(device, product.release.id, 1, 'factory');
      await later(3 * installed - 1, 72);
      expect(await world.states(device)).toEqual(['installed']);
      await later(2, 72);
      expect(await world.history(device)).toMatchObject([
        { state: 'failed', reason: 'The device did not come back within 72 hours of its restart' },
      ]);
    });

    it('in its download has failed; what was only offered waits', async () => {
      await begin();
      const other = await world.deviceOn(product.product.id);
      await world.ask(other, { bversion: 'factory' });
      await later(downloading + 1);
      expect(await world.history(device)).toMatchObject([
        { state: 'failed', reason: 'The download was not complete after 7 days' },
      ]);
      expect(await world.states(other)).toEqual(['offered']);
      await later(10 * downloading);
      expect(await world.states(device)).toEqual(['failed']);
    });
  });

  it('a device that comes back after all is done, in an update of its own', async () => {
    const { release } = product;
    await begin();
    await world.report(device, release.id, 1, 'factory');
    await later(installed + 1);
    expect((await world.report(device, release.id, 1, release.bversion)).status).toBe(200);
    expect(await world.states(device)).toEqual(['failed', 'done']);
    expect(await world.record(device)).toMatchObject({ bundle_ok: true, bversion: release.bversion });
  });

  it('a slow download that goes on begins another update', async () => {
    await begin();
    await later(downloading + 1);
    expect(await world.ask(device, { bversion: 'factory' })).toMatchObject({ status: 200, result: 'update' });
    expect(await world.states(device)).toEqual(['failed', 'offered']);
  });

  // API-EP-GET-devices-device_id-live
  it('watchers of the device are notified of every step', async () => {
    const { release } = product;
    const { seen, unsubscribe } = watch();
    await begin();
    await world.report(device, release.id, 1, 'factory');
    await world.report(device, release.id, 1, release.bversion);
    expect(seen).toEqual(['offered', 'downloading', 'installed', 'done']);
    unsubscribe();
  });

  // API-RULE-ota-10
  it('a device that goes to another product ends its open update, and watchers hear of that', async () => {
    const other = await world.productWithRelease({ user_id: world.people.owner.id });
    const { seen, unsubscribe } = watch();
    await begin();
    const moved = await world.app.client
      .as(world.people.owner.token)
      .call('devices.activate', { params: { device_id: device.id }, body: { product_id: other.product.id } });
    expect(moved.ok).toBe(true);
    expect(await world.states(device)).toEqual(['superseded']);
    await expect.poll(() => seen).toEqual(['offered', 'downloading', 'superseded']);
    unsubscribe();
  });
});
