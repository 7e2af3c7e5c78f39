import { VirtualClock } from '@moorage/base';
import { expect, test } from 'vitest';
import { turnsOf } from './pace.ts';

async function timesOf(perSecond: number | undefined): Promise<number[]> {
  const clock = new VirtualClock();
  const turn = turnsOf(clock, perSecond);
  const times: number[] = [];
  for (let number = 0; number < 5; number++) void turn().then(() => times.push(clock.monotonic()));
  await clock.advance(10_000);
  return times;
}

test('turns come at their rate, the first at once', async () => {
  expect(await timesOf(10)).toEqual([0, 100, 200, 300, 400]);
});

test('turns without a rate do not wait', async () => {
  expect(await timesOf(undefined)).toEqual([0, 0, 0, 0, 0]);
});
