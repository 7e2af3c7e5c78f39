import { success, unwrap } from '@moorage/base';
import { expect, it } from 'vitest';
import { updateLedger } from '../../../core/devices/ledger.ts';
import { openSteps, type Run } from '../../../core/ota/turns.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { eachDatabase } from '../../../testing/index.ts';
import { otaWorld } from '../../../testing/ota-world.ts';
import { recount } from '../../../testing/recount.ts';
import { Fleet } from './engine.ts';

eachDatabase('steps in one group of devices of two rollouts', (open) => {
  async function scene() {
    const world = await otaWorld(await open());
    const { storage, service, client } = world.app;
    const { product, bundleOf } = await world.productWithRelease();
    const maker = client.as(world.people.maker.token);
    const fleet = new Fleet({ ...service.deps, tagBundle: async () => {}, stretch: () => 1 });
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
    const transactions = new Set<Db>();
    const ledger = updateLedger(storage, async () => {});
    const { grouped: step } = openSteps({ storage, ledger, fleet });
    /** Does a step of each of these devices, all at once. */
    const all = async (devices: readonly Made[], run: Run<unknown>) => {
      const noted: Run<unknown> = (trx, locked) => {
        transactions.add(trx);
        return run(trx, locked);
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
    const ask: Run<unknown> = async (trx, device) => {
      const { rollout } = await fleet.standing(trx, device);
      if (!rollout?.isNew) return success(undefined);
      const update = brings.size + 1;
      brings.set(device.id, { rolloutId: rollout.id, update });
      await fleet.recordOffer(trx, device, rollout.id, update, false);
      return success(undefined);
    };
    const confirm: Run<unknown> = async (trx, { id: device_id }) => {
      await fleet.moved(trx, { id: brings.get(device_id)?.update ?? 0, device_id, trigger: 'confirm' });
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
    await all([failing, moving], async (trx, device) => {
      const isEast = device.id === failing.id;
      return success(await fleet.recordOffer(trx, device, isEast ? east : west, isEast ? 1 : 2, false));
    });
    await all([failing, moving], async (trx, device) => {
      if (device.id === failing.id) {
        await fleet.moved(trx, { id: 1, device_id: device.id, trigger: 'fail' });
      } else {
        await fleet.moved(trx, { id: 2, device_id: device.id, trigger: 'supersede' });
        await fleet.recordOffer(trx, device, west, 3, false);
      }
      return success(undefined);
    });
    expect(transactions.size).toBe(2);
    expect(await seen(east)).toMatchObject({ state: 'rolled_back', counts: [{ state: 'failed', n: 1 }] });
    expect(await seen(west)).toMatchObject({ state: 'running', counts: [{ state: 'offered', n: 1 }] });
  });
});
