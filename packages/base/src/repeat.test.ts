import { expect, test } from 'vitest';
import { VirtualClock } from './clock.ts';
import { repeat } from './repeat.ts';

const pauseMs = 1_000;

test('rounds follow each other a pause apart, also behind one that failed', async () => {
  const clock = new VirtualClock();
  const begun: number[] = [];
  const errors: unknown[] = [];
  const stop = repeat({ clock, pauseMs, onError: (error) => errors.push(error) }, async () => {
    begun.push(clock.now());
    if (begun.length === 1) throw new Error('the first');
  });
  await clock.advance(3_500);
  expect(begun).toHaveLength(3);
  expect(begun.map((at) => at - (begun[0] ?? 0))).toEqual([0, pauseMs, 2 * pauseMs]);
  expect(errors).toEqual([new Error('the first')]);
  await stop();
  await clock.advance(5_000);
  expect(begun).toHaveLength(3);
});

test('stopping tells the round under way, and waits for it', async () => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  let finish = () => {};
  const stop = repeat({ clock, pauseMs, onError: (error) => seen.push(String(error)) }, async (isOver) => {
    seen.push(`begun ${isOver()}`);
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    seen.push(`ended ${isOver()}`);
  });
  await clock.advance(pauseMs);
  const stopped = stop().then(() => seen.push('stopped'));
  finish();
  await stopped;
  expect(seen).toEqual(['begun false', 'ended true', 'stopped']);
});
