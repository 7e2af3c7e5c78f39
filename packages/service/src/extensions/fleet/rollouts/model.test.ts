import { expect, it } from 'vitest';
import { walk } from '../../../testing/rollout-walk.ts';
import { beginnings } from '../../../testing/rollout-world.ts';

it.each(beginnings)('whatever happens, rollouts end, hold a device once and take none back unasked: %s', (_, begin) => {
  expect(walk(begin, 4)).toBeGreaterThan(1_000);
});
