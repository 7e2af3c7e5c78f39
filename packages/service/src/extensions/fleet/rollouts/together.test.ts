import { success, unwrap } from '@moorage/base';
import { expect, it, vi } from 'vitest';
import { openSteps, type Run } from '../../../core/ota/turns.ts';
import { sharedReads, type Work } from '../../../engine/db/work.ts';
import { eachDatabase } from '../../../testing/index.ts';
import { otaWorld } from '../../../testing/ota-world.ts';
import { recount } from '../../../testing/recount.ts';
import { openFleet } from './engine.ts';
import { deviceHolds } from './in-force.ts';

eachDatabase('steps in one group of devices of two rollouts', (open) => {
  async function scene() {
    const world = await otaWorld(await open());
    const { storage, service, client } = world.app;
    const { product, bundleOf } = await world.productWithRelease();
    const maker = client.as(world.people.maker.token);
    const { fleet } = openFleet({ ...service.deps, tagBundle: async () => {}, stretch: () => 1 });
    /** A rollout to the devices of a site. */
    const begin = async (site: string, settings: object) => {
      const bundle = await bundleOf(null);
      const body = { title: site, bundle_id: bundle.id, filter: `label.site==${site}`, settings };
      const made = await maker.call('rollouts.create', { params: { product_id: product.id }, body });
      const params = { rollout_id: unwrap(made).value.id };
      unwrap(await maker.call('rollouts.act', { params, body: { action: 'start' } }));
      return params.rollout_id;
    };
    const deviceAt = async (site: string) => {
      const device = await world.deviceOn(product.id);
      await storage.db.insertInto('labels').values({ device_id: device.id, name: 'site', value: site }).execute();
      return device;
    };
    const transactions = new Set<Work>();
    const { grouped: step } = openSteps({ storage, hooks: fleet });
    /** Does a step of each of these devices, all at once. */
    const all = async (devices: readonly Made[], run: Run<unknown>) => {
      const noted: Run<unknown> = (work, locked) => {
        transactions.add(work);
        return run(work, locked);
      };
      for (const done of await Promise.all(devices.map((device) => step(device, noted)))) unwrap(done);
    };
    type Made = Awaited<ReturnType<typeof deviceAt>>;
    /** What is recorded of a rollout; its counts are what a recount finds. */
    const seen = async (id: string) => {
      const { state, stage } = await storage.db
        .selectFrom('rollouts')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const counts = await storage.db
        .selectFrom('rollout_counts')
        .select(['stage', 'state', 'n'])
        .where('rollout_id', '=', id)
        .where('n', '!=', 0)
        .orderBy('stage')
        .orderBy('state')
        .execute();
      const recounted = (await recount(storage.db, id)).map(({ kind: _kind, ...count }) => count);
      expect(recounted).toHaveLength(counts.length);
      expect(recounted).toEqual(expect.arrayContaining(counts));
      return { state, stage, counts };
    };
    return { fleet, begin, deviceAt, all, seen, transactions, storage };
  }

  it('move and end each rollout by itself, at its own pace', async () => {
    const { fleet, begin, deviceAt, all, seen, transactions } = await scene();
    const devices = [await deviceAt('east'), await deviceAt('west'), await deviceAt('east'), await deviceAt('west')];
    const east = await begin('east', { stages: [{}], pace: { open: 1 } });
    const west = await begin('west', { stages: [{ count: 1 }, {}] });
    const brings = new Map<string, { rolloutId: string; update: number }>();
    const ask: Run<unknown> = async (work, device) => {
      const turn = (await fleet.assign(work, device)).assignments.find(({ isTurn }) => isTurn);
      if (!turn) return success(undefined);
      const updateId = brings.size + 1;
      brings.set(device.id, { rolloutId: turn.id ?? '', update: updateId });
      await fleet.offered(work, device, turn, { updateId, isDone: false });
      return success(undefined);
    };
    const confirm: Run<unknown> = async (work, { id: device_id }) => {
      await fleet.moved(work, { id: brings.get(device_id)?.update ?? 0, device_id, trigger: 'confirm' });
      return success(undefined);
    };
    const count = (stage: number, state: string, n: number) => ({ stage, state, n });

    await all(devices, ask);
    expect([...brings.values()].map(({ rolloutId }) => rolloutId).sort()).toEqual([east, west].sort());
    expect(await seen(east)).toMatchObject({ counts: [count(0, 'offered', 1), count(0, 'waiting', 1)] });
    expect(await seen(west)).toMatchObject({ stage: 0, counts: [count(0, 'offered', 1), count(1, 'waiting', 1)] });

    await all(devices, confirm);
    expect(await seen(west)).toMatchObject({ stage: 1, counts: [count(0, 'done', 1), count(1, 'waiting', 1)] });

    await all(devices, ask);
    await all(devices, confirm);
    expect(brings.size).toBe(4);
    expect(await seen(east)).toEqual({ state: 'finished', stage: 0, counts: [count(0, 'done', 2)] });
    expect(await seen(west)).toEqual({
      state: 'finished',
      stage: 1,
      counts: [count(0, 'done', 1), count(1, 'done', 1)],
    });
    expect(transactions.size).toBe(4);
  });

  it('see what they write themselves, also after one of them has rolled a rollout back', async () => {
    const { fleet, begin, deviceAt, all, seen, transactions } = await scene();
    const [failing, moving] = [await deviceAt('east'), await deviceAt('west')];
    const abort = [{ kind: 'any', percent: 1, min: 1, action: 'roll_back' }];
    const east = await begin('east', { stages: [{}], abort });
    const west = await begin('west', { stages: [{}] });
    await all([failing, moving], async (work, device) => {
      const isEast = device.id === failing.id;
      const offer = { updateId: isEast ? 1 : 2, isDone: false };
      return success(await fleet.offered(work, device, { id: isEast ? east : west }, offer));
    });
    await all([failing, moving], async (work, device) => {
      if (device.id === failing.id) {
        await fleet.moved(work, { id: 1, device_id: device.id, trigger: 'fail' });
      } else {
        await fleet.moved(work, { id: 2, device_id: device.id, trigger: 'supersede' });
        await fleet.offered(work, device, { id: west }, { updateId: 3, isDone: false });
      }
      return success(undefined);
    });
    expect(transactions.size).toBe(2);
    expect(await seen(east)).toMatchObject({ state: 'rolled_back', counts: [{ state: 'failed', n: 1 }] });
    expect(await seen(west)).toMatchObject({ state: 'running', counts: [{ state: 'offered', n: 1 }] });
  });

  it('are read of together when they ask together', async () => {
    const { fleet, begin, deviceAt, storage } = await scene();
    const devices = [await deviceAt('east'), await deviceAt('west'), await deviceAt('west')];
    await begin('east', { stages: [{}] });
    const reads = sharedReads(storage.db);
    const read = vi.spyOn(deviceHolds, 'read');
    await Promise.all(devices.map((device) => fleet.assign(reads, device)));
    expect(read).toHaveBeenCalledTimes(1);
    read.mockRestore();
  });
});
