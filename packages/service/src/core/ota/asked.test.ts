import { unwrap } from '@moorage/base';
import { beforeEach, expect, it } from 'vitest';
import { topics } from '../../engine/bus/topics.ts';
import { outcome } from '../../testing/device-world.ts';
import { eachDatabase } from '../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../testing/ota-world.ts';
import { downloadPercent } from './rules.ts';

// API-RULE-ask-1
eachDatabase('an update that is asked for', (open) => {
  let world: OtaWorld;
  let product: Awaited<ReturnType<OtaWorld['productWithRelease']>>;
  let device: Awaited<ReturnType<OtaWorld['deviceOn']>>;
  beforeEach(async () => {
    world = await otaWorld(await open());
    product = await world.productWithRelease();
    device = await world.deviceOn(product.product.id);
  });

  const owner = () => world.app.client.as(world.people.owner.token);
  const ask = () => owner().call('devices.askUpdate', { params: { device_id: device.id } });
  const progress = async () =>
    unwrap(await owner().call('devices.updateProgress', { params: { device_id: device.id } })).value;
  /** What those who watch the device are told of its progress. */
  const watch = () => {
    const told: unknown[] = [];
    const { bus } = world.app.storage;
    bus.publish(topics.liveWatch, [device.id]);
    bus.subscribe(topics.liveEvent, ({ deviceId, event }) => {
      if (deviceId === device.id && event.type === 'progress') told.push(event.data);
    });
    return told;
  };

  // API-EP-POST-devices-device_id-update, API-EP-GET-devices-device_id-update
  it('is seen from the moment it was asked to the moment the device is back', async () => {
    const { clock, storage } = world.app;
    const due: unknown[] = [];
    storage.bus.subscribe(topics.otaDue, ({ deviceId }) => due.push(deviceId));
    const told = watch();
    const askedMs = clock.now();
    expect(unwrap(await ask()).value).toEqual({
      online: false,
      asked_at: String(askedMs),
      looked_at: null,
      update: null,
    });
    expect(due).toEqual([device.id]);
    expect(told).toEqual([{ update: null, percent: null }]);
    await clock.advance(5_000);
    const { path, files } = await world.ask(device, { bversion: 'factory' });
    const lookedMs = clock.now();
    expect(await progress()).toMatchObject({ looked_at: String(lookedMs), update: { state: 'offered' } });
    // Only the first query after it was asked answers that.
    await clock.advance(5_000);
    await world.ask(device, { bversion: 'factory' });
    expect(await progress()).toMatchObject({ looked_at: String(lookedMs) });
    for (const { remote } of files) await world.inject(device, 'GET', new URL(path.replace('%s', remote)).pathname);
    const [update] = await world.history(device);
    const sent = told.filter((event) => (event as { percent: number | null }).percent !== null);
    expect(sent.at(-1)).toEqual({ update: update?.id, percent: 100 });
    expect(sent.length).toBe(files.length);
    await world.report(device, product.release.id, 1, 'factory');
    await world.ask(device, { bversion: product.release.bversion });
    expect(await progress()).toMatchObject({ update: { state: 'done' } });
  });

  it('a device that has nothing to fetch shows that it has looked', async () => {
    const quiet = { bid: product.release.id, bversion: product.release.bversion };
    await world.ask(device, quiet);
    unwrap(await ask());
    await world.ask(device, quiet);
    const { asked_at, looked_at, update } = await progress();
    expect(looked_at).not.toBeNull();
    expect(Number(looked_at)).toBeGreaterThanOrEqual(Number(asked_at));
    expect(update).toMatchObject({ state: 'done' });
  });

  it('is refused for a blocked device, and to those who may only look', async () => {
    const { people, app } = world;
    const call = (token: string) =>
      app.client.as(token).call('devices.askUpdate', { params: { device_id: device.id } });
    expect(outcome(await call(people.tester.token))).toBe('FORBIDDEN');
    expect(outcome(await call(people.stranger.token))).toBe('NOT_FOUND');
    await app.storage.db.updateTable('devices').set({ state: 'disabled' }).where('id', '=', device.id).execute();
    expect(outcome(await call(people.maker.token))).toBe('DEVICE_DISABLED');
  });
});

it('the percent of a download never goes back from file to file, and ends at 100', () => {
  const files = [{ size: 30 }, { size: 0 }, { size: 70 }];
  const seen = files.flatMap(({ size }, at) => [0, size / 2, size].map(downloadPercent(files, at)));
  expect(seen).toEqual([0, 15, 30, 30, 30, 30, 30, 65, 100]);
  expect(downloadPercent([{ size: 0 }], 0)(0)).toBe(100);
});
