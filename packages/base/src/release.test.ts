import { expect, test } from 'vitest';
import { release } from './release.ts';

test('release frees memory that is of these bytes alone', () => {
  const bytes = new Uint8Array(65_536).fill(7);
  release(bytes);
  expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0]);
  // What is free already stays so.
  release(bytes);
});

test.each([
  ['before', 0, 100],
  ['behind', 1, 101],
  ['around', 1, 100],
])('release keeps memory with other bytes %s', (_where, from, to) => {
  const all = new Uint8Array(101).fill(7);
  release(all.subarray(from, to));
  expect(all).toEqual(new Uint8Array(101).fill(7));
});
