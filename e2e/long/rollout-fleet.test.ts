import { randomUUID } from 'node:crypto';
import type { RolloutState } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { giveTag } from '@moorage/service/core/bundles/tags';
import { openOtaEngine } from '@moorage/service/core/ota/engine';
import { PollLoad } from '@moorage/service/core/ota/poll-load';
import { sharedReads } from '@moorage/service/engine/db/work';
import { openFleet } from '@moorage/service/extensions/fleet/rollouts/engine';
import { countsOf } from '@moorage/service/extensions/fleet/rollouts/queries';
import { eachDatabase } from '@moorage/service/testing/index';
import { type OtaWorld, otaWorld } from '@moorage/service/testing/ota-world';
import { recount } from '@moorage/service/testing/recount';
import { beforeAll, expect, it } from 'vitest';

/** A fleet whose devices answer at once: what they run, and which bundle breaks them. */
async function simulate(world: OtaWorld, productId: string, size: number, from: string) {
  const { app, platform, people } = world;
  const { storage, clock } = app;
  const { deps } = app.service;
  const { fleet } = openFleet({ ...deps, tagBundle: giveTag, stretch: () => 1 });
  const engine = openOtaEngine({ ...deps, load: new PollLoad() }, { notify() {} }, { updateHooks: fleet });
  const by = { cause: 'device', userId: null, client: null, ip: '10.0.0.1' } as const;
  const devices: { readonly id: string; runs: string }[] = [];
  for (let number = 0; number < size; number++) {
    const at = { platform_id: platform.id, product_id: productId, user_id: people.owner.id, bversion: from };
    const { id } = await app.make.device({ ...at, id: randomUUID(), state: 'active' });
    devices.push({ id, runs: from });
  }
  /** Every device asks once, and does what it is told. Returns those that were offered a bundle. */
  async function round(breaks: (deviceId: string, bundleId: string) => boolean): Promise<number> {
    let offered = 0;
    for (const device of devices) {
      const row = await storage.hot.deviceById(device.id);
      if (!row) throw new Error('A device is gone');
      const response = unwrap(await engine.request(row, { bversion: device.runs }, by));
      if (response.kind === 'none') continue;
      offered++;
      const { id: bundle_id, bversion } = response.bundle;
      unwrap(await engine.report(row, { bundle_id, result: 1, bversion: device.runs }, by));
      const isBroken = breaks(device.id, bundle_id);
      if (!isBroken) device.runs = bversion;
      unwrap(await engine.report(row, { bundle_id, result: 0, bversion: device.runs }, by));
    }
    await clock.advance(1_000);
    return offered;
  }
  return { devices, round };
}

eachDatabase('a rollout over a fleet', (open, kind) => {
  let world: OtaWorld;
  beforeAll(async () => {
    world = await otaWorld(await open());
  });

  // API-RULE-rollout-3, API-EP-POST-rollouts-rollout_id-retry
  it('of a bundle that breaks a fifth stops itself in the second of three stages, and ends with a better one', async () => {
    // A query of a device costs a transaction of its own where it brings something.
    const size = kind === 'sqlite' ? 1_000 : 200;
    const { app, people } = world;
    const { storage } = app;
    const { product, bundleOf, release } = await world.productWithRelease();
    const [bad, good] = [await bundleOf(null), await bundleOf(null)];
    const { devices, round } = await simulate(world, product.id, size, release.bversion);
    const client = app.client.as(people.maker.token);
    const settings = {
      stages: [{ percent: 1, gate: { done_percent: 30 } }, { percent: 10, gate: { done_percent: 95 } }, {}],
      abort: [{ kind: 'any' as const, percent: 10, min: 20, action: 'pause' as const }],
      then_tag: 'release' as const,
    };
    const asked = { title: 'To the fleet', bundle_id: bad.id, settings };
    const params = { product_id: product.id };
    const reached = await client.call('rollouts.reach', { params, body: { change: 'rollout', rollout: asked } });
    const [one, ten] = [Math.ceil(size / 100), Math.ceil(size / 10)];
    const stages = [{ devices: one }, { devices: ten - one }, { devices: size - ten }];
    expect(unwrap(reached).value).toMatchObject({ moves: [{ devices: size }], out: {}, rollout: { stages } });
    const { id: rollout_id } = unwrap(await client.call('rollouts.create', { params, body: asked })).value;
    const of = { params: { rollout_id } };
    unwrap(await client.call('rollouts.act', { ...of, body: { action: 'start' } }));
    // A fifth in the order of the stages: which device comes first is another one each time.
    const enlisted = await storage.db
      .selectFrom('executions')
      .select('device_id')
      .where('rollout_id', '=', rollout_id)
      .orderBy('stage')
      .orderBy('device_id')
      .execute();
    const broken = new Set(enlisted.flatMap(({ device_id }, place) => (place % 5 === 2 ? device_id : [])));
    const breaks = (deviceId: string, bundleId: string) => bundleId === bad.id && broken.has(deviceId);
    const rollout = async () => unwrap(await client.call('rollouts.get', of)).value;
    const untilState = async (state: RolloutState): Promise<void> => {
      for (let asking = 0; asking < 4 && (await rollout()).state !== state; asking++) await round(breaks);
    };
    await untilState('paused');
    expect(await round(breaks)).toBe(0);
    const stopped = await rollout();
    expect(stopped).toMatchObject({ state: 'paused', stage: 1 });
    expect(stopped.reason).toMatch(/^\d+ of \d+ devices failed: [\d.]+ %, at least [\d.]+ %/);
    // No device of the third stage was offered it.
    expect(stopped.stages[2]).toMatchObject({ state: 'waiting', total: size - ten });
    expect(stopped.stages[2]?.counts.waiting).toBe(size - ten);
    const updates = await storage.db
      .selectFrom('updates')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('to_bundle_id', '=', bad.id)
      .executeTakeFirstOrThrow();
    expect(updates.n).toBeLessThanOrEqual(ten);
    const failed = unwrap(await client.call('rollouts.executions', { ...of, query: { state: 'failed' } })).value;
    expect(new Set(failed.map(({ kind: why }) => why))).toEqual(new Set(['boot']));

    unwrap(await client.call('rollouts.retry', { ...of, body: { bundle_id: good.id } }));
    await untilState('finished');
    const finished = await rollout();
    expect(finished).toMatchObject({ state: 'finished', bundle_id: good.id });
    expect(finished.stages.reduce((sum, { counts }) => sum + counts.done, 0)).toBe(size);
    expect(devices.every(({ runs }) => runs !== release.bversion)).toBe(true);
    // The counts that were kept are those that a count finds.
    const kept = await countsOf(sharedReads(storage.db), rollout_id, 3);
    for (const { stage, state, n } of await recount(storage.db, rollout_id)) {
      expect(kept[stage]?.states[state], `${stage} ${state}`).toBe(n);
    }
    // Devices made later start with it.
    const tagged = storage.db.selectFrom('bundles').select('tag').where('id', '=', good.id);
    expect(await tagged.executeTakeFirst()).toEqual({ tag: 'release' });
    expect(await round(breaks)).toBe(0);
  });
});
