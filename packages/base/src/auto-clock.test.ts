import { expect, test } from 'vitest';
import { AutoClock } from './auto-clock.ts';
import { sleep } from './clock.ts';

const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
};

test('AutoClock jumps to the next timer when there is nothing else to do', async () => {
  const clock = new AutoClock(1_000);
  await sleep(clock, 86_400_000);
  expect([clock.monotonic(), clock.now()]).toEqual([86_400_000, 86_401_000]);
});

test('AutoClock runs timers in the order of their due times, those of timers too', async () => {
  const clock = new AutoClock();
  const seen: number[] = [];
  const late = sleep(clock, 30).then(() => seen.push(clock.monotonic()));
  clock.after(10, () => {
    seen.push(clock.monotonic());
    clock.after(10, () => seen.push(clock.monotonic()));
  });
  await late;
  expect(seen).toEqual([10, 20, 30]);
});

test('AutoClock waits while work goes on in the event loop', async () => {
  const clock = new AutoClock();
  const answer = Promise.race([sleep(clock, 5_000).then(() => 'late'), turns(5).then(() => 'in time')]);
  expect(await answer).toBe('in time');
});

test('AutoClock goes on after a rest, and forgets a cancelled timer', async () => {
  const clock = new AutoClock();
  await sleep(clock, 10);
  clock.after(50, () => expect.unreachable('a cancelled timer ran'))();
  await turns(50);
  expect(clock.monotonic()).toBe(10);
  await sleep(clock, 10);
  expect(clock.monotonic()).toBe(20);
});

test('AutoClock stands still once it is stopped', async () => {
  const clock = new AutoClock();
  clock.after(10, () => expect.unreachable('the clock went on'));
  clock.stop();
  clock.after(10, () => expect.unreachable('the clock went on'));
  await turns(50);
  expect(clock.monotonic()).toBe(0);
});
