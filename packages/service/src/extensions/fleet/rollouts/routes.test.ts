import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { topics } from '../../../engine/bus/topics.ts';
import { outcome } from '../../../testing/device-world.ts';
import { eachDatabase, type MadeUser } from '../../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../../testing/ota-world.ts';
import { openFleet } from './engine.ts';
import { rolloutById } from './queries.ts';

eachDatabase('pins, freezes and rollouts', (open) => {
  let world: OtaWorld;
  beforeAll(async () => {
    world = await otaWorld(await open());
  });

  const as = (user: MadeUser) => world.app.client.as(user.token);
  const maker = () => as(world.people.maker);
  const whyOf = async (device_id: string) =>
    unwrap(await as(world.people.owner).call('rollouts.selection', { params: { device_id } })).value;

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

  // API-RULE-selection-1, API-EP-GET-devices-device_id-selection, API-EP-PUT-devices-device_id-pin
  it('a device gets what the first that applies says: frozen, pinned, in a rollout, tag, release', async () => {
    const { product, release, bundleOf, device, runs, params } = await scene();
    const [pinned, rolled, tagged] = [await bundleOf(null), await bundleOf(null), await bundleOf('beta')];
    // A rollout whose devices are all held is over.
    await world.deviceOn(product.id);
    const of = { params: { device_id: device.id } };
    expect(await whyOf(device.id)).toMatchObject({ by: 'release', bundle_id: release.id, rollout_id: null });
    unwrap(await as(world.people.owner).call('devices.setTag', { ...of, body: { tag: 'beta' } }));
    expect(await whyOf(device.id)).toMatchObject({ by: 'tag', bundle_id: tagged.id });
    const rollout = await draft(product.id, rolled.id);
    expect(await whyOf(device.id)).toMatchObject({ by: 'tag' });
    unwrap(await act(rollout.id, 'start'));
    expect(await whyOf(device.id)).toMatchObject({ by: 'rollout', bundle_id: rolled.id, rollout_id: rollout.id });
    const pin = { bundle_id: pinned.id, reason: 'The last one with the old driver' };
    unwrap(await maker().call('rollouts.pin', { ...of, body: pin }));
    expect(await whyOf(device.id)).toMatchObject({ by: 'pin', reason: `The device is held here: ${pin.reason}` });
    expect(await world.ask(device, runs)).toMatchObject({ result: 'update', bundle_id: pinned.id });
    unwrap(await maker().call('rollouts.freeze', { params, body: { reason: 'Holidays' } }));
    // API-EP-GET-freezes
    const freezes = async (user: MadeUser) =>
      unwrap(await as(user).call('rollouts.freezes', { query: { product_id: product.id } }));
    expect(await freezes(world.people.maker)).toMatchObject({
      value: [{ product: product.product, reason: 'Holidays', until: null }],
      total: 1,
    });
    expect(await freezes(world.people.owner)).toMatchObject({ value: [], total: 0 });
    expect(await whyOf(device.id)).toMatchObject({ by: 'freeze', bundle_id: null });
    unwrap(await maker().call('rollouts.thaw', { params }));
    unwrap(await maker().call('rollouts.unpin', of));
    expect(await world.ask(device, runs)).toMatchObject({ result: 'update', bundle_id: rolled.id });
    const blocked = await world.deviceOn(product.id, { state: 'disabled' });
    expect(await whyOf(blocked.id)).toMatchObject({ by: 'blocked', bundle_id: null });
  });

  // API-EP-PUT-devices-device_id-pin, API-EP-DELETE-devices-device_id-pin, API-EP-GET-devices-device_id-pin
  it('a pin ends at its time, and is for those who manage the product', async () => {
    const { app, people } = world;
    const { release, bundleOf, device } = await scene();
    const pinned = await bundleOf(null);
    const of = { params: { device_id: device.id } };
    const until = app.clock.now() + 60_000;
    const pin = { bundle_id: pinned.id, reason: 'x', until };
    expect(outcome(await as(people.owner).call('rollouts.pin', { ...of, body: pin }))).toBe('FORBIDDEN');
    expect(outcome(await maker().call('rollouts.pinned', of))).toBe('NOT_FOUND');
    unwrap(await maker().call('rollouts.pin', { ...of, body: pin }));
    expect(unwrap(await as(people.owner).call('rollouts.pinned', of)).value).toEqual({
      bundle_id: pinned.id,
      bundle: pinned.version,
      reason: 'x',
      until: String(until),
    });
    expect(await whyOf(device.id)).toMatchObject({ by: 'pin' });
    await app.clock.advance(60_000);
    expect(await whyOf(device.id)).toMatchObject({ by: 'release', bundle_id: release.id });
    const foreign = (await world.productWithRelease()).release;
    const wrong = await maker().call('rollouts.pin', { ...of, body: { ...pin, bundle_id: foreign.id } });
    expect(outcome(wrong)).toBe('NOT_FOUND');
  });

  // API-EP-PUT-products-product_id-freeze, API-EP-GET-products-product_id-freeze, API-EP-DELETE-products-product_id-freeze
  it('a frozen product offers nothing new, and lets an open update go on', async () => {
    const { release, device, params, product } = await scene();
    const other = await world.deviceOn(product.id);
    expect(await world.ask(device)).toMatchObject({ result: 'update' });
    unwrap(await maker().call('rollouts.freeze', { params, body: { reason: 'Holidays' } }));
    expect(await world.ask(device)).toMatchObject({ result: 'update', bundle_id: release.id });
    expect(await world.ask(other, { bversion: 'factory' })).toMatchObject({ result: 'none' });
    expect(await world.states(other)).toEqual([]);
    await install(device, release);
    expect(await world.states(device)).toEqual(['done']);
    unwrap(await maker().call('rollouts.thaw', { params }));
    expect(outcome(await maker().call('rollouts.frozen', { params }))).toBe('NOT_FOUND');
    expect(await world.ask(other, { bversion: 'factory' })).toMatchObject({ result: 'update' });
  });

  // API-EP-POST-products-product_id-rollouts, API-EP-GET-products-product_id-rollouts, API-EP-GET-rollouts-rollout_id
  it('are drafted, listed and shown to those who run the fleet of the product, and to nobody else', async () => {
    const [{ product, release }, other] = [await scene(), await scene()];
    const made = await draft(product.id, release.id, { title: 'Autumn', priority: 3 });
    expect(made).toMatchObject({ title: 'Autumn', state: 'draft', priority: 3, bundle_id: release.id });
    await draft(other.product.id, other.release.id);
    const params = { product_id: product.id };
    const of = { params: { rollout_id: made.id } };
    expect(unwrap(await maker().call('rollouts.get', of)).value).toEqual(made);
    expect(unwrap(await maker().call('rollouts.list', { params }))).toMatchObject({ value: [made], total: 1 });
    const { tester, stranger } = world.people;
    const body = { title: 'x', bundle_id: release.id, template: 'careful' as const };
    for (const [user, code] of [
      [tester, 'FORBIDDEN'],
      [stranger, 'NOT_FOUND'],
    ] as const) {
      const calls = as(user);
      expect(outcome(await calls.call('rollouts.get', of))).toBe(code);
      expect(outcome(await calls.call('rollouts.list', { params }))).toBe(code);
      expect(outcome(await calls.call('rollouts.create', { params, body }))).toBe(code);
    }
    const foreign = { ...body, bundle_id: other.release.id };
    expect(outcome(await maker().call('rollouts.create', { params, body: foreign }))).toBe('WRONG_BUNDLE');
  });

  // API-EP-GET-rollouts
  it('are listed over all products that the caller manages, in one state if that is asked for', async () => {
    const [one, another] = [await scene(), await scene()];
    const bundle = await one.bundleOf(null);
    const abort = [{ kind: 'any', percent: 90, min: 2, action: 'pause' }];
    const runs = await draft(one.product.id, bundle.id, { settings: { stages: [{}], abort } });
    const drafted = await draft(another.product.id, another.release.id);
    unwrap(await act(runs.id, 'start'));
    await world.ask(one.device, one.runs);
    await world.report(one.device, bundle.id, 4, one.release.bversion);
    const list = async (user: MadeUser, query: object) => {
      const { value, total } = unwrap(await as(user).call('rollouts.listAll', { query }));
      const ours = value.filter(({ id }) => id === runs.id || id === drafted.id);
      return { ids: ours.map(({ id }) => id), isWhole: total === value.length, ours };
    };
    expect(new Set((await list(world.people.maker, {})).ids)).toEqual(new Set([runs.id, drafted.id]));
    expect(await list(world.people.maker, { state: 'draft' })).toMatchObject({ ids: [drafted.id], isWhole: true });
    expect((await list(world.people.owner, {})).ids).toEqual([]);
    // The numbers beside each abort rule.
    const [ended] = (await list(world.people.maker, { state: 'finished' })).ours;
    expect(ended).toMatchObject({ product: one.product.product, abort: [{ failed: 1, ended: 1 }] });
    expect(ended?.abort[0]?.floor).toBeCloseTo(20.7, 1);
  });

  // API-EP-POST-products-product_id-stop
  it('the emergency stop pauses what runs, and nothing new is offered', async () => {
    const { product, bundleOf, device, runs, params } = await scene();
    const rollout = await draft(product.id, (await bundleOf(null)).id);
    unwrap(await act(rollout.id, 'start'));
    expect(unwrap(await maker().call('rollouts.stop', { params, body: { reason: 'Smoke' } })).value).toEqual({
      paused: 1,
    });
    expect(await world.ask(device, runs)).toMatchObject({ result: 'none' });
    const { value } = unwrap(await maker().call('rollouts.get', { params: { rollout_id: rollout.id } }));
    expect(value).toMatchObject({ state: 'paused', reason: 'Emergency stop: Smoke' });
  });

  // API-RULE-rollout-4
  it('keeps its pace, pauses and goes on, and never offers what is not its turn', async () => {
    const { product, bundleOf, device, runs } = await scene();
    const other = await world.deviceOn(product.id);
    const bundle = await bundleOf(null);
    const settings = { stages: [{}], pace: { open: 1 } };
    const { id } = await draft(product.id, bundle.id, { settings });
    unwrap(await act(id, 'start'));
    expect(await world.ask(device, runs)).toMatchObject({ result: 'update', bundle_id: bundle.id });
    expect(await world.ask(other, runs)).toMatchObject({ result: 'none' });
    unwrap(await act(id, 'pause'));
    // What is open goes on.
    expect(await world.ask(device, runs)).toMatchObject({ result: 'update', bundle_id: bundle.id });
    await install(device, bundle);
    expect(await world.ask(other, runs)).toMatchObject({ result: 'none' });
    unwrap(await act(id, 'resume'));
    expect(await world.ask(other, runs)).toMatchObject({ result: 'update', bundle_id: bundle.id });
    await install(other, bundle);
    const { value } = unwrap(await maker().call('rollouts.get', { params: { rollout_id: id } }));
    expect(value).toMatchObject({ state: 'finished', stages: [{ state: 'passed', counts: { done: 2 } }] });
    expect(outcome(await act(id, 'resume'))).toBe('ILLEGAL_TRANSITION');
    // It has a say until a tag of the product moves.
    expect(await world.ask(device, { bversion: bundle.bversion })).toMatchObject({ result: 'none' });
    const next = await bundleOf(null);
    unwrap(await maker().call('bundles.setTag', { params: { bundle_id: next.id }, body: { tag: 'release' } }));
    expect(await world.ask(device, { bversion: bundle.bversion })).toMatchObject({ bundle_id: next.id });
  });

  // API-RULE-rollout-3
  it('opens its next stage when the last devices of one report at the same time', async () => {
    const { product, bundleOf, device } = await scene();
    const bundle = await bundleOf(null);
    const devices = new Map([[device.id, device]]);
    while (devices.size < 6) {
      const more = await world.deviceOn(product.id);
      devices.set(more.id, more);
    }
    const { id } = await draft(product.id, bundle.id, { settings: { stages: [{ count: 3 }, {}] } });
    unwrap(await act(id, 'start'));
    const of = { params: { rollout_id: id } };
    const together = async (stage: number) => {
      const query = { stage };
      const { value } = unwrap(await maker().call('rollouts.executions', { ...of, query }));
      const those = value.map(({ device_id }) => devices.get(device_id) ?? expect.unreachable());
      expect(those).toHaveLength(3);
      const offered = await Promise.all(those.map((one) => world.ask(one, { bversion: 'before' })));
      expect(offered.map(({ result }) => result)).toEqual(['update', 'update', 'update']);
      await Promise.all(those.map((one) => world.report(one, bundle.id, 1, 'before')));
      await Promise.all(those.map((one) => world.report(one, bundle.id, 1, bundle.bversion)));
      return unwrap(await maker().call('rollouts.get', of)).value;
    };
    expect(await together(0)).toMatchObject({ state: 'running', stage: 1, stages: [{ counts: { done: 3 } }, {}] });
    expect(await together(1)).toMatchObject({ state: 'finished', stages: [{}, { counts: { done: 3 } }] });
  });

  // API-RULE-rollout-1
  it('takes devices that fit its filter, those that begin to fit later, and none that fits no more', async () => {
    const { product, bundleOf, device, runs } = await scene();
    const [late, gone] = [await world.deviceOn(product.id), await world.deviceOn(product.id)];
    const label = async (device_id: string, region: string | null) =>
      void unwrap(await maker().call('attributes.setLabels', { params: { device_id }, body: { labels: { region } } }));
    await label(device.id, 'eu');
    await label(gone.id, 'eu');
    const bundle = await bundleOf(null);
    const rollout = await draft(product.id, bundle.id, { filter: 'label.region==eu' });
    unwrap(await act(rollout.id, 'start'));
    expect(await world.ask(late, runs)).toMatchObject({ result: 'none' });
    await label(late.id, 'eu');
    await label(gone.id, 'us');
    expect(await world.ask(gone, runs)).toMatchObject({ result: 'none' });
    // The rollout is over with the last of those that it began with.
    for (const one of [late, device]) {
      expect(await world.ask(one, runs)).toMatchObject({ result: 'update', bundle_id: bundle.id });
      await install(one, bundle);
    }
    const { value } = unwrap(await maker().call('rollouts.get', { params: { rollout_id: rollout.id } }));
    expect(value.stages[0]?.counts).toMatchObject({ done: 2 });
  });

  it('wakes devices on the message channel when it starts: no more than its pace takes', async () => {
    const { storage } = world.app;
    const { product, bundleOf } = await scene();
    const settings = { stages: [{}], pace: { open: 2 } };
    const { id } = await draft(product.id, (await bundleOf(null)).id, { settings });
    for (const _ of [1, 2]) {
      const { id: device_id } = await world.deviceOn(product.id);
      const channel = { device_id, process_id: 'p', session: device_id, address: '', connected_at: 0 };
      await storage.db.insertInto('channels').values(channel).execute();
    }
    const woken: unknown[] = [];
    const unsubscribe = storage.bus.subscribe(topics.otaDue, (message) => woken.push(message));
    unwrap(await act(id, 'start'));
    await expect.poll(() => woken).toHaveLength(2);
    // A process that answers twice as many queries as it does without hurry wakes half as many.
    const { deps } = world.app.service;
    const { lifecycle: busy } = openFleet({ ...deps, tagBundle: async () => {}, stretch: () => 2 });
    const idle = { ...((await rolloutById(storage.db, id)) ?? expect.unreachable()), wake_after: null };
    woken.length = 0;
    for (const per_minute of [2, 4]) {
      const paced = { ...idle, settings: { stages: [{}], pace: { per_minute } } };
      await storage.transaction((_trx, work) => busy.wake(work, paced));
    }
    await expect.poll(() => woken).toHaveLength(3);
    unsubscribe();
  });

  it('soaks, and goes on by itself when the time is over', async () => {
    const { app } = world;
    const { product, bundleOf, device, runs } = await scene();
    const other = await world.deviceOn(product.id);
    const bundle = await bundleOf(null);
    const settings = { stages: [{ count: 1, gate: { soak_s: 600 } }, {}] };
    const { id: rollout_id } = await draft(product.id, bundle.id, { settings });
    unwrap(await act(rollout_id, 'start'));
    const get = async () => unwrap(await maker().call('rollouts.get', { params: { rollout_id } })).value;
    for (const one of [device, other]) {
      const answer = await world.ask(one, runs);
      if (answer.result === 'update') await install(one, bundle);
    }
    expect(await get()).toMatchObject({ stage: 0, reason: 'Stage 1 soaks' });
    await app.clock.advance(600_000);
    await expect.poll(get).toMatchObject({ state: 'running', stage: 1, reason: null });
  });

  it('tries a failed device again after its back-off, and rolls back those that were moved', async () => {
    const { app } = world;
    const { product, bundleOf, release, device, runs } = await scene();
    const bundle = await bundleOf(null);
    const settings = { stages: [{}], retry: { count: 1, back_off_s: 60 } };
    const { id: rollout_id } = await draft(product.id, bundle.id, { settings });
    unwrap(await act(rollout_id, 'start'));
    const executions = async () => unwrap(await maker().call('rollouts.executions', { params: { rollout_id } })).value;
    await world.ask(device, runs);
    await world.report(device, bundle.id, 4, release.bversion);
    expect(await executions()).toMatchObject([{ state: 'waiting', kind: 'download', attempt: 2 }]);
    expect(await world.ask(device, runs)).toMatchObject({ result: 'none' });
    await app.clock.advance(60_000);
    expect(await world.ask(device, runs)).toMatchObject({ result: 'update', bundle_id: bundle.id });
    await install(device, bundle);
    expect(await executions()).toMatchObject([{ device_id: device.id, state: 'done', kind: null, attempt: 2 }]);
    unwrap(await act(rollout_id, 'roll_back'));
    expect(await world.ask(device, { bversion: bundle.bversion })).toMatchObject({ bundle_id: release.id });
  });

  // API-EP-POST-products-product_id-reach
  it('the reach of a draft counts who is out, and refuses what cannot be', async () => {
    const { product, bundleOf, params, device } = await scene();
    const bundle = await bundleOf(null);
    await world.deviceOn(product.id, { state: 'disabled' });
    await world.deviceOn(product.id);
    const pin = { bundle_id: bundle.id, reason: 'x' };
    unwrap(await maker().call('rollouts.pin', { params: { device_id: device.id }, body: pin }));
    const ask = (more: object) => {
      const body = { title: 'x', bundle_id: bundle.id, settings: { stages: [{}] }, ...more };
      return maker().call('rollouts.reach', { params, body: { change: 'rollout', rollout: body } });
    };
    expect(unwrap(await ask({})).value).toMatchObject({
      moves: [{ from: null, to: bundle.version, devices: 1 }],
      out: { blocked: 1, pinned: 1 },
      rollout: { stages: [{ devices: 1 }] },
    });
    const sizes = { settings: { stages: [{ count: 5 }, {}] } };
    const made = await maker().call('rollouts.create', {
      params,
      body: { title: 'x', bundle_id: bundle.id, ...sizes },
    });
    expect(made).toMatchObject({ error: { status: 400, body: { validation: { keys: ['settings.stages.0.count'] } } } });
    expect(outcome(await ask({ filter: 'colour==red' }))).toBe('INVALID_FILTER');
    expect(outcome(await ask({ settings: { stages: [{ percent: 101 }, {}] } }))).toBe('INVALID_REQUEST');
    const large = await ask(sizes);
    const keys = ['rollout.settings.stages.0.count'];
    expect(large).toMatchObject({ error: { status: 400, body: { validation: { keys } } } });
    expect(outcome(await ask({ settings: { stages: [{ percent: 5, count: 5 }, {}] } }))).toBe('INVALID_REQUEST');
    expect(outcome(await ask({ settings: { stages: [{}], speed: 3 } }))).toBe('INVALID_REQUEST');
    const foreign = (await world.productWithRelease()).release;
    expect(outcome(await ask({ bundle_id: foreign.id }))).toBe('WRONG_BUNDLE');
  });
});
