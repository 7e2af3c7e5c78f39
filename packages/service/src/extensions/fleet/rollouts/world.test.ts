import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { auditedTimes } from '../../../testing/audited.ts';
import { outcome } from '../../../testing/device-world.ts';
import { eachDatabase } from '../../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../../testing/ota-world.ts';
import { openFleet } from './engine.ts';
import { sweep } from './sweep.ts';

eachDatabase('rollouts follow the world', (open) => {
  let world: OtaWorld;
  beforeAll(async () => {
    world = await otaWorld(await open());
  });

  const maker = () => world.app.client.as(world.people.maker.token);
  type Device = Awaited<ReturnType<OtaWorld['deviceOn']>>;

  /** A product whose devices run its release. */
  async function scene(count: number) {
    const { product, release, bundleOf } = await world.productWithRelease();
    const seen = { bversion: release.bversion, last_seen_at: world.app.clock.now() };
    const devices: Device[] = [];
    for (let n = 0; n < count; n++) devices.push(await world.deviceOn(product.id, seen));
    const start = async (bundle_id: string, more: object = {}) => {
      const body = { title: 'x', bundle_id, settings: { stages: [{}] }, ...more };
      const made = await maker().call('rollouts.create', { params: { product_id: product.id }, body });
      const params = { rollout_id: unwrap(made).value.id };
      unwrap(await maker().call('rollouts.act', { params, body: { action: 'start' } }));
      return params;
    };
    return { product, release, bundleOf, devices, start };
  }
  type Params = Awaited<ReturnType<Awaited<ReturnType<typeof scene>>['start']>>;

  const record = async (params: Params) => unwrap(await maker().call('rollouts.get', { params })).value;
  const states = async (params: Params) => {
    const { value } = unwrap(await maker().call('rollouts.executions', { params }));
    return Object.fromEntries(value.map(({ device_id, state, kind }) => [device_id, [state, kind]]));
  };
  const install = async (device: Device, bundle: { id: string; bversion: string }) => {
    expect(await world.ask(device, { bversion: 'x' })).toMatchObject({ bundle_id: bundle.id });
    await world.report(device, bundle.id, 1, 'x');
    await world.report(device, bundle.id, 1, bundle.bversion);
  };
  const reach = async (product_id: string, body: object) =>
    unwrap(await maker().call('rollouts.reach', { params: { product_id }, body: body as never })).value;
  const first = (devices: readonly Device[], at = 0) => devices[at] ?? expect.unreachable();

  // API-RULE-rollout-7
  it('a younger rollout takes devices from an older one, which ends as overtaken and tags nothing', async () => {
    const { bundleOf, devices, start, product } = await scene(2);
    const [older, newer] = [await bundleOf(null), await bundleOf(null)];
    const one = await start(older.id, { settings: { stages: [{}], then_tag: 'beta' } });
    await install(first(devices), older);
    await world.app.clock.advance(1_000);
    const other = await start(newer.id);
    for (const device of devices) await install(device, newer);
    expect(await record(one)).toMatchObject({ state: 'finished', stages: [{ counts: { done: 1, overtaken: 1 } }] });
    expect(await record(other)).toMatchObject({ state: 'finished', stages: [{ counts: { done: 2 } }] });
    // Nor do other tags take them back.
    const alpha = await bundleOf(null);
    unwrap(await maker().call('bundles.setTag', { params: { bundle_id: alpha.id }, body: { tag: 'alpha' } }));
    for (const device of devices) expect(await world.ask(device, newer)).toMatchObject({ result: 'none' });
    const tagged = unwrap(
      await maker().call('bundles.list', { params: { product_id: product.id }, query: { tag: 'beta' } }),
    );
    expect(tagged.value).toEqual([]);
  });

  it('a rollout that a higher one has taken all devices of is over at its start, and says why', async () => {
    const { bundleOf, devices, start } = await scene(1);
    const [high, low] = [await bundleOf(null), await bundleOf(null)];
    const one = await start(high.id, { priority: 9, settings: { stages: [{}], probation_s: 60 } });
    await install(first(devices), high);
    const other = await start(low.id, { priority: 1 });
    expect(await record(other)).toMatchObject({
      state: 'finished',
      reason: 'other rollouts or tags have taken its devices',
    });
    expect(await record(one)).toMatchObject({ state: 'running' });
  });

  it('a tag that has brought a newer version takes its devices out of a rollout of an older one', async () => {
    const { bundleOf, devices, start } = await scene(2);
    const [older, newer] = [await bundleOf(null), await bundleOf(null)];
    const params = await start(older.id, { settings: { stages: [{ count: 1 }, {}] } });
    const [late] = Object.entries(await states(params)).flatMap(([id]) => devices.filter((device) => device.id === id));
    expect(late).toBeDefined();
    unwrap(await maker().call('bundles.setTag', { params: { bundle_id: newer.id }, body: { tag: 'release' } }));
    const { value } = unwrap(await maker().call('rollouts.executions', { params: params, query: { stage: 1 } }));
    const second = devices.find(({ id }) => id === value[0]?.device_id) ?? expect.unreachable();
    await world.app.clock.advance(1_000);
    await install(second, newer);
    expect((await states(params))[second.id]).toEqual(['overtaken', null]);
  });

  it('a retry with another bundle brings it to all, from the first stage on', async () => {
    const { bundleOf, devices, start } = await scene(3);
    const [wrong, right] = [await bundleOf(null), await bundleOf(null)];
    const abort = [{ kind: 'any', percent: 1, min: 1, action: 'pause' }];
    const params = await start(wrong.id, { settings: { stages: [{}], abort } });
    await install(first(devices), wrong);
    await world.ask(first(devices, 1), { bversion: 'x' });
    await world.report(first(devices, 1), wrong.id, 3, 'x');
    expect(await record(params)).toMatchObject({ state: 'paused' });
    const again = await maker().call('rollouts.retry', { params, body: { bundle_id: right.id } });
    expect(unwrap(again).value).toMatchObject({ state: 'running', stage: 0, stages: [{ counts: { waiting: 3 } }] });
    for (const device of devices) await install(device, right);
    expect(await record(params)).toMatchObject({
      state: 'finished',
      bundle: right.version,
      stages: [{ counts: { done: 3 } }],
    });
  });

  // API-EP-POST-rollouts-rollout_id-leave-out
  it('who waits can be left out, all or those that were not seen for some days', async () => {
    const { app } = world;
    const { bundleOf, devices, start } = await scene(2);
    const bundle = await bundleOf(null);
    await app.storage.db
      .updateTable('devices')
      .set({ last_seen_at: app.clock.now() - 10 * 86_400_000 })
      .where('id', '=', first(devices).id)
      .execute();
    const params = await start(bundle.id);
    const out = async (body: object) => maker().call('rollouts.leaveOut', { params, body });
    expect(unwrap(await out({ unseen_days: 30 })).value).toMatchObject({ left_out: 0 });
    expect(unwrap(await out({ unseen_days: 7 })).value).toMatchObject({ left_out: 1, rollout: { state: 'running' } });
    expect((await states(params))[first(devices).id]).toEqual(['left', 'left_out']);
    // It does not come back.
    const parts = openFleet({ ...app.service.deps, tagBundle: async () => {}, stretch: () => 1 });
    expect(await sweep({ ...parts, storage: app.storage })).toBe(0);
    expect(unwrap(await out({})).value).toMatchObject({ left_out: 1, rollout: { state: 'finished' } });
    expect(outcome(await out({}))).toBe('ILLEGAL_TRANSITION');
    expect(await auditedTimes(app.storage, 'rollouts.leaveOut', world.people.maker)).toBe(3);
  });

  // API-RULE-rollout-8
  it('a bundle that a rollout brings is neither archived nor trashed, unless the rollout is aborted first', async () => {
    const { bundleOf, devices, start, release } = await scene(1);
    const bundle = await bundleOf(null);
    const params = await start(bundle.id);
    const set = (state: 'archive' | 'trash', more: object = {}) =>
      maker().call('bundles.setState', { params: { bundle_id: bundle.id }, body: { state, ...more } });
    const refused = await set('archive');
    expect(outcome(refused)).toBe('BUNDLE_IN_USE');
    expect(refused).toMatchObject({ error: { body: { message: expect.stringContaining('rollout "x" (running)') } } });
    expect(outcome(await set('archive', { abort_rollouts: true }))).toBe('ok');
    expect(await record(params)).toMatchObject({ state: 'aborted', reason: `bundle ${bundle.version} is archived` });
    // A draft of it does not start, and a pin keeps its device where it is.
    const other = await bundleOf(null);
    unwrap(
      await maker().call('rollouts.pin', {
        params: { device_id: first(devices).id },
        body: { bundle_id: other.id, reason: 'x' },
      }),
    );
    const state = (to: 'archive' | 'trash') =>
      maker().call('bundles.setState', { params: { bundle_id: other.id }, body: { state: to } });
    expect(outcome(await state('archive'))).toBe('ok');
    expect(await world.ask(first(devices), release)).toMatchObject({ result: 'none' });
    const selection = await maker().call('rollouts.selection', { params: { device_id: first(devices).id } });
    expect(unwrap(selection).value).toMatchObject({ by: 'pin' });
    expect(outcome(await state('trash'))).toBe('BUNDLE_IN_USE');
  });

  it('a device that is given another tag or product is let go by rollouts that are over, and by pins of that product', async () => {
    const { bundleOf, devices, start, product, release } = await scene(2);
    const [bundle, beta] = [await bundleOf(null), await bundleOf('beta')];
    await start(bundle.id);
    for (const device of devices) await install(device, bundle);
    const [one, other] = [first(devices), first(devices, 1)];
    const select = async ({ id }: Device) =>
      unwrap(await maker().call('rollouts.selection', { params: { device_id: id } })).value;
    expect(await select(one)).toMatchObject({ by: 'rollout', bundle: bundle.version });
    const tag = (device: Device, to: 'beta' | '') =>
      world.app.client
        .as(world.people.owner.token)
        .call('devices.setTag', { params: { device_id: device.id }, body: { tag: to } });
    unwrap(await tag(one, 'beta'));
    expect(await select(one)).toMatchObject({ by: 'tag', bundle: beta.version });
    unwrap(await tag(one, ''));
    expect(await select(one)).toMatchObject({ by: 'release', bundle: release.version });
    // One that goes elsewhere and comes back begins anew.
    const elsewhere = await scene(0);
    const pin = { bundle_id: bundle.id, reason: 'x' };
    unwrap(await maker().call('rollouts.pin', { params: { device_id: other.id }, body: pin }));
    const admin = world.app.client.as((await world.app.make.admin()).token);
    const activate = async ({ id }: { readonly id: string }) =>
      unwrap(await admin.call('devices.activate', { params: { device_id: other.id }, body: { product_id: id } }));
    await activate(elsewhere.product);
    expect(await select(other)).toMatchObject({ by: 'release', bundle: elsewhere.release.version });
    await activate(product);
    expect(await select(other)).toMatchObject({ by: 'release', bundle: release.version });
  });

  it('what rollouts have brought is known after their bundle', async () => {
    const { bundleOf, devices, start, product } = await scene(3);
    const bundle = await bundleOf(null);
    const params = await start(bundle.id);
    const draft = await maker().call('rollouts.create', {
      params: { product_id: product.id },
      body: { title: 'y', bundle_id: bundle.id, settings: { stages: [{}] } },
    });
    const [one, other, asleep] = [first(devices), first(devices, 1), first(devices, 2)];
    await install(one, bundle);
    // It runs the bundle already.
    await world.ask(other, { bversion: bundle.bversion });
    for (const state of ['archive', 'trash'] as const) {
      const body = { state, abort_rollouts: true };
      unwrap(await maker().call('bundles.setState', { params: { bundle_id: bundle.id }, body }));
    }
    expect(await record(params)).toMatchObject({ state: 'aborted', bundle_id: bundle.id, bundle: bundle.version });
    const listed = unwrap(await maker().call('rollouts.list', { params: { product_id: product.id } })).value;
    expect(listed).toMatchObject([{ bundle: bundle.version }, { bundle: bundle.version }]);
    const rows = unwrap(await maker().call('rollouts.executions', { params })).value;
    expect(
      Object.fromEntries(rows.map(({ device_id, state, bundle: version }) => [device_id, [state, version]])),
    ).toEqual({
      [one.id]: ['done', bundle.version],
      [other.id]: ['done', bundle.version],
      [asleep.id]: ['waiting', null],
    });
    const begun = await maker().call('rollouts.act', {
      params: { rollout_id: unwrap(draft).value.id },
      body: { action: 'start' },
    });
    expect(outcome(begun)).toBe('BUNDLE_NOT_PUBLISHED');
    // Its devices follow their tag.
    const selection = await maker().call('rollouts.selection', { params: { device_id: one.id } });
    expect(unwrap(selection).value).toMatchObject({ by: 'release' });
  });

  it('a rollout that nobody could come back from is not rolled back without naming a bundle', async () => {
    const { bundleOf, devices, start, release } = await scene(1);
    const bundle = await bundleOf(null);
    const params = await start(bundle.id, { settings: { stages: [{}], probation_s: 60 } });
    await install(first(devices), bundle);
    // All that is left is the bundle itself.
    unwrap(await maker().call('bundles.setTag', { params: { bundle_id: bundle.id }, body: { tag: 'release' } }));
    unwrap(await maker().call('bundles.setState', { params: { bundle_id: release.id }, body: { state: 'archive' } }));
    const back = (more: object = {}) =>
      maker().call('rollouts.act', { params, body: { action: 'roll_back', ...more } });
    expect(outcome(await back())).toBe('NO_WAY_BACK');
    const named = await bundleOf(null);
    expect(outcome(await back({ bundle_id: named.id }))).toBe('ok');
  });

  it('a device that waits says in its selection for what', async () => {
    const { bundleOf, devices, start } = await scene(2);
    const bundle = await bundleOf(null);
    const params = await start(bundle.id, { settings: { stages: [{ count: 1 }, {}], pace: { per_minute: 1 } } });
    const at = async (stage: number) => {
      const { value } = unwrap(await maker().call('rollouts.executions', { params, query: { stage } }));
      return devices.find(({ id }) => id === value[0]?.device_id) ?? expect.unreachable();
    };
    const select = async (device: Device) =>
      unwrap(await maker().call('rollouts.selection', { params: { device_id: device.id } })).value;
    const [one, other] = [await at(0), await at(1)];
    expect(await select(other)).toMatchObject({ by: 'release', waits: { ...params, reason: 'stage 2 has not begun' } });
    expect(await select(one)).toMatchObject({ by: 'rollout', waits: null });
    await install(one, bundle);
    expect(await select(other)).toMatchObject({ waits: { until: expect.stringMatching(/^\d+$/) } });
    unwrap(await maker().call('rollouts.act', { params, body: { action: 'pause' } }));
    expect(await select(other)).toMatchObject({ waits: { reason: 'the rollout is paused', until: null } });
  });

  // API-RULE-reach-1, API-EP-POST-products-product_id-reach
  it('a reach says what a change would do, and then that happens', async () => {
    const { bundleOf, devices, start, product, release } = await scene(5);
    const [bundle, other] = [await bundleOf(null), await bundleOf(null)];
    const [plain, pinned, blocked, held] = devices;
    if (!plain || !pinned || !blocked || !held) throw new Error('Four devices were made');
    unwrap(
      await maker().call('rollouts.pin', {
        params: { device_id: pinned.id },
        body: { bundle_id: release.id, reason: 'x' },
      }),
    );
    const owner = world.app.client.as(world.people.owner.token);
    unwrap(await owner.call('devices.setState', { params: { device_id: blocked.id }, body: { state: 'disabled' } }));
    unwrap(await owner.call('attributes.setLabels', { params: { device_id: held.id }, body: { labels: { a: 'b' } } }));
    await start(other.id, { filter: 'label.a==b' });
    const tag = { change: 'tag', tag: 'release', bundle_id: bundle.id };
    const { version: from } = release;
    expect(await reach(product.id, tag)).toMatchObject({
      moves: [{ from, to: bundle.version, devices: 2 }],
      there: 0,
      out: { pinned: 1, blocked: 1, rollout: 1 },
      unseen: 0,
    });
    expect(await reach(product.id, { change: 'freeze' })).toMatchObject({ moves: [], out: { frozen: 4, blocked: 1 } });
    const pin = { change: 'pin', device_id: plain.id, bundle_id: bundle.id };
    expect(await reach(product.id, pin)).toMatchObject({ moves: [{ from, to: bundle.version, devices: 1 }] });
    expect(await reach(product.id, { change: 'unpin', device_id: pinned.id })).toMatchObject({ moves: [], there: 1 });
    const rollout = { title: 'x', bundle_id: bundle.id, settings: { stages: [{}] } };
    expect(await reach(product.id, { change: 'rollout', rollout })).toMatchObject({
      moves: [{ to: bundle.version, devices: 3 }],
      out: { pinned: 1, blocked: 1 },
    });
    unwrap(await maker().call('rollouts.freeze', { params: { product_id: product.id }, body: { reason: 'x' } }));
    expect(await reach(product.id, tag)).toMatchObject({ moves: [], out: { frozen: 4, blocked: 1 } });
    expect(await reach(product.id, { change: 'thaw' })).toMatchObject({
      moves: [{ to: other.version, devices: 1 }],
      there: 3,
    });
    unwrap(await maker().call('rollouts.thaw', { params: { product_id: product.id } }));
    unwrap(await maker().call('bundles.setTag', { params: { bundle_id: bundle.id }, body: { tag: 'release' } }));
    const offered = await Promise.all(
      devices.map((device) => world.ask(device, { bversion: release.bversion, bid: release.id })),
    );
    expect(offered.filter(({ bundle_id, result }) => result === 'update' && bundle_id === bundle.id)).toHaveLength(2);
    expect(await reach(product.id, { ...tag, change: 'untag' })).toMatchObject({ moves: [], out: { nothing: 2 } });
  });

  it.each([
    [{ change: 'tag', tag: 'release' }, 'bundle_id'],
    [{ change: 'pin' }, 'device_id'],
    [{ change: 'rollout' }, 'rollout'],
  ])('a reach of %j names what it lacks', async (body, key) => {
    const { product } = await scene(0);
    const asked = await maker().call('rollouts.reach', { params: { product_id: product.id }, body: body as never });
    expect(asked).toMatchObject({ error: { status: 400, body: { validation: { keys: [key] } } } });
  });
});
