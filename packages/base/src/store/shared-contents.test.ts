import { expect, test } from 'vitest';
import { MemoryStore, SharedContents } from './memory.ts';

async function stored(shared: SharedContents, bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const store = new MemoryStore({ shared });
  const writer = await store.create('a');
  // In pieces, as a download brings them.
  for (let at = 0; at < bytes.length; at += 1000) await writer.append(bytes.slice(at, at + 1000));
  await writer.publish();
  return store.read('a');
}

const filled = (size: number, last: number): Uint8Array => {
  const bytes = new Uint8Array(size).fill(7);
  bytes[size - 1] = last;
  return bytes;
};

test('stores with shared contents keep long equal ones once', async () => {
  const shared = new SharedContents();
  const [one, same, other] = [
    await stored(shared, filled(10_000, 1)),
    await stored(shared, filled(10_000, 1)),
    await stored(shared, filled(10_000, 2)),
  ];
  expect([one, same, other]).toEqual([filled(10_000, 1), filled(10_000, 1), filled(10_000, 2)]);
  expect(one?.buffer).toBe(same?.buffer);
  expect(one?.buffer).not.toBe(other?.buffer);
});

test('short contents are not looked for', async () => {
  const shared = new SharedContents();
  const [one, same] = [await stored(shared, filled(100, 1)), await stored(shared, filled(100, 1))];
  expect(one).toEqual(same);
  expect(one?.buffer).not.toBe(same?.buffer);
});
