import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

/** Tasks that end when they are told to, and what has happened to them. */
function scene(count: number) {
  const slots = new Slots(count);
  const events: string[] = [];
  const begin = (name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: rested, resolve: wake } = Promise.withResolvers<void>();
    const done = slots.run(async () => {
      events.push(`${name} begins`);
      await promise;
      if (name === 'resting') await slots.rest(() => rested);
      events.push(`${name} ends`);
      if (name === 'failing') throw new Error('on purpose');
    });
    return { done, end: resolve, wake };
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { begin, events, settle };
}

test('slots let so many tasks run at a time, in their order, whatever they come to', async () => {
  const { begin, events, settle } = scene(2);
  const tasks = ['failing', 'second', 'third', 'fourth'].map(begin);
  await settle();
  expect(events).toEqual(['failing begins', 'second begins']);
  tasks[0]?.end();
  await expect(tasks[0]?.done).rejects.toThrow('on purpose');
  await settle();
  expect(events.slice(2)).toEqual(['failing ends', 'third begins']);
  for (const task of tasks) task.end();
  await Promise.all(tasks.slice(1).map(({ done }) => done));
  expect(events.at(-1)).toBe('fourth ends');
});

test('a task that rests leaves its slot to others, and goes on before the next one begins', async () => {
  const { begin, events, settle } = scene(1);
  const [resting, other, next] = [begin('resting'), begin('other'), begin('next')];
  resting.end();
  await settle();
  expect(events).toEqual(['resting begins', 'other begins']);
  resting.wake();
  await settle();
  expect(events).toHaveLength(2);
  for (const task of [other, next]) task.end();
  await Promise.all([resting.done, other.done, next.done]);
  expect(events.slice(2)).toEqual(['other ends', 'resting ends', 'next begins', 'next ends']);
});
