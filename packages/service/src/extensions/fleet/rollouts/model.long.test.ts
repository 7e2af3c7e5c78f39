import { expect, it } from 'vitest';
import { walk } from '../../../testing/rollout-walk.ts';
import { beginnings } from '../../../testing/rollout-world.ts';

it.each(beginnings)(
  'whatever happens, rollouts end, hold a device once and take none back unasked: %s',
  { timeout: 600_000 },
  (_, begin) => {
    expect(walk(begin, 6)).toBeGreaterThan(100_000);
  },
);
