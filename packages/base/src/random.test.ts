import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRandom } from './random.ts';

test('equal seeds give equal sequences', () => {
  expect(seededRandom('a').bytes(64)).toEqual(seededRandom('a').bytes(64));
  expect(seededRandom('a').bytes(64)).not.toEqual(seededRandom('b').bytes(64));
  expect(seededRandom(7).bytes(8)).toEqual(seededRandom('7').bytes(8));
});

test('numbers stay below their limit', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 2 ** 32 }), (seed, below) => {
      const value = seededRandom(seed).below(below);
      expect(Number.isInteger(value) && value >= 0 && value < below).toBe(true);
    }),
  );
});

test('numbers are spread evenly', () => {
  const random = seededRandom(1);
  const counts = Array.from({ length: 10 }, () => 0);
  for (let draw = 0; draw < 10_000; draw++) {
    const value = random.below(10);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
});

test.each([0, -1, Number.NaN, 2 ** 33])('a limit of %d is a mistake', (below) => {
  expect(() => seededRandom(1).below(below)).toThrow(/Cannot choose/);
});
