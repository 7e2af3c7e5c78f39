import { once } from 'node:events';
import { seededRandom, VirtualClock } from '@moorage/base';
import { expect, it } from 'vitest';
import { pairOfEnds } from './end.ts';

it('an end counts what it has sent and what has come, up to a cut', async () => {
  const [near, far] = pairOfEnds(new VirtualClock(), seededRandom(1), { cutAfterSentBytes: 7 });
  far.resume();
  const closed = once(far, 'close').catch(() => {});
  near.write('hello');
  near.write('again');
  await closed;
  expect(near.bytesWritten).toBe(10);
  expect([far.bytesRead, far.bytesWritten, near.bytesRead]).toEqual([7, 0, 0]);
});
