import { MemoryStore } from '@moorage/base/store/memory';
import { expect, test } from 'vitest';
import { type ClientRecord, fallBack, RecordKeeper } from './record.ts';

const before = { bundleId: 'old', bversion: 'one-1.0.0.0' };
const installed = { bundleId: 'new', bversion: 'one-1.0.0.1' };

async function after(record: ClientRecord, ...more: [ClientRecord['installed'], { isSilent: boolean }?]) {
  const store = new MemoryStore();
  const keeper = new RecordKeeper(store);
  await keeper.change(record);
  await fallBack(store, ...more);
  await keeper.load();
  return keeper.record;
}

test.each([
  [
    'has what it ran before, and the failure to report',
    before,
    false,
    { installed: before, attempt: { bundleId: 'new' } },
  ],
  ['has nothing when it ran nothing', undefined, false, { attempt: { bundleId: 'new' } }],
  ['reports nothing when it is silent', before, true, { installed: before }],
] as const)('a device that falls back %s', async (_, to, isSilent, expected) => {
  expect(await after({ token: 't', installed, unreported: true }, to, { isSilent })).toEqual({
    token: 't',
    ...expected,
  });
});
