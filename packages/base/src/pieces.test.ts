import fc from 'fast-check';
import { expect, test } from 'vitest';
import { merged } from './pieces.ts';

test('neighbours are one piece without a copy, others stay apart', () => {
  const chunk = Uint8Array.from({ length: 10 }, (_, index) => index);
  const other = Uint8Array.of(7, 8);
  const pieces = merged([chunk.subarray(0, 4), chunk.subarray(4, 6), other, chunk.subarray(6), chunk.subarray(0, 2)]);
  expect(pieces.map((piece) => [...piece])).toEqual([
    [0, 1, 2, 3, 4, 5],
    [7, 8],
    [6, 7, 8, 9],
    [0, 1],
  ]);
  expect(pieces[0]?.buffer).toBe(chunk.buffer);
  expect(merged([])).toEqual([]);
});

test('the bytes are the same whatever the pieces are', () => {
  const chunks = [Buffer.alloc(50, 'a'), Buffer.alloc(50, 'b')];
  const piece = fc.record({ of: fc.nat(1), from: fc.nat(50), to: fc.nat(50) });
  fc.assert(
    fc.property(fc.array(piece), (cuts) => {
      const pieces = cuts.map(({ of, from, to }) => (chunks[of] ?? Buffer.of()).subarray(from, to));
      expect(Buffer.concat(merged(pieces)).equals(Buffer.concat(pieces))).toBe(true);
    }),
  );
});
