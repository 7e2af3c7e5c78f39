import { MemoryStore, type PowerCut } from '@moorage/base/store/memory';
import { expect, test } from 'vitest';
import { adoptedRig, newSet, oldSet } from '../testing/adopted-rig.ts';

const small = {
  id: '22222222-2222-4222-8222-222222222222',
  version: '1.0.0.2',
  files: Object.entries(newSet).map(([name, text = '']) => ({
    name,
    content: Buffer.from(text),
    ...(name.endsWith('.script') && { type: 0xfd }),
  })),
};

const never: PowerCut = { atOperation: Number.POSITIVE_INFINITY, effect: 'lost' };

async function rigWith(cut: PowerCut) {
  const store = new MemoryStore({ cut });
  const made = await adoptedRig({ store });
  made.peer.bundle = small;
  return { ...made, flash: store };
}

/** Store operations of a module during a push that nothing disturbs. */
async function momentsOfPush(): Promise<readonly number[]> {
  const { adopted, flash, hooks, pass } = await rigWith(never);
  let [first, last] = [0, 0];
  hooks.step = (text) => {
    if (text.startsWith('Writing')) first = flash.operations;
    if (text.startsWith('Restarting')) last = flash.operations;
  };
  adopted.start();
  await pass(() => adopted.client.installed() !== undefined);
  const moments = Array.from({ length: last - first }, (_, index) => first + index);
  await adopted.stop();
  return moments;
}

test('a module whose power is cut at any moment of a push comes back with the new files, or with the old ones', async () => {
  const moments = await momentsOfPush();
  expect(moments.length).toBeGreaterThan(10);
  for (const [index, atOperation] of moments.entries()) {
    const cut: PowerCut = { atOperation, effect: index % 2 === 0 ? 'lost' : 'kept' };
    const { adopted, clock, flash, held, pass, peer, rig } = await rigWith(cut);
    adopted.start();
    await pass(() => flash.operations > atOperation || peer.reports.length > 0);
    await clock.advance(1_000);
    await rig.module.close().catch(() => {});
    await clock.advance(20_000);
    await rig.boot({ store: flash.survivor() });
    const isOver = () => peer.reports.some((report) => (report as { result: number }).result === 3);
    await pass(() => isOver() || (adopted.client.installed() !== undefined && !adopted.client.reportPending));
    // Its journal goes with the last file.
    await clock.advance(60_000);
    expect(await held(), JSON.stringify(cut)).toEqual(isOver() ? oldSet : newSet);
    await adopted.stop();
  }
});
