import { unwrap } from '@moorage/base';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { HttpMessage } from '../../../engine/outbound/ports.ts';
import { auditedTimes } from '../../../testing/audited.ts';
import { outcome } from '../../../testing/device-world.ts';
import { fakeOutbound } from '../../../testing/fake-outbound.ts';
import { eachDatabase, type MadeUser } from '../../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../../testing/ota-world.ts';

// API-RULE-rollout-6
eachDatabase('a rollout and time', (open) => {
  let world: OtaWorld;
  /** What the address of a gate answers, and what it was sent. */
  const outside = { body: '', asked: [] as HttpMessage[] };
  beforeAll(async () => {
    world = await otaWorld(await open(), {
      outbound: {
        refusedHost: (url) => (url.includes('10.0.0.1') ? '10.0.0.1' : undefined),
        publish: async () => ({ ok: true, value: undefined }),
        linkMqtt: fakeOutbound().outbound.linkMqtt,
        sendMail: async () => ({ ok: true, value: [] }),
        async sendHttp(message) {
          outside.asked.push(message);
          return { ok: true, value: { status: 200, body: outside.body } };
        },
      },
    });
  });
  beforeEach(() => {
    outside.asked.length = 0;
  });

  const as = (user: MadeUser) => world.app.client.as(user.token);
  const maker = () => as(world.people.maker);

  async function scene(devices: number, settings: object, filter?: string) {
    const { product, release, bundleOf } = await world.productWithRelease();
    const bundle = await bundleOf(null);
    const fleet = await Promise.all(Array.from({ length: devices }, () => world.deviceOn(product.id)));
    const body = { title: 'Spring', bundle_id: bundle.id, settings, ...(filter !== undefined && { filter }) };
    const made = unwrap(await maker().call('rollouts.create', { params: { product_id: product.id }, body })).value;
    const of = { params: { rollout_id: made.id } };
    return {
      fleet,
      bundle,
      release,
      product,
      of,
      runs: { bid: release.id, bversion: release.bversion },
      act: (action: 'start' | 'approve' | 'reject' | 'cancel' | 'resume' | 'pass', by = world.people.maker) =>
        as(by).call('rollouts.act', { ...of, body: { action } }),
      get: async () => unwrap(await maker().call('rollouts.get', of)).value,
      devices: async () => unwrap(await maker().call('rollouts.executions', of)).value,
    };
  }
  type Device = Awaited<ReturnType<OtaWorld['deviceOn']>>;
  /** A device takes an update and restarts with it. */
  const install = async (device: Device, bundle: { id: string; bversion: string }) => {
    await world.report(device, bundle.id, 1, 'before');
    await world.report(device, bundle.id, 1, bundle.bversion);
  };
  const first = (fleet: readonly Device[]): Device => {
    if (!fleet[0]) throw new Error('The fleet is empty');
    return fleet[0];
  };
  /** The device of the first stage takes the bundle. */
  async function passFirst({ fleet, bundle, runs }: Awaited<ReturnType<typeof scene>>) {
    for (const device of fleet) {
      const answer = await world.ask(device, runs);
      if (answer.result === 'update') await install(device, bundle);
    }
  }

  it('starts at its time, with the approval of another manager', async () => {
    const { app, people } = world;
    const start_at = app.clock.now() + 3_600_000;
    const { act, get, fleet, of, product, runs, bundle } = await scene(1, { stages: [{}], approval: true, start_at });
    await app.make.member(product.id, people.stranger.id, 'manager');
    expect(unwrap(await act('start')).value).toMatchObject({ state: 'awaiting_approval', created_by: people.maker.id });
    expect(outcome(await act('start'))).toBe('ILLEGAL_TRANSITION');
    expect(outcome(await act('approve'))).toBe('FORBIDDEN');
    expect(unwrap(await act('reject', people.stranger)).value).toMatchObject({ state: 'draft' });
    expect(outcome(await act('approve', people.stranger))).toBe('ILLEGAL_TRANSITION');
    unwrap(await act('start'));
    // A program of the author's is no other person.
    const at = { product_id: product.id };
    const { id } = unwrap(await maker().call('serviceAccounts.create', { params: at, body: { name: 'ci' } })).value;
    const params = { ...at, service_account_id: id };
    const body = { title: 'x', scopes: ['operate' as const] };
    const program = unwrap(await maker().call('serviceAccounts.addToken', { params, body })).value;
    const byProgram = app.client.as(program.token).call('rollouts.act', { ...of, body: { action: 'approve' } });
    expect(outcome(await byProgram)).toBe('FORBIDDEN');
    const approved = unwrap(await act('approve', people.stranger)).value;
    expect(approved).toMatchObject({
      state: 'scheduled',
      approved_by: people.stranger.id,
      due_at: String(start_at),
      started_at: null,
    });
    expect(await world.ask(first(fleet), runs)).toMatchObject({ result: 'none' });
    await app.clock.advance(3_600_000);
    await expect.poll(get).toMatchObject({ state: 'running', stages: [{ total: 1 }] });
    expect(await world.ask(first(fleet), runs)).toMatchObject({ result: 'update', bundle_id: bundle.id });
  });

  it('is cancelled before it begins, and for ever', async () => {
    const { act, get } = await scene(1, { stages: [{}], start_at: world.app.clock.now() + 60_000 });
    unwrap(await act('start'));
    expect(unwrap(await act('cancel')).value).toMatchObject({ state: 'cancelled' });
    await world.app.clock.advance(60_000);
    expect(await get()).toMatchObject({ state: 'cancelled', started_at: null });
    expect(outcome(await act('start'))).toBe('ILLEGAL_TRANSITION');
  });

  it('a device that leaves its deadline behind has failed by that state, and may come after all', async () => {
    const settings = { stages: [{}], deadlines: { offered_s: 60, installed_s: 120 } };
    const { act, get, devices, fleet, runs, bundle } = await scene(2, settings);
    unwrap(await act('start'));
    const [slow, silent] = fleet;
    if (!slow || !silent) throw new Error('Two devices were made');
    await world.ask(slow, runs);
    await world.ask(silent, runs);
    await world.report(silent, bundle.id, 1, 'before');
    await world.app.clock.advance(60_000);
    await expect.poll(devices).toContainEqual(expect.objectContaining({ kind: 'timed_out_offered', state: 'failed' }));
    expect(await get()).toMatchObject({ state: 'running' });
    await world.app.clock.advance(60_000);
    await expect.poll(get).toMatchObject({ stages: [{ failures: { timed_out_offered: 1, timed_out_installed: 1 } }] });
    expect(await get()).toMatchObject({ state: 'finished' });
    await world.report(silent, bundle.id, 1, bundle.bversion);
    expect((await get()).stages[0]?.counts).toMatchObject({ done: 1, failed: 1 });
  });

  it('a device is on probation first, and its report of another version fails it', async () => {
    const { act, get, devices, fleet, runs, bundle, release } = await scene(2, { stages: [{}], probation_s: 600 });
    unwrap(await act('start'));
    const [good, bad] = fleet;
    if (!good || !bad) throw new Error('Two devices were made');
    for (const device of fleet) {
      await world.ask(device, runs);
      await install(device, bundle);
    }
    expect((await get()).stages[0]?.counts).toMatchObject({ probation: 2, done: 0 });
    expect(await world.ask(good, { bversion: bundle.bversion })).toMatchObject({ result: 'none' });
    // It came back with what it had: it is not offered the same again.
    expect(await world.ask(bad, { bversion: release.bversion })).toMatchObject({ result: 'none' });
    expect(await devices()).toContainEqual(
      expect.objectContaining({ device_id: bad.id, state: 'failed', kind: 'contradicted' }),
    );
    await world.app.clock.advance(600_000);
    await expect.poll(get).toMatchObject({ state: 'finished', stages: [{ counts: { done: 1, failed: 1 } }] });
    expect(await world.logsOf(bad)).toContain('rollout.device');
  });

  it('a device that counted as done is opened again by another version, and counts against the gate', async () => {
    const settings = {
      stages: [{ count: 1, gate: { person: true } }, {}],
      abort: [{ kind: 'contradicted', percent: 50, min: 1, action: 'pause' }],
    };
    const made = await scene(2, settings);
    unwrap(await made.act('start'));
    await passFirst(made);
    expect(await made.get()).toMatchObject({ reason: 'Stage 1 waits for a person' });
    const done = (await made.devices()).find(({ state }) => state === 'done');
    const device = made.fleet.find(({ id }) => id === done?.device_id);
    if (!device) throw new Error('A device is done');
    await world.ask(device, made.runs);
    expect(await made.get()).toMatchObject({ state: 'paused', reason: expect.stringContaining('(contradicted)') });
  });

  it('a late report of another version counts as its query does, and one that was late itself does not', async () => {
    const made = await scene(2, { stages: [{ count: 1, gate: { person: true } }, {}] });
    unwrap(await made.act('start'));
    await passFirst(made);
    const done = (await made.devices()).find(({ state }) => state === 'done');
    const device = made.fleet.find(({ id }) => id === done?.device_id) ?? expect.unreachable();
    // That it has all files, said of the version before it, has been under way for long.
    await world.report(device, made.bundle.id, 1, 'before');
    expect((await made.get()).stages[0]).toMatchObject({ counts: { done: 1 }, failures: {} });
    await world.report(device, made.bundle.id, 0, made.release.bversion);
    expect((await made.get()).stages[0]).toMatchObject({
      counts: { done: 0, failed: 1 },
      failures: { contradicted: 1 },
    });
  });

  // API-EP-POST-rollouts-rollout_id-state
  it('rolls back to a named bundle those that it has moved, and those alone', async () => {
    const { product, release, bundleOf } = await world.productWithRelease();
    const [bad, safe] = [await bundleOf(null), await bundleOf(null)];
    const [moved, other] = [await world.deviceOn(product.id), await world.deviceOn(product.id)];
    const params = { product_id: product.id };
    const settings = { stages: [{ filter: `id==${moved.id}`, gate: { person: true } }, {}] };
    const body = { title: 'Autumn', bundle_id: bad.id, settings };
    const { id: rollout_id } = unwrap(await maker().call('rollouts.create', { params, body })).value;
    const act = (asked: { action: 'start' | 'pause' | 'roll_back'; bundle_id?: string }) =>
      maker().call('rollouts.act', { params: { rollout_id }, body: asked });
    unwrap(await act({ action: 'start' }));
    expect(await world.ask(moved, { bversion: release.bversion })).toMatchObject({ bundle_id: bad.id });
    await install(moved, bad);
    expect(outcome(await act({ action: 'pause', bundle_id: safe.id }))).toBe('INVALID_REQUEST');
    expect(outcome(await act({ action: 'roll_back', bundle_id: product.id }))).toBe('WRONG_BUNDLE');
    const rolled = unwrap(await act({ action: 'roll_back', bundle_id: safe.id })).value;
    expect(rolled).toMatchObject({ state: 'rolled_back', reason: `by a person, to version ${safe.version}` });
    expect(await world.ask(moved, { bversion: bad.bversion })).toMatchObject({ result: 'update', bundle_id: safe.id });
    await install(moved, safe);
    expect(await world.ask(moved, { bversion: safe.bversion })).toMatchObject({ result: 'none' });
    expect(await world.ask(other, { bversion: release.bversion })).toMatchObject({ result: 'none' });
    // Until a tag of the product is moved.
    const bundle = { params: { bundle_id: bad.id }, body: { tag: 'release' as const } };
    unwrap(await maker().call('bundles.setTag', bundle));
    expect(await world.ask(moved, { bversion: safe.bversion })).toMatchObject({ result: 'update', bundle_id: bad.id });
  });

  // API-EP-POST-rollouts-rollout_id-signal
  it('waits for a signal from outside, and pauses when it says no or does not come', async () => {
    const settings = { stages: [{ count: 1, gate: { signal: { within_s: 300 } } }, {}] };
    const made = await scene(2, settings);
    unwrap(await made.act('start'));
    const signal = (pass: boolean, reason = 'Too many resets') =>
      maker().call('rollouts.signal', { ...made.of, body: { pass, reason } });
    await passFirst(made);
    expect(await made.get()).toMatchObject({ stage: 0, reason: 'Stage 1 waits for a signal' });
    expect(unwrap(await signal(false)).value).toMatchObject({ state: 'paused', reason: 'Too many resets' });
    expect(outcome(await signal(true))).toBe('ILLEGAL_TRANSITION');
    // API-RULE-audit-1
    expect(await auditedTimes(world.app.storage, 'rollouts.signal', world.people.maker)).toBe(1);
    unwrap(await made.act('resume'));
    await world.app.clock.advance(300_000);
    await expect.poll(made.get).toMatchObject({ state: 'paused', reason: 'No signal came for stage 1 within 300 s' });
    unwrap(await made.act('resume'));
    expect(unwrap(await signal(true)).value).toMatchObject({ state: 'running', stage: 1 });
  });

  it('is asked for at no address that cannot be called, or may not be', async () => {
    const { product, release } = await world.productWithRelease();
    const params = { product_id: product.id };
    for (const [url, code] of [
      ['http://[::1', 'INVALID_REQUEST'],
      ['http://10.0.0.1/may-go-on', 'TARGET_NOT_ALLOWED'],
    ] as const) {
      const settings = { stages: [{ count: 1 }, { percent: 50, gate: { ask: { url, within_s: 60 } } }, {}] };
      const body = { title: 'Spring', bundle_id: release.id, settings };
      const refused = await maker().call('rollouts.create', { params, body });
      expect(refused).toMatchObject({
        ok: false,
        error: { status: 400, body: { code, validation: { keys: ['settings.stages.1.gate.ask.url'] } } },
      });
      expect(outcome(await maker().call('rollouts.setFleetSettings', { params, body: { settings } }))).toBe(code);
    }
  });

  it('asks an address whether it may go on, each minute until it says so', async () => {
    const url = 'https://example.com/may-go-on';
    const made = await scene(2, { stages: [{ count: 1, gate: { ask: { url, within_s: 300 } } }, {}] });
    outside.body = 'not yet';
    unwrap(await made.act('start'));
    await passFirst(made);
    await world.app.clock.advance(1);
    await expect.poll(() => outside.asked).toHaveLength(1);
    expect(JSON.parse(outside.asked[0]?.body ?? '')).toMatchObject({ stage: 0, states: { done: 1 } });
    expect(await made.get()).toMatchObject({ state: 'running', stage: 0 });
    outside.body = '{"pass":true}';
    await world.app.clock.advance(60_000);
    await expect.poll(made.get).toMatchObject({ state: 'running', stage: 1 });
    expect(outside.asked).toHaveLength(2);
  });

  it('offers in the window of the place where a device is, and tells it when to ask', async () => {
    const made = await scene(2, {
      stages: [{}],
      window: { times: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '02:00', to: '04:00' }] },
      force: 'soft',
    });
    const [here, there] = made.fleet;
    if (!here || !there) throw new Error('Two devices were made');
    const label = { params: { device_id: there.id }, body: { labels: { tz: 'Asia/Kolkata' } } };
    unwrap(await maker().call('attributes.setLabels', label));
    const fleet = { params: { product_id: made.product.id }, body: { zone: 'UTC', poll_interval_s: 604_800 } };
    unwrap(await maker().call('rollouts.setFleetSettings', fleet));
    unwrap(await made.act('start'));
    // To 20:45 UTC, when it is 02:15 in India.
    const day = 86_400_000;
    const now = world.app.clock.now();
    const target = Math.ceil(now / day) * day + (20 * 60 + 45) * 60_000;
    await world.app.clock.skip(target - now);
    const waits = await world.ask(here, made.runs);
    expect(waits).toMatchObject({ result: 'none' });
    const opensInS = (5 * 60 + 15) * 60;
    expect(waits.next_poll_s).toBeGreaterThanOrEqual(opensInS);
    expect(waits.next_poll_s).toBeLessThanOrEqual(opensInS + 60);
    expect(await world.ask(there, made.runs)).toMatchObject({
      result: 'update',
      install: { force: 'soft', wait_s: 0 },
    });
  });

  it('offers outside of the window what may be downloaded there, and says how long its restart has to wait', async () => {
    const made = await scene(1, {
      stages: [{}],
      window: { times: [{ days: ['mon'], from: '02:00', to: '02:01' }], download_outside: true },
    });
    unwrap(await made.act('start'));
    const offer = await world.ask(first(made.fleet), made.runs);
    expect(offer).toMatchObject({ result: 'update', install: { force: 'forced' } });
    expect(offer.install.wait_s).toBeGreaterThan(60);
    expect(offer.next_poll_s).toBeLessThanOrEqual(72);
  });

  it('lets a device rest that has failed in other rollouts', async () => {
    const made = await scene(1, { stages: [{}] });
    unwrap(await made.act('start'));
    const device = first(made.fleet);
    await world.ask(device, made.runs);
    await world.report(device, made.bundle.id, 4, made.release.bversion);
    expect(await made.get()).toMatchObject({ state: 'finished' });
    const settings = { stages: [{}], penalty: { failures: 1, rest_s: 600 } };
    const body = { title: 'Next', bundle_id: made.bundle.id, settings };
    const params = { product_id: made.product.id };
    const { id: rollout_id } = unwrap(await maker().call('rollouts.create', { params, body })).value;
    unwrap(await maker().call('rollouts.act', { params: { rollout_id }, body: { action: 'start' } }));
    expect(await world.ask(device, made.runs)).toMatchObject({ result: 'none' });
    await world.app.clock.advance(600_000);
    expect(await world.ask(device, made.runs)).toMatchObject({ result: 'update', bundle_id: made.bundle.id });
  });

  it('has a stage for those that fit a filter', async () => {
    const made = await scene(4, { stages: [{ filter: 'label.ring==canary', gate: { person: true } }, {}] });
    const [canary, other] = made.fleet;
    if (!canary || !other) throw new Error('Four devices were made');
    const label = { params: { device_id: canary.id }, body: { labels: { ring: 'canary' } } };
    unwrap(await maker().call('attributes.setLabels', label));
    unwrap(await made.act('start'));
    expect((await made.get()).stages.map(({ total }) => total)).toEqual([1, 3]);
    expect(await world.ask(other, made.runs)).toMatchObject({ result: 'none' });
    expect(await world.ask(canary, made.runs)).toMatchObject({ result: 'update' });
  });

  // API-EP-GET-rollout-templates, API-EP-GET-products-product_id-fleet, API-EP-PUT-products-product_id-fleet
  it('takes a template, or what its product says', async () => {
    const { product, bundle } = await scene(1, { stages: [{}] });
    const names = unwrap(await maker().call('rollouts.templates', {})).value.map(({ name }) => name);
    expect(names).toEqual(['careful', 'office_hours', 'at_once']);
    const params = { product_id: product.id };
    const ask = (more: object) =>
      maker().call('rollouts.create', { params, body: { title: 'x', bundle_id: bundle.id, ...more } });
    expect(outcome(await ask({}))).toBe('INVALID_REQUEST');
    expect(unwrap(await ask({ template: 'careful' })).value.settings.stages).toHaveLength(4);
    const nothing = { zone: null, wake_per_minute: null, poll_interval_s: null, template: null, settings: null };
    expect(unwrap(await maker().call('rollouts.fleetSettings', { params })).value).toEqual(nothing);
    const wrong = { params, body: { zone: 'Mars/Base' } };
    expect(outcome(await maker().call('rollouts.setFleetSettings', wrong))).toBe('INVALID_REQUEST');
    const set = { params, body: { template: 'office_hours' as const, zone: 'Europe/Berlin' } };
    unwrap(await maker().call('rollouts.setFleetSettings', set));
    expect(unwrap(await maker().call('rollouts.fleetSettings', { params })).value).toEqual({ ...nothing, ...set.body });
    expect(unwrap(await ask({})).value.settings.window).toBeDefined();
  });

  // API-EP-POST-stop, API-EP-DELETE-stop
  it('stops with everything else, by an administrator alone', async () => {
    const made = await scene(1, { stages: [{}] });
    unwrap(await made.act('start'));
    const admin = await world.app.make.admin();
    const stop = { body: { reason: 'Smoke' } };
    expect(outcome(await maker().call('rollouts.stopAll', stop))).toBe('FORBIDDEN');
    expect(unwrap(await as(admin).call('rollouts.stopAll', stop)).value.paused).toBeGreaterThanOrEqual(1);
    expect(await made.get()).toMatchObject({ state: 'paused', reason: 'Emergency stop: Smoke' });
    expect(await world.ask(first(made.fleet), made.runs)).toMatchObject({ result: 'none' });
    expect(outcome(await maker().call('rollouts.liftStop', {}))).toBe('FORBIDDEN');
    expect(unwrap(await as(admin).call('rollouts.liftStop', {})).value.thawed).toBeGreaterThanOrEqual(1);
    unwrap(await made.act('resume'));
    expect(await world.ask(first(made.fleet), made.runs)).toMatchObject({ result: 'update' });
  });
});
