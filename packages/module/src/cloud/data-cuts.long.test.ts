import { type Random, seededRandom } from '@moorage/base';
import { MemoryStore, PowerLost } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import { activeRig } from '../testing/cloud-rig.ts';

type Rig = Awaited<ReturnType<typeof activeRig>>;
type Powered = Awaited<ReturnType<Rig['powerOn']>>;

/** What a run has had confirmed as done, and what has been tried. */
class Ledger {
  readonly acknowledged = new Set<number>();
  readonly tried = new Set<number>();
  /** Values that the control may have: the last acknowledged one, and those tried since. */
  control = [0];
  #next = 1_700_000_000;

  nextTime(): number {
    return this.#next++;
  }
}

const chance = (random: Random, percent: number): boolean => random.below(100) < percent;

/** Fewer than the cache holds, so that nothing has to be dropped. */
const mostWaiting = 40;

/** One command; nothing is known of one that the power cut. */
async function act(rig: Rig, on: Powered, random: Random, ledger: Ledger): Promise<void> {
  const waiting = ledger.tried.size - rig.peer.data.samples.length;
  const kind = waiting > mostWaiting ? 9 : random.below(10);
  if (kind < 6) {
    const times = Array.from({ length: 1 + random.below(3) }, () => ledger.nextTime());
    for (const time of times) ledger.tried.add(time);
    const answer = await rig.runOn(on, `cloud_write ${times.map((time) => `temp,1,${time}`).join('|')}`);
    expect(answer).toEqual(['0 Success']);
    for (const time of times) ledger.acknowledged.add(time);
  } else if (kind < 8) {
    const value = random.below(2);
    ledger.control.push(value);
    const answer = await rig.runOn(on, `cloud_write led1 ${value}`);
    if (answer.at(-1) === '0 Success') ledger.control = [value];
  } else {
    await rig.runOn(on, ['cloud_sync', 'cloud_sync push'][random.below(2)] ?? '');
  }
}

/** Cuts connections in either direction after some bytes, or lets them fall silent. */
function unreliable({ network }: Rig, random: Random): void {
  network.conditions = () => {
    if (!chance(random, 40)) return { latencyMs: random.below(50) };
    const bytes = random.below(900);
    return [{ cutAfterBytes: bytes }, { cutAfterSentBytes: bytes }, { vanishAfterBytes: bytes }][random.below(3)] ?? {};
  };
}

/** A module that is used for a while, cut off and switched off at random; at the end all is well again. */
async function run(seed: number): Promise<{ rig: Rig; ledger: Ledger; cuts: number }> {
  const random = seededRandom(`cuts ${seed}`);
  const rig = await activeRig({ store: new MemoryStore() });
  const ledger = new Ledger();
  unreliable(rig, random);
  let store = rig.store;
  let on: Powered | undefined = rig;
  let cuts = 0;
  for (let life = 0; life < 10; life++) {
    try {
      on ??= await rig.powerOn(store);
      for (let step = 0; step < 12; step++) await act(rig, on, random, ledger);
    } catch (error) {
      if (!(error instanceof PowerLost)) throw error;
      cuts++;
    }
    // The plug is pulled: what runs comes to nothing, and only the store knows anything.
    await on?.module.close().catch(() => {});
    await rig.clock.advance(100);
    on = undefined;
    store = store.survivor({ atOperation: 8 + random.below(50), effect: chance(random, 50) ? 'lost' : 'kept' });
  }
  rig.network.conditions = () => ({});
  await rig.clock.advance(60_000);
  on = await rig.powerOn(store.survivor());
  expect((await rig.runOn(on, 'cloud_sync')).at(-1)).toBe('0 Success');
  return { rig: { ...rig, ...on }, ledger, cuts };
}

/** Spec: MOD-DATA-once, API-DATA-once. */
describe('samples written during cuts of network and power', () => {
  let cutsInAll = 0;

  test.each(Array.from({ length: 24 }, (_, seed) => seed))('arrive once (seed %i)', async (seed) => {
    const { rig, ledger, cuts } = await run(seed);
    cutsInAll += cuts;
    const times = rig.peer.data.samples.map(({ t }) => t ?? 0);
    expect(new Set(times).size, 'none doubled').toBe(times.length);
    expect(
      [...ledger.acknowledged].filter((time) => !times.includes(time)),
      'none lost',
    ).toEqual([]);
    expect(
      times.filter((time) => !ledger.tried.has(time)),
      'none made up',
    ).toEqual([]);
    expect(ledger.acknowledged.size).toBeGreaterThan(10);
    const known = rig.peer.data.controls.get('led1')?.v ?? 0;
    expect(ledger.control).toContain(known);
    expect(rig.module.cloud.control('led1')).toBe(known);
  });

  test('were cut often enough to count', () => {
    expect(cutsInAll).toBeGreaterThan(20);
  });
});

describe('a power cut at any store operation', () => {
  /** Runs an action into each cut, and restarts from what the store has kept. */
  async function eachCut(action: (rig: Rig) => Promise<unknown>, check: (rig: Rig, at: string) => Promise<void>) {
    const never = { atOperation: Number.POSITIVE_INFINITY, effect: 'lost' } as const;
    const whole = await activeRig({ store: new MemoryStore({ cut: never }) });
    const first = whole.store.operations;
    await action(whole);
    const last = whole.store.operations;
    expect(last).toBeGreaterThan(first);
    for (let atOperation = first; atOperation < last; atOperation++) {
      for (const effect of ['lost', 'kept'] as const) {
        const cut = { atOperation, effect };
        const rig = await activeRig({ store: new MemoryStore({ cut }) });
        await action(rig).catch(() => {});
        await rig.module.close().catch(() => {});
        await rig.clock.advance(1000);
        const on = await rig.powerOn(rig.store.survivor());
        await check({ ...rig, ...on, run: (line) => rig.runOn(on, line) }, JSON.stringify(cut));
      }
    }
  }

  test('within a write leaves the sample whole or absent, and those before it in place', async () => {
    await eachCut(
      async ({ run }) => {
        await run('cloud_write temp 1 1');
        await run('cloud_write temp 2 2');
      },
      async ({ run, peer }, at) => {
        expect(await run('cloud_write temp 3 3'), at).toEqual(['0 Success']);
        expect((await run('cloud_sync push')).at(-1), at).toBe('0 Success');
        const times = peer.data.samples.map(({ t }) => t);
        expect(times.at(-1), at).toBe(3);
        expect([[1, 2, 3], [1, 3], [3]], at).toContainEqual(times);
      },
    );
  });

  test('within a push brings every sample once', async () => {
    await eachCut(
      async ({ run }) => {
        await run('cloud_write temp 1 1');
        await run('cloud_sync');
        await run('cloud_write temp 2 2');
        await run('cloud_write led1 1');
        await run('cloud_sync');
      },
      async ({ run, peer }, at) => {
        await run('cloud_sync');
        expect([[1, 2], [1], []], at).toContainEqual(peer.data.samples.map(({ t }) => t));
        expect(await run('cloud_read led1'), at).toEqual([expect.stringMatching(/^0 [01](,1700000000)?$/)]);
      },
    );
  });

  test('within a post brings the message once, when it is posted again', async () => {
    const post = async (run: (line: string, data?: string) => Promise<string[]>) => {
      await run('cloud_message post');
      await run('stream_write 0 5', 'alarm');
      return (await run('stream_close 0')).at(-1);
    };
    const doubled: string[] = [];
    await eachCut(
      ({ run }) => post(run),
      async (rig, at) => {
        expect(await post((line, data) => rig.runOn(rig, line, data)), at).toBe('0 Success');
        expect(rig.peer.data.posted, at).toContain('alarm');
        if (rig.peer.data.posted.length > 1) doubled.push(at);
      },
    );
    // After its last operation the module says that the message is posted: who posts it again all the same means it.
    expect(doubled).toEqual([expect.stringContaining('kept')]);
  });

  test('within an activation or its end leaves the module on one side, and trying again succeeds', async () => {
    await eachCut(
      async ({ run }) => {
        await run('cloud_deactivate ada secret');
        await run('cloud_activate ada secret caps.json');
      },
      async ({ run, module }, at) => {
        if (module.cloud.activated) expect(await run('cloud_deactivate ada secret'), at).toContain('0 Success');
        expect((await run('cloud_activate ada secret caps.json')).at(-1), at).toBe('0 Success');
        expect(await run('cloud_write led1 1'), at).toEqual(['0 Success']);
      },
    );
  });
});

/** Spec: MOD-DATA-once. */
describe('a message that is posted again after a cut of the network', () => {
  const post = async ({ run }: Rig) => {
    await run('cloud_message post');
    await run('stream_write 0 5', 'alarm');
    return (await run('stream_close 0')).at(-1);
  };

  test('arrives once, wherever the cut was', async () => {
    for (const way of ['cutAfterBytes', 'cutAfterSentBytes'] as const) {
      for (let bytes = 0; bytes < 700; bytes += 20) {
        const rig = await activeRig();
        rig.network.conditions = () => ({ [way]: bytes });
        const first = await post(rig);
        rig.network.conditions = () => ({});
        if (first !== '0 Success') expect(await post(rig)).toBe('0 Success');
        expect(rig.peer.data.posted, `${way} ${bytes}`).toEqual(['alarm']);
        await rig.module.close();
      }
    }
  });

  test('is news when the first was answered, is another text, or comes much later', async () => {
    const rig = await activeRig();
    await post(rig);
    await post(rig);
    expect(rig.peer.data.posted).toEqual(['alarm', 'alarm']);
    rig.peer.refuse('POST /device/v1/messages', 500, 'Internal', 'INTERNAL');
    expect(await post(rig)).toBe('1 Command failed');
    rig.peer.answers.clear();
    await rig.clock.advance(601_000);
    expect(await post(rig)).toBe('0 Success');
    expect(rig.peer.data.posted).toHaveLength(3);
  });
});

test('what is kept is ignored when it is not understood', async () => {
  const rig = await activeRig();
  await rig.run('cloud_write temp 1');
  for (const [name, text] of [
    ['cloud-data', '{'],
    ['cloud', '{"file":7}'],
  ] as const) {
    const writer = await rig.store.create(name);
    await writer.append(Buffer.from(text));
    await writer.publish();
    await rig.module.reboot();
    expect(rig.module.cloud.activated).toBe(name !== 'cloud');
  }
});
