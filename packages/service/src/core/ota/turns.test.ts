import { refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { expect, it } from 'vitest';
import type { DeviceRow } from '../../engine/db/hot.ts';
import type { Work } from '../../engine/db/work.ts';
import { eachDatabase } from '../../testing/index.ts';
import { otaWorld } from '../../testing/ota-world.ts';
import { openSteps, productTurns } from './turns.ts';

it('turns of products are kept while there is work, also when it fails', async () => {
  const last = new Map();
  const inTurn = productTurns(last);
  const done: string[] = [];
  const failed = inTurn('a', async () => {
    throw new Error('broken');
  });
  const others = [inTurn('a', async () => done.push('a')), inTurn('b', async () => done.push('b'))];
  expect([...last.keys()]).toEqual(['a', 'b']);
  await expect(failed).rejects.toThrow('broken');
  await Promise.all(others);
  expect(done.sort()).toEqual(['a', 'b']);
  expect([...last.keys()]).toEqual([]);
});

eachDatabase('steps of devices', (open) => {
  /** Devices of a product, and steps that are counted by transaction. */
  async function scene(count: number) {
    const world = await otaWorld(await open());
    const { storage } = world.app;
    const { product } = await world.productWithRelease();
    const devices: Awaited<ReturnType<typeof world.deviceOn>>[] = [];
    for (let at = 0; at < count; at++) devices.push(await world.deviceOn(product.id, { bversion: null }));
    const tried = new Set<Work>();
    const hooks = { begin: async (work: Work) => void tried.add(work) };
    const { grouped: step, single } = openSteps({ storage, hooks });
    const write =
      (title: string) =>
      async ({ db }: Work, device: DeviceRow) => {
        await db.updateTable('devices').set({ bversion: title }).where('id', '=', device.id).execute();
        return success(device.bversion);
      };
    const written = async () => {
      const rows = await storage.db.selectFrom('devices').select(['id', 'bversion']).execute();
      const found = new Map(rows.map(({ id, bversion }) => [id, bversion]));
      return devices.map(({ id }) => found.get(id));
    };
    return { storage, devices, step, single, write, written, tried };
  }

  it('that come together are one transaction, in which a device has one', async () => {
    const { devices, step, write, written, tried } = await scene(3);
    const first = devices.map((device) => step(device, write('one')));
    const again = devices.map((device) => step(device, write('two')));
    expect(await Promise.all(first)).toEqual([success(null), success(null), success(null)]);
    expect(await Promise.all(again)).toEqual([success('one'), success('one'), success('one')]);
    expect(await written()).toEqual(['two', 'two', 'two']);
    expect(tried.size).toBe(2);
  });

  it('of a product are one after another, however they are done', async () => {
    const { devices, step, single, write } = await scene(3);
    const begun: string[] = [];
    let running = 0;
    const noted = (name: string) => async (work: Work, device: DeviceRow) => {
      begun.push(name);
      expect(++running).toBe(1);
      const done = await write(name)(work, device);
      running--;
      return done;
    };
    const [first, second, third] = devices;
    if (!first || !second || !third) return expect.unreachable();
    const broken = single(second, () => Promise.reject(new Error('broken')));
    const others = [single(first, noted('one')), step(second, noted('two')), single(third, noted('three'))];
    await expect(broken).rejects.toThrow('broken');
    expect(await Promise.all(others)).toEqual([success(null), success(null), success(null)]);
    expect(begun).toEqual(['one', 'two', 'three']);
  });

  it.each([
    ['is refused', async () => failure(refusal('NOT_FOUND', { what: 'Bundle' })), 'NOT_FOUND'],
    ['fails', () => Promise.reject(new Error('broken')), 'broken'],
  ] as const)('are each done by itself when one of them %s', async (_how, wrong, told) => {
    const { devices, step, write, written } = await scene(3);
    const outcomes = devices.map(async (device, at): Promise<Result<unknown, string>> => {
      const run = async (work: Work, row: DeviceRow) => {
        const done = await write('one')(work, row);
        return at === 1 ? wrong() : done;
      };
      return step(device, run).then(
        (outcome) => (outcome.ok ? outcome : failure(outcome.error.code)),
        (error: Error) => failure(error.message),
      );
    });
    expect(await Promise.all(outcomes)).toEqual([success(null), failure(told), success(null)]);
    expect(await written()).toEqual(['one', null, 'one']);
  });

  it('of a device that is gone are refused, and those of others done', async () => {
    const { storage, devices, step, write, written } = await scene(2);
    const [gone, other] = devices;
    if (!gone || !other) return expect.unreachable();
    await storage.db.deleteFrom('devices').where('id', '=', gone.id).execute();
    const [refused, done] = await Promise.all([step(gone, write('one')), step(other, write('one'))]);
    expect(refused).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    expect(done).toEqual(success(null));
    expect(await written()).toEqual([undefined, 'one']);
  });
});
