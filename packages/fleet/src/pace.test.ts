import { VirtualClock } from '@moorage/base';
import { expect, test } from 'vitest';
import { turnsOf } from './pace.ts';

async function timesOf(perSecond: number | undefined): Promise<number[]> {
  const clock = new VirtualClock();
  const { turn } = turnsOf(clock, perSecond);
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

test('what is under way goes before what has not begun', async () => {
  const clock = new VirtualClock();
  const { begin, turn } = turnsOf(clock, 10);
  const order: string[] = [];
  // Each opens three connections, one after the other.
  const life = async (name: string): Promise<void> => {
    await begin();
    for (let number = 1; number <= 3; number++) {
      await turn();
      order.push(`${name}${number} at ${clock.monotonic()}`);
    }
  };
  void Promise.all(['a', 'b'].map(life));
  await clock.advance(10_000);
  expect(order).toEqual(['a1 at 100', 'a2 at 200', 'a3 at 300', 'b1 at 500', 'b2 at 600', 'b3 at 700']);
});

test('a late timer makes up for what it has missed', async () => {
  const clock = new VirtualClock();
  const { turn } = turnsOf(clock, 1_000);
  let turns = 0;
  for (let number = 0; number < 100; number++) void turn().then(() => turns++);
  await clock.advance(50);
  expect(turns).toBe(51);
});
