import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it.each([1, 2, 3])('turns run %i tasks at a time, in their order, whatever becomes of them', async (atOnce) => {
  const turns = new Turns(atOnce);
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  const task = (at: number) => async () => {
    begun.push(at);
    most = Math.max(most, ++underWay);
    await Promise.resolve();
    underWay--;
    if (at % 2 === 0) throw new Error(`task ${at}`);
    return at;
  };
  const ended = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map((at) => turns.run(task(at))));
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(most).toBe(atOnce);
  expect(ended.map((one) => one.status === 'fulfilled')).toEqual([false, true, false, true, false, true, false]);
});
