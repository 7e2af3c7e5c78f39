import { expect, test } from 'vitest';
import { realClock, sleep, VirtualClock } from './clock.ts';

test('VirtualClock runs timers in the order of their due times, each at its own time', async () => {
  const clock = new VirtualClock(1_000);
  const seen: string[] = [];
  clock.after(20, () => seen.push(`late at ${clock.now()}`));
  clock.after(10, () => seen.push(`early at ${clock.now()}`));
  clock.after(10, () => seen.push('early, second'));
  await clock.advance(15);
  expect(seen).toEqual(['early at 1010', 'early, second']);
  expect(clock.now()).toBe(1_015);
  await clock.advance(5);
  expect(seen).toHaveLength(3);
  expect(seen[2]).toBe('late at 1020');
});

test('VirtualClock advances by exactly the given time, however often', async () => {
  const clock = new VirtualClock();
  for (let step = 1; step <= 5; step++) {
    await clock.advance(7);
    expect(clock.monotonic()).toBe(step * 7);
  }
});

test('VirtualClock skips time: what fell due meanwhile runs once, at the end, and what it sets after that', async () => {
  const clock = new VirtualClock();
  const seen: number[] = [];
  const again = (): void => {
    seen.push(clock.monotonic());
    clock.after(10, again);
  };
  clock.after(10, again);
  await clock.skip(1_005);
  expect(seen).toEqual([1_005]);
  await clock.advance(10);
  expect(seen).toEqual([1_005, 1_015]);
  expect(clock.now()).toBe(1_015);
});

test('VirtualClock runs timers that timers set, when they fall due in the same advance', async () => {
  const clock = new VirtualClock();
  const seen: number[] = [];
  const again = (): void => {
    seen.push(clock.monotonic());
    if (seen.length < 4) clock.after(10, again);
  };
  clock.after(10, again);
  await clock.advance(100);
  expect(seen).toEqual([10, 20, 30, 40]);
  expect(clock.pending).toBe(0);
});

test('VirtualClock forgets a cancelled timer', async () => {
  const clock = new VirtualClock();
  let ran = false;
  const cancel = clock.after(10, () => {
    ran = true;
  });
  cancel();
  cancel();
  await clock.advance(20);
  expect(ran).toBe(false);
});

test('sleep follows promise chains between timers', async () => {
  const clock = new VirtualClock();
  const chain = (async () => {
    await sleep(clock, 10);
    await sleep(clock, 10);
    return clock.monotonic();
  })();
  await clock.advance(20);
  expect(await chain).toBe(20);
});

test('realClock runs and cancels timers', async () => {
  const cancelled = realClock.after(0, () => expect.unreachable('a cancelled timer ran'));
  cancelled();
  const before = realClock.monotonic();
  await new Promise<void>((resolve) => {
    realClock.after(0, resolve);
  });
  expect(realClock.monotonic()).toBeGreaterThanOrEqual(before);
});
