import { expect, test } from 'vitest';
import { CommandQueue, maxWaitingCommands } from './queue.ts';

test('CommandQueue runs a synchronous task at once and returns its value', () => {
  expect(new CommandQueue().run(() => 5)).toBe(5);
});

test('CommandQueue runs tasks one at a time in their order', async () => {
  const queue = new CommandQueue();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const ran = [
    queue.run(() => first.promise.then(() => void order.push('first'))),
    queue.run(async () => void order.push('second')),
    queue.run(() => void order.push('third')),
  ];
  await Promise.resolve();
  expect(order).toEqual([]);
  first.resolve();
  await Promise.all(ran);
  expect(order).toEqual(['first', 'second', 'third']);
  expect(queue.run(() => 'sync again')).toBe('sync again');
});

test('CommandQueue lets others run from the first wait of a task that only waits, which began in its turn', async () => {
  const queue = new CommandQueue();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const wait = async (): Promise<void> => {
    order.push('waits');
    await answer.promise;
    order.push('answered');
  };
  const ran = [queue.run(() => first.promise), queue.run(wait, true), queue.run(() => void order.push('other'))];
  await Promise.resolve();
  expect(order).toEqual([]);
  first.resolve();
  await Promise.all([ran[0], ran[2]]);
  expect(order).toEqual(['waits', 'other']);
  answer.resolve();
  await ran[1];
  expect(order).toEqual(['waits', 'other', 'answered']);
});

test('CommandQueue goes on after a task that throws or rejects', async () => {
  const queue = new CommandQueue();
  expect(() =>
    queue.run(() => {
      throw new Error('sync');
    }),
  ).toThrow('sync');
  const rejected = queue.run(() => Promise.reject(new Error('async')));
  const thrown = queue.run(() => {
    throw new Error('waiting');
  });
  const last = queue.run(() => 'last');
  await expect(rejected).rejects.toThrow('async');
  await expect(thrown).rejects.toThrow('waiting');
  await expect(last).resolves.toBe('last');
});

test('CommandQueue refuses when too many wait', async () => {
  const queue = new CommandQueue();
  const first = Promise.withResolvers<void>();
  const running = [queue.run(() => first.promise)];
  for (let count = 0; count < maxWaitingCommands; count++) running.push(queue.run(() => undefined) ?? expect.fail());
  expect(queue.run(() => undefined)).toBeUndefined();
  first.resolve();
  await Promise.all(running);
});
