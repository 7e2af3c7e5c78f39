import { executionStates, type RolloutRecord } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { expect, it } from 'vitest';
import { giveTag } from '../../../core/bundles/tags.ts';
import { openOtaEngine } from '../../../core/ota/engine.ts';
import type { UpdateExtension } from '../../../core/ota/hooks.ts';
import { PollLoad } from '../../../core/ota/poll-load.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { eachDatabase } from '../../../testing/index.ts';
import { otaWorld } from '../../../testing/ota-world.ts';
import { recount } from '../../../testing/recount.ts';
import { keepVersions } from '../attributes/reports.ts';
import { type Fleet, openFleet } from './engine.ts';
import { sweep } from './sweep.ts';

const by = { cause: 'device', userId: null, client: null, ip: '10.0.0.1' } as const;
const nothing = async () => {};

/** The hooks by which the world reaches rollouts, each without one of them. */
const cuts: Readonly<Record<string, Partial<UpdateExtension> | 'devicesChanged'>> = {
  none: {},
  begin: { begin: nothing },
  offered: { offered: nothing },
  moved: { moved: nothing },
  devicesChanged: 'devicesChanged',
};

/** The hooks of a fleet, one by one. */
const hooksOf = (fleet: Fleet): UpdateExtension => ({
  assign: (...asked) => fleet.assign(...asked),
  begin: (...begun) => fleet.begin(...begun),
  offered: (...offer) => fleet.offered(...offer),
  moved: (...move) => fleet.moved(...move),
});

/** What has become of a device in its one rollout. */
async function outcomeOf(db: Db, deviceId: string) {
  const row = await db.selectFrom('executions').selectAll().where('device_id', '=', deviceId).executeTakeFirst();
  return [row?.state, row?.kind];
}

/** What becomes of the devices. What nothing is known of but that it has not come to an end waits, and is offered it again. */
function expectedWithout(cut: string) {
  const isMissed = cut === 'offered';
  return {
    done: ['done', null],
    failed: isMissed ? ['waiting', null] : ['failed', 'download'],
    elsewhere: ['left', 'elsewhere'],
    blocked: ['skipped', 'blocked'],
    pinned: ['skipped', 'pinned'],
    'takes it back': isMissed ? ['waiting', null] : ['failed', 'contradicted'],
    rollout: isMissed ? 'running' : 'finished',
  };
}

/** The counts of a rollout of one stage are what a recount finds. */
async function expectCounts(db: Db, { id, stages }: RolloutRecord): Promise<void> {
  const recounted = Object.groupBy(await recount(db, id), ({ state }) => state);
  for (const state of executionStates) {
    const n = (recounted[state] ?? []).reduce((sum, of) => sum + Number(of.n), 0);
    expect(stages[0]?.counts[state], state).toBe(n);
  }
}

eachDatabase('a rollout without one of its hooks', (open) => {
  it.each(Object.keys(cuts))('cut: %s; the sweep brings it to its end', async (cut) => {
    const world = await otaWorld(await open());
    const { app, people } = world;
    const { storage, service, clock } = app;
    const parts = openFleet({ ...service.deps, tagBundle: giveTag, stretch: () => 1 });
    const without = cuts[cut];
    if (without === 'devicesChanged') storage.followers.delete('devices');
    const engine = openOtaEngine(
      { ...service.deps, load: new PollLoad() },
      { notify() {} },
      {
        updateHooks: { ...hooksOf(parts.fleet), ...(without === 'devicesChanged' ? {} : without) },
        versionsReported: (trx, bversions) => keepVersions(trx, bversions, clock.now()),
      },
    );
    const { product, bundleOf, release } = await world.productWithRelease();
    const bundle = await bundleOf(null);
    const names = ['done', 'failed', 'elsewhere', 'blocked', 'pinned', 'takes it back'] as const;
    const devices = new Map<string, string>();
    for (const name of names) devices.set(name, (await world.deviceOn(product.id, { bversion: release.bversion })).id);
    const idOf = (name: (typeof names)[number]) => devices.get(name) ?? expect.unreachable();
    const rowOf = async (id: string) => (await storage.hot.deviceById(id)) ?? expect.unreachable();
    const ask = async (name: (typeof names)[number], bversion: string) =>
      unwrap(await engine.request(await rowOf(idOf(name)), { bversion, once: true }, by));
    const report = async (name: (typeof names)[number], result: number, bversion: string) =>
      unwrap(await engine.report(await rowOf(idOf(name)), { bundle_id: bundle.id, result, bversion }, by));

    const maker = app.client.as(people.maker.token);
    const owner = app.client.as(people.owner.token);
    const made = await maker.call('rollouts.create', {
      params: { product_id: product.id },
      body: { title: 'x', bundle_id: bundle.id, settings: { stages: [{}] } },
    });
    const params = { rollout_id: unwrap(made).value.id };
    unwrap(await maker.call('rollouts.act', { params, body: { action: 'start' } }));

    for (const name of names) {
      await clock.advance(1_000);
      expect(await ask(name, release.bversion)).toMatchObject({ kind: 'update', bundle: { id: bundle.id } });
    }
    await clock.advance(1_000);
    for (const name of ['done', 'takes it back'] as const) {
      await report(name, 1, release.bversion);
      await ask(name, bundle.bversion);
    }
    await report('failed', 3, release.bversion);
    await clock.advance(1_000);
    await ask('takes it back', release.bversion);
    const { id: elsewhere } = await app.make.product({ platform_id: world.platform.id, user_id: people.owner.id });
    const as = app.client.as((await app.make.admin()).token);
    unwrap(
      await as.call('devices.activate', { params: { device_id: idOf('elsewhere') }, body: { product_id: elsewhere } }),
    );
    unwrap(
      await owner.call('devices.setState', { params: { device_id: idOf('blocked') }, body: { state: 'disabled' } }),
    );
    const pin = { bundle_id: release.id, reason: 'x' };
    unwrap(await maker.call('rollouts.pin', { params: { device_id: idOf('pinned') }, body: pin }));
    await storage.db.updateTable('devices').set({ last_seen_at: clock.now() }).execute();
    await sweep({ ...parts, storage });
    expect(await sweep({ ...parts, storage })).toBe(0);
    const outcome = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await outcomeOf(storage.db, idOf(name))] as const)),
    );
    const { value } = unwrap(await maker.call('rollouts.get', { params }));
    expect({ ...outcome, rollout: value.state }).toEqual(expectedWithout(cut));
    await expectCounts(storage.db, value);
  });
});
