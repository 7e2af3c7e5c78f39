import { MemoryStore, type PowerCut, PowerLost } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import { Faults, forcedFault } from './faults.ts';

const limit = 3;

async function loaded(store: MemoryStore): Promise<Faults> {
  const faults = new Faults({ store, limit });
  await faults.load();
  return faults;
}

const contentOf = async (content: string): Promise<MemoryStore> =>
  new MemoryStore({ contents: new Map([['faults', Buffer.from(content)]]) });

describe('Faults', () => {
  // MOD-LIMIT-faults, MOD-STATE-3
  test('are kept over boots up to the limit, the first ones longest', async () => {
    const store = new MemoryStore();
    const faults = await loaded(store);
    expect([faults.names, faults.full]).toEqual([[], false]);
    for (const name of ['A Fault', 'B Fault']) await faults.add(name);
    expect((await loaded(store)).full).toBe(false);
    for (const name of ['C Fault', 'D Fault']) await faults.add(name);
    const again = await loaded(store);
    expect([again.names, again.full]).toEqual([['A Fault', 'B Fault', 'C Fault'], true]);
    expect(faults.names).toEqual(again.names);
  });

  // MOD-CMD-faults_reset, MOD-STATE-4
  test('are forgotten by reset, and the rest of the list is filled by force', async () => {
    const store = new MemoryStore();
    const faults = await loaded(store);
    await faults.add('A Fault');
    await faults.fill();
    expect((await loaded(store)).names).toEqual(['A Fault', forcedFault, forcedFault]);
    await faults.fill();
    expect(faults.names).toHaveLength(limit);
    await faults.reset();
    expect([faults.names, (await loaded(store)).names, await store.names()]).toEqual([[], [], []]);
    await faults.reset();
  });

  test.each(['', 'x', ' x y', 'two\nlines', 'x'.repeat(49), 'caf\u00e9'])('refuse the name %j', async (name) => {
    const store = new MemoryStore();
    await expect((await loaded(store)).add(name)).rejects.toThrow('printable');
    expect(await store.names()).toEqual([]);
  });

  test.each(['no line end', '\n', 'A Fault\n\n', 'A\x00\n', 'A Fault\nB'])(
    'count as none when the list is %j',
    async (content) => {
      expect((await loaded(await contentOf(content))).names).toEqual([]);
    },
  );

  test('beyond the limit of a smaller board are left out', async () => {
    const faults = await loaded(await contentOf('A1\nA2\nA3\nA4\nA5\n'));
    expect(faults.names).toEqual(['A1', 'A2', 'A3']);
  });
});

const effects: readonly PowerCut['effect'][] = ['lost', 'kept'];
const changes = [
  { title: 'add', change: (faults: Faults) => faults.add('B Fault'), after: ['A Fault', 'B Fault'] },
  { title: 'fill', change: (faults: Faults) => faults.fill(), after: ['A Fault', forcedFault, forcedFault] },
  { title: 'reset', change: (faults: Faults) => faults.reset(), after: [] },
];

describe.each(effects)('The fault list after a power cut whose operation is %s', (effect) => {
  test.each(changes)('is the old one or the new one: $title', async ({ change, after }) => {
    const before = new MemoryStore();
    await (await loaded(before)).add('A Fault');
    let cuts = 0;
    for (let atOperation = 1; ; atOperation++) {
      const store = before.survivor({ atOperation, effect });
      const faults = await loaded(store);
      const cut = await change(faults).then(
        () => false,
        (cause: unknown) => {
          expect(cause).toBeInstanceOf(PowerLost);
          return true;
        },
      );
      const { names } = await loaded(store.survivor());
      expect(cut ? [['A Fault'], after] : [after]).toContainEqual(names);
      if (!cut) break;
      cuts++;
    }
    expect(cuts).toBeGreaterThan(0);
  });
});
