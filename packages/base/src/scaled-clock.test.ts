import { expect, test } from 'vitest';
import { VirtualClock } from './clock.ts';
import { ScaledClock } from './scaled-clock.ts';

test.each([1, 2, 0.5, 60])('ScaledClock goes %d times as fast as the clock below', async (ratio) => {
  const base = new VirtualClock(1_000);
  await base.advance(500);
  const clock = new ScaledClock(ratio, base);
  expect([clock.now(), clock.monotonic()]).toEqual([1_500, 500]);
  const seen: number[] = [];
  clock.after(600, () => seen.push(clock.monotonic()));
  await base.advance(600 / ratio - 0.5);
  expect(seen).toEqual([]);
  await base.advance(0.5);
  expect(seen).toEqual([500 + 600]);
  expect(clock.now()).toBe(1_500 + 600);
});

test('ScaledClock forgets a cancelled timer', async () => {
  const base = new VirtualClock();
  new ScaledClock(10, base).after(10, () => expect.unreachable('a cancelled timer ran'))();
  await base.advance(100);
});

test.each([0, -1, Number.NaN, 0.0001, 1001])('ScaledClock refuses the ratio %d', (ratio) => {
  expect(() => new ScaledClock(ratio, new VirtualClock())).toThrow('is not between');
});
