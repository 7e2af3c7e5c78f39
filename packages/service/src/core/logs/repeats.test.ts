import { type DeviceWrite, deviceWrites } from '@moorage/api';
import { minuteMs } from '@moorage/base';
import { expect, it } from 'vitest';
import { writeLog } from '../../engine/db/logs.ts';
import { eachDatabase } from '../../testing/index.ts';
import { otaWorld } from '../../testing/ota-world.ts';
import { recordChannels } from '../channel/recorder.ts';
import { lastNumber } from './queries.ts';

const times = 30;
const capabilities = {
  name: 'x',
  version: '1.0.0.0',
  streams: { t: { type: 'number' } },
  messages: { 'from-device': true, 'to-device': true },
};

// API-RULE-log-5
eachDatabase('what a device does again and again', (open) => {
  async function scene() {
    const world = await otaWorld(await open());
    const { product, release } = await world.productWithRelease();
    const device = await world.deviceOn(product.id);
    const { storage } = world.app;
    const rows = () =>
      storage.db.selectFrom('logs').selectAll().where('device_id', '=', device.id).orderBy('created_at').execute();
    return { ...world, product, release, device, storage, rows };
  }
  type Scene = Awaited<ReturnType<typeof scene>>;

  const channel = async ({ storage, device, app }: Scene, at: number) => {
    const of = { device, session: `s${at}`, atMs: app.clock.now() };
    await recordChannels(storage, [{ ...of, kind: 'opened', address: '127.0.0.1', processId: 'p' }]);
    await recordChannels(storage, [{ ...of, kind: 'closed' }]);
  };
  const send = async ({ inject, device }: Scene, url: string, body: object) => {
    expect((await inject(device, 'POST', url, body)).statusCode, url).toBe(200);
  };
  const data = (scene: Scene) =>
    scene.storage.db
      .insertInto('activations')
      .values({
        device_id: scene.device.id,
        user_id: scene.people.owner.id,
        capabilities: JSON.stringify(capabilities),
        activated_at: 0,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();

  /** Each kind of write, and how many texts the log may have of it. */
  const writes: Readonly<Record<DeviceWrite, { texts: number; again(scene: Scene, at: number): Promise<unknown> }>> = {
    connects: { texts: 2, again: channel },
    identity: {
      texts: 2,
      async again(scene) {
        await send(scene, '/device/v1/activate', { capabilities });
        await send(scene, '/device/v1/deactivate', {});
      },
    },
    updates: {
      texts: 3,
      async again(scene) {
        await scene.ask(scene.device, { bversion: 'other' });
        await scene.report(scene.device, scene.release.id, 3, 'other');
      },
    },
    files: { texts: 1, again: (scene, at) => send(scene, '/files/device/a.json', { at }) },
    attributes: {
      texts: 0,
      again: (scene, at) => scene.ask(scene.device, { bversion: 'other', attributes: { a: `${at}` } }),
    },
    samples: {
      texts: 0,
      async again(scene, at) {
        await data(scene);
        await scene.inject(scene.device, 'POST', '/device/v1/data', {
          batch: String(at).padStart(16, '0'),
          samples: [{ n: 't', v: at }],
        });
      },
    },
    messages: {
      texts: 0,
      async again(scene) {
        await data(scene);
        await scene.inject(scene.device, 'POST', '/device/v1/messages', { data: 'x' });
      },
    },
  };

  it.each(deviceWrites)('has no more than a few rows of the log: %s', async (write) => {
    const one = await scene();
    await one.ask(one.device, { bversion: 'other' });
    const before = (await one.rows()).length;
    for (let at = 0; at < times; at++) await writes[write].again(one, at);
    const rows = (await one.rows()).slice(before);
    expect(rows.length).toBeLessThanOrEqual(writes[write].texts * 6);
    expect(rows.length).toBeGreaterThanOrEqual(writes[write].texts);
  });

  it('is the newest row with how often it was and since when, and others have their own', async () => {
    const { storage, app, device, deviceOn, product, rows } = await scene();
    const other = await deviceOn(product.id);
    const say = (deviceId: string, message: string) =>
      writeLog(storage.db, { type: 'ota.fail', message, deviceId, atMs: app.clock.now(), data: { result: 3 } });
    const began = app.clock.now();
    for (let at = 0; at < times; at++) {
      await say(device.id, 'It failed');
      await app.clock.advance(1_000);
    }
    const last = await lastNumber(storage);
    await say(other.id, 'It failed');
    await say(device.id, 'It failed otherwise');
    await say(device.id, 'It failed');
    expect(await lastNumber(storage)).toBeGreaterThan(last + 2);
    const said = (await rows()).map(({ message, data, created_at }) => [message, JSON.parse(data), created_at]);
    const single = { result: 3 };
    expect(said.map(([message, found]) => [message, found.times ?? 1])).toEqual([
      ...Array(4).fill(['It failed', 1]),
      ...[
        ['It failed otherwise', 1],
        ['It failed', times - 4 + 1],
      ].sort(([one], [two]) => String(two).localeCompare(String(one))),
    ]);
    expect(said.find(([, found]) => found.times > 1)).toEqual([
      'It failed',
      { ...single, times: times - 3, since: String(began + 4_000) },
      began + times * 1_000,
    ]);
    await app.clock.advance(10 * minuteMs + 1);
    await say(device.id, 'It failed');
    expect((await rows()).length).toBe(said.length + 1);
  });
});
