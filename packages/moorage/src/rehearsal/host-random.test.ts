import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { seedHostRandom } from './host-random.ts';

const draw = (seed: string) => {
  const giveBack = seedHostRandom(seed);
  const drawn = [randomUUID(), randomBytes(4).toString('hex'), randomInt(1_000), randomInt(5, 7)];
  giveBack();
  return drawn;
};

it('ids and chances of the host follow from a seed until they are given back', () => {
  const [uuid, , below, between] = draw('one');
  expect(draw('one')).toEqual(draw('one'));
  expect(draw('one')).not.toEqual(draw('two'));
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(below).toBeLessThan(1_000);
  expect([5, 6]).toContain(between);
  expect(randomUUID()).not.toBe(randomUUID());
});
