import { unwrap } from '@moorage/base';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { topics } from '../../../engine/bus/topics.ts';
import { auditedTimes } from '../../../testing/audited.ts';
import { eachDatabase, type MadeUser } from '../../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../../testing/ota-world.ts';
import { openFleet } from './engine.ts';
import { lockRollout } from './queries.ts';
import { sweep } from './sweep.ts';

eachDatabase('what becomes of devices in a rollout', (open) => {
  let world: OtaWorld;
  beforeAll(async () => {
    world = await otaWorld(await open());
  });

  const as = (user: MadeUser) => world.app.client.as(user.token);
  const maker = () => as(world.people.maker);

  async function scene() {
    const { product, release, bundleOf } = await world.productWithRelease();
    const device = await world.deviceOn(product.id);
    const runs = { bid: release.id, bversion: release.bversion };
    return { product, release, bundleOf, device, runs, params: { product_id: product.id } };
  }

  const draft = async (product_id: string, bundle_id: string, more: object = {}) => {
    const body = { title: 'Spring', bundle_id, settings: { stages: [{}] }, ...more };
    return unwrap(await maker().call('rollouts.create', { params: { product_id }, body })).value;
  };
  const act = (rollout_id: string, action: 'start' | 'pause' | 'resume' | 'pass' | 'abort' | 'roll_back') =>
    maker().call('rollouts.act', { params: { rollout_id }, body: { action } });
  /** A device takes an update and restarts with it. */
  const install = async (device: Parameters<OtaWorld['ask']>[0], bundle: { id: string; bversion: string }) => {
    await world.report(device, bundle.id, 1, 'before');
    await world.report(device, bundle.id, 1, bundle.bversion);
  };
  /** Takes devices to the message channel; the ids of those that are woken from now on. */
  const listenFor = async (devices: readonly { readonly id: string }[]): Promise<readonly string[]> => {
    const { db, bus } = world.app.storage;
    const channels = devices.map(({ id }) => {
      return { device_id: id, process_id: 'p', session: id, address: '', connected_at: 0 };
    });
    await db.insertInto('channels').values(channels).execute();
    const woken: string[] = [];
    const isOne = (id: string) => devices.some((device) => device.id === id);
    onTestFinished(bus.subscribe(topics.otaDue, ({ deviceId = '' }) => isOne(deviceId) && woken.push(deviceId)));
    return woken;
  };

  it('the reach of a draft warns of devices that may not get it, and says what a roll-back brings', async () => {
    const { app, platform } = world;
    const { product, bundleOf, params, device, release } = await scene();
    const [bundle, older] = [await bundleOf(null), await bundleOf(null)];
    const seen = { last_seen_at: app.clock.now(), bversion: older.bversion };
    const small = await world.deviceOn(product.id, seen);
    const row = { device_id: small.id, name: 'free_flash', value: '1', number: 1, version_key: null, since: 0 };
    await app.storage.db.insertInto('attributes').values(row).execute();
    const { id: platform_id } = await app.make.platform();
    await world.deviceOn(product.id, { ...seen, platform_id });
    expect(device.last_seen_at).toBeNull();
    const body = { title: 'x', bundle_id: bundle.id, settings: { stages: [{}], probation_s: 60 } };
    const reached = async () =>
      unwrap(await maker().call('rollouts.reach', { params, body: { change: 'rollout', rollout: body } })).value;
    const warnings = { platform: 1, flash: 1, unseen: 1 };
    expect(await reached()).toMatchObject({
      ...warnings,
      ends_at: String(app.clock.now() + 3_660_000),
      rollout: {
        stages: [{ devices: 3, ...warnings }],
        at_worst: { devices: 3, stops: false },
        back: [
          { version: older.version, devices: 2 },
          { version: release.version, devices: 1 },
        ],
      },
    });
    // One asks once a day, as it did the last time.
    const slow = await world.deviceOn(product.id, { last_seen_at: app.clock.now() - 86_400_000 });
    await app.storage.hot.touchDevice(slow.id, app.clock.now(), '192.0.2.1');
    expect(await reached()).toMatchObject({ ends_at: String(app.clock.now() + 86_460_000) });
    // What asks again soon has asked once, and the end of a connection is no contact.
    await app.clock.advance(10_000);
    await app.storage.hot.touchDevice(slow.id, app.clock.now(), '192.0.2.1');
    await app.clock.advance(600_000);
    await app.storage.hot.touchDevice(slow.id, app.clock.now(), null);
    expect(await reached()).toMatchObject({ ends_at: String(app.clock.now() + 86_460_000) });
    expect(platform.id).not.toBe(platform_id);
  });

  it('a device that does not fit the filter gets the bundle once it reports what fits', async () => {
    const { product, bundleOf, device, runs, params } = await scene();
    const bundle = await bundleOf(null);
    const body = { title: 'x', bundle_id: bundle.id, filter: 'attribute.board==Pier', settings: { stages: [{}] } };
    const { id } = unwrap(await maker().call('rollouts.create', { params, body })).value;
    // One that fits keeps the rollout from being over.
    const other = await world.deviceOn(product.id);
    await world.ask(other, { ...runs, attributes: { board: 'Pier' } });
    unwrap(await act(id, 'start'));
    for (let asked = 0; asked < 2; asked++) {
      expect(await world.ask(device, { ...runs, attributes: { board: 'Harbour' } })).toMatchObject({ result: 'none' });
    }
    const now = await world.ask(device, { ...runs, attributes: { board: 'Pier' } });
    expect(now).toMatchObject({ result: 'update', bundle_id: bundle.id });
  });

  it('a device that does not fit by its address gets the bundle once it asks from one that fits', async () => {
    const { product, bundleOf, device, runs } = await scene();
    const bundle = await bundleOf(null);
    const params = { product_id: product.id };
    const body = { title: 'x', bundle_id: bundle.id, filter: 'ip==10.1.*', settings: { stages: [{}] } };
    const { id } = unwrap(await maker().call('rollouts.create', { params, body })).value;
    // One that fits keeps the rollout from being over.
    await world.deviceOn(product.id, { ip: '10.1.0.9' });
    unwrap(await act(id, 'start'));
    const askFrom = async (remoteAddress: string) => {
      const headers = { 'x-device-uuid': device.uuid, 'x-device-token': device.token };
      const call = { method: 'POST', url: '/ota', remoteAddress, headers, payload: runs } as const;
      return (await world.app.service.devices.inject(call)).json();
    };
    for (let asked = 0; asked < 3; asked++) expect(await askFrom('10.2.0.7')).toMatchObject({ result: 'none' });
    expect(await askFrom('10.1.0.7')).toMatchObject({ result: 'none' });
    // What devices only show by their contacts is looked at now and then.
    const { storage, service } = world.app;
    const parts = openFleet({ ...service.deps, tagBundle: async () => {}, stretch: () => 1 });
    expect(await sweep({ ...parts, storage })).toBe(1);
    expect(await askFrom('10.1.0.7')).toMatchObject({ result: 'update', bundle_id: bundle.id });
    expect(await sweep({ ...parts, storage })).toBe(0);
  });

  it('a device that is pinned or blocked is skipped, and enters when it is let go', async () => {
    const { people } = world;
    const { product, bundleOf, device, runs } = await scene();
    const [pinned, blocked, elsewhere] = await Promise.all([1, 2, 3].map(() => world.deviceOn(product.id)));
    if (!pinned || !blocked || !elsewhere) throw new Error('Three devices were made');
    const bundle = await bundleOf(null);
    const pin = (device_id: string) =>
      maker().call('rollouts.pin', { params: { device_id }, body: { bundle_id: runs.bid, reason: 'x' } });
    unwrap(await pin(pinned.id));
    const { id: rollout_id } = await draft(product.id, bundle.id, { settings: { stages: [{}] } });
    const of = { params: { rollout_id } };
    unwrap(await act(rollout_id, 'start'));
    const kinds = async () => {
      const { value } = unwrap(await maker().call('rollouts.executions', { ...of, query: { state: 'skipped' } }));
      return new Map(value.map(({ device_id, kind }) => [device_id, kind]));
    };
    expect(await kinds()).toEqual(new Map([[pinned.id, 'pinned']]));
    const state = { params: { device_id: blocked.id }, body: { state: 'disabled' as const } };
    unwrap(await as(people.owner).call('devices.setState', state));
    expect((await kinds()).get(blocked.id)).toBe('blocked');
    const get = async () => unwrap(await maker().call('rollouts.get', of)).value;
    // What is under way ends, and does not come back to wait.
    expect(await world.ask(elsewhere, runs)).toMatchObject({ bundle_id: bundle.id });
    unwrap(await pin(elsewhere.id));
    await world.ask(elsewhere, { bversion: 'factory' });
    expect(await kinds()).toEqual(
      new Map([
        [pinned.id, 'pinned'],
        [blocked.id, 'blocked'],
        [elsewhere.id, 'pinned'],
      ]),
    );
    expect(await get()).toMatchObject({ state: 'running' });
    unwrap(await maker().call('rollouts.unpin', { params: { device_id: pinned.id } }));
    for (const one of [pinned, device]) {
      expect(await world.ask(one, runs)).toMatchObject({ bundle_id: bundle.id });
      await install(one, bundle);
    }
    expect(await get()).toMatchObject({ state: 'finished', stages: expect.anything() });
    expect(await kinds()).toEqual(
      new Map([
        [blocked.id, 'blocked'],
        [elsewhere.id, 'pinned'],
      ]),
    );
  });

  // API-EP-GET-rollouts-rollout_id-executions
  it('lists the devices of a stage, and says how many these are', async () => {
    const { product, bundleOf } = await scene();
    await Promise.all([1, 2].map(() => world.deviceOn(product.id)));
    const settings = { stages: [{ count: 1 }, {}] };
    const { id: rollout_id } = await draft(product.id, (await bundleOf(null)).id, { settings });
    unwrap(await act(rollout_id, 'start'));
    for (const [stage, devices] of [1, 2].entries()) {
      const query = { stage, state: 'waiting' as const };
      const page = unwrap(await maker().call('rollouts.executions', { params: { rollout_id }, query }));
      expect(page).toMatchObject({ total: devices, value: { length: devices } });
    }
  });

  // API-EP-POST-rollouts-rollout_id-state
  it('rolls back each device to the version that it had, else to what it follows', async () => {
    const { product, bundleOf, device, release, runs } = await scene();
    const [older, bundle] = [await bundleOf(null), await bundleOf(null)];
    const fresh = await world.deviceOn(product.id);
    const { id } = await draft(product.id, bundle.id);
    unwrap(await act(id, 'start'));
    for (const [one, bversion] of [
      [device, older.bversion],
      [fresh, 'factory'],
    ] as const) {
      expect(await world.ask(one, { bversion })).toMatchObject({ bundle_id: bundle.id });
      await install(one, bundle);
    }
    expect(runs.bversion).toBe(release.bversion);
    unwrap(await act(id, 'roll_back'));
    expect(await world.ask(device, { bversion: bundle.bversion })).toMatchObject({ bundle_id: older.id });
    await install(device, older);
    expect(await world.ask(device, { bversion: older.bversion })).toMatchObject({ result: 'none' });
    expect(await world.ask(fresh, { bversion: bundle.bversion })).toMatchObject({ bundle_id: release.id });
  });

  // API-RULE-rollout-4
  it.each([{ per_minute: 1 }, { open: 1 }])('rolls back at its pace: %o', async (pace) => {
    const { product, bundleOf, device, runs } = await scene();
    const bundle = await bundleOf(null);
    const other = await world.deviceOn(product.id);
    const { id: rollout_id } = await draft(product.id, bundle.id, {
      settings: { stages: [{}], pace, probation_s: 60 },
    });
    unwrap(await act(rollout_id, 'start'));
    for (const one of [device, other]) {
      expect(await world.ask(one, runs)).toMatchObject({ bundle_id: bundle.id });
      await install(one, bundle);
      await world.app.clock.advance(60_000);
    }
    const get = async () => unwrap(await maker().call('rollouts.get', { params: { rollout_id } })).value;
    await expect.poll(get).toMatchObject({ state: 'finished' });
    unwrap(await act(rollout_id, 'roll_back'));
    const has = { bversion: bundle.bversion };
    const back = { result: 'update', bundle_id: runs.bid };
    expect(await world.ask(device, has)).toMatchObject(back);
    expect(await world.ask(other, has)).toMatchObject({ result: 'none' });
    const selection = { params: { device_id: other.id } };
    expect(unwrap(await maker().call('rollouts.selection', selection)).value).toMatchObject({
      by: 'rollout',
      bundle_id: null,
      reason: 'The rollout "Spring" is rolled back, at its pace',
    });
    // The next query of the first is the same update.
    expect(await world.ask(device, has)).toMatchObject(back);
    expect((await get()).stages[0]?.counts).toMatchObject({ offered: 1, done: 1 });
    await install(device, { id: runs.bid, bversion: runs.bversion });
    if ('per_minute' in pace) {
      expect(await world.ask(other, has)).toMatchObject({ result: 'none' });
      await world.app.clock.advance(60_000);
    }
    expect(await world.ask(other, has)).toMatchObject(back);
    await install(other, { id: runs.bid, bversion: runs.bversion });
    for (const one of [device, other]) expect(await world.ask(one, runs)).toMatchObject({ result: 'none' });
    expect(await get()).toMatchObject({ state: 'rolled_back', stages: [{ counts: { done: 2 } }] });
  });

  // API-EP-POST-rollouts-rollout_id-retry
  it('wakes the failed devices on the message channel that a retry lets wait again', async () => {
    const { product, bundleOf, device, release, runs } = await scene();
    const bundle = await bundleOf(null);
    const { id: rollout_id } = await draft(product.id, bundle.id);
    unwrap(await act(rollout_id, 'start'));
    await world.ask(device, runs);
    await world.report(device, bundle.id, 4, release.bversion);
    const woken = await listenFor([device]);
    unwrap(await maker().call('rollouts.retry', { params: { rollout_id }, body: {} }));
    await expect.poll(() => woken).toEqual([device.id]);
    // API-RULE-audit-1
    expect(await auditedTimes(world.app.storage, 'rollouts.retry', world.people.maker)).toBe(1);
  });

  it('wakes the devices on the message channel that it brings back, at its pace', async () => {
    const { product, bundleOf, device, runs } = await scene();
    const [other, bundle] = [await world.deviceOn(product.id), await bundleOf(null)];
    const settings = { stages: [{}], pace: { per_minute: 1 } };
    const { id: rollout_id } = await draft(product.id, bundle.id, { settings });
    unwrap(await act(rollout_id, 'start'));
    for (const one of [device, other]) {
      expect(await world.ask(one, runs)).toMatchObject({ bundle_id: bundle.id });
      await install(one, bundle);
      await world.app.clock.advance(60_000);
    }
    const woken = await listenFor([device, other]);
    unwrap(await act(rollout_id, 'roll_back'));
    const [first, second] = [device.id, other.id].sort();
    await expect.poll(() => woken).toEqual([first]);
    await world.app.clock.advance(60_000);
    await expect.poll(() => woken).toEqual([first, second]);
  });

  // API-DEV-POST-ota-result
  it.each(['download', 'check', 'install', 'health', 'refused'] as const)(
    'a device says that it has failed by %s',
    async (failure) => {
      const { product, bundleOf, device, runs } = await scene();
      const bundle = await bundleOf(null);
      const abort = [{ kind: failure, percent: 50, min: 1, action: 'pause' }];
      const { id: rollout_id } = await draft(product.id, bundle.id, { settings: { stages: [{}], abort } });
      unwrap(await act(rollout_id, 'start'));
      await world.ask(device, runs);
      const failed = { bundle_id: bundle.id, result: 3, bversion: runs.bversion, failure };
      expect((await world.inject(device, 'POST', '/ota/result', { ...failed, failure: 'mood' })).statusCode).toBe(400);
      expect((await world.inject(device, 'POST', '/ota/result', failed)).statusCode).toBe(200);
      const { value } = unwrap(await maker().call('rollouts.get', { params: { rollout_id } }));
      expect(value).toMatchObject({ state: 'paused', stages: [{ failures: { [failure]: 1 } }] });
    },
  );

  it('a device that does not work with what it has confirmed has failed after all', async () => {
    const { product, bundleOf, device, runs } = await scene();
    const bundle = await bundleOf(null);
    const { id: rollout_id } = await draft(product.id, bundle.id, { settings: { stages: [{}], probation_s: 60 } });
    unwrap(await act(rollout_id, 'start'));
    await world.ask(device, runs);
    await install(device, bundle);
    const { bversion } = bundle;
    const sick = { bundle_id: bundle.id, result: 3, bversion, failure: 'health' };
    expect((await world.inject(device, 'POST', '/ota/result', sick)).statusCode).toBe(200);
    expect(await world.states(device)).toEqual(['done']);
    const { value } = unwrap(await maker().call('rollouts.executions', { params: { rollout_id } }));
    expect(value).toMatchObject([{ state: 'failed', kind: 'health' }]);
    // It goes back to what it follows.
    expect(await world.ask(device, { bversion })).toMatchObject({ bundle_id: runs.bid });
  });

  it.each([
    ['rollouts', 0],
    ['devices', 1],
    // History outlives the bundle.
    ['bundles', 2],
  ] as const)('what is kept of two devices when the row of %s is deleted is that of %d', async (table, left) => {
    const { db } = world.app.storage;
    const { product, device, bundleOf } = await scene();
    const other = await world.deviceOn(product.id);
    const bundle = await bundleOf(null);
    const { id } = await draft(product.id, bundle.id);
    unwrap(await act(id, 'start'));
    const kept = async () => {
      const rows = db.selectFrom('executions').select('device_id').where('rollout_id', '=', id);
      return (await rows.execute()).map(({ device_id }) => device_id).sort();
    };
    expect(await kept()).toEqual([device.id, other.id].sort());
    const ids = { rollouts: id, devices: device.id, bundles: bundle.id };
    await db.deleteFrom(table).where('id', '=', ids[table]).execute();
    expect(await kept()).toEqual([other.id, device.id].slice(0, left).sort());
  });

  it('a device that is deleted while its rollout starts is not in it', async () => {
    const { storage, service } = world.app;
    // SQLite has one writer.
    if (storage.kind === 'sqlite') return;
    const { product, device, bundleOf } = await scene();
    const other = await world.deviceOn(product.id);
    const { id } = await draft(product.id, (await bundleOf(null)).id);
    const { fleet, lifecycle } = openFleet({ ...service.deps, tagBundle: async () => {}, stretch: () => 1 });
    let attempts = 0;
    await storage.transaction(async (_trx, work) => {
      const rollout = await lockRollout(work, id);
      if (!rollout) return expect.unreachable();
      unwrap(await lifecycle.start(work, rollout, null));
      if (++attempts > 1) return;
      await storage.transaction(async (deleting, forgetting) => {
        await fleet.forget(forgetting, device.id);
        await deleting.deleteFrom('devices').where('id', '=', device.id).execute();
      });
    });
    expect(attempts).toBe(2);
    const { value } = unwrap(await maker().call('rollouts.executions', { params: { rollout_id: id } }));
    expect(value).toMatchObject([{ device_id: other.id }]);
  });
});
