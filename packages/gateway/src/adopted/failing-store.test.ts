import { FailingStore, type StoreFault } from '@moorage/base/store/failing';
import { MemoryStore } from '@moorage/base/store/memory';
import { expect, test } from 'vitest';
import { adoptedRig, bundle, isThere, newSet, oldSet } from '../testing/adopted-rig.ts';

async function rigWith() {
  const own = new FailingStore(new MemoryStore());
  const made = await adoptedRig({ own });
  made.peer.bundle = bundle;
  own.fail();
  return { ...made, own };
}

/** Calls of the store from the start to the end of a push that nothing disturbs. */
async function callsOfPush(): Promise<number> {
  const { adopted, own, pass } = await rigWith();
  adopted.start();
  await pass(() => adopted.client.installed() !== undefined && !adopted.client.reportPending);
  await adopted.stop();
  return own.calls;
}

const faults = async (): Promise<readonly StoreFault[]> =>
  Array.from({ length: await callsOfPush() }, (_, at) => ({
    at,
    calls: at % 3 === 0 ? Number.POSITIVE_INFINITY : 1,
    code: ['ENOSPC', 'ENOENT', 'EIO', 'EACCES'][at % 4] ?? '',
    effect: at % 3 === 1 ? ('kept' as const) : ('lost' as const),
  }));

test.each(await faults())('a gateway whose store fails goes on when it works again: $at $code', async (fault) => {
  const { adopted, held, notices, own, pass, wait } = await rigWith();
  own.fail(fault);
  adopted.start();
  await pass(() => own.calls > fault.at);
  await wait(30_000);
  own.fail();
  await wait(120_000);
  expect(isThere(notices)).toBe(true);
  expect([oldSet, newSet]).toContainEqual(await held());
  await adopted.stop();
});
