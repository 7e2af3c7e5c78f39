import { expect, test } from 'vitest';
import { inBatches, type JobFailure } from './batches.ts';

const items = Array.from({ length: 25 }, (_, i) => ({ name: `item ${i}` }));

test('batches are done some at once, and each reports progress', async () => {
  const sizes: number[] = [];
  const reported: number[] = [];
  let running = 0;
  let most = 0;
  const work = async (batch: readonly unknown[]): Promise<JobFailure[]> => {
    running += 1;
    most = Math.max(most, running);
    sizes.push(batch.length);
    await Promise.resolve();
    running -= 1;
    return [];
  };
  await inBatches(items, 10, work, (done) => void reported.push(done), new AbortController().signal);
  expect(sizes).toEqual([10, 10, 5]);
  expect(most).toBe(2);
  expect(reported.at(0)).toBe(0);
  expect(reported.at(-1)).toBe(25);
});

test('a batch that fails as a whole is a failure of each of its items, and the others go on', async () => {
  const failures: JobFailure[] = [];
  const work = async (batch: readonly { name: string }[]): Promise<JobFailure[]> => {
    if (batch.some(({ name }) => name === 'item 3')) throw new Error('no way');
    return batch.filter(({ name }) => name === 'item 24').map(({ name }) => ({ name, message: 'not this' }));
  };
  await inBatches(items, 10, work, (_, __, failed = []) => void failures.push(...failed), new AbortController().signal);
  expect(failures).toHaveLength(11);
  expect(failures).toContainEqual({ name: 'item 3', message: 'no way' });
  expect(failures).toContainEqual({ name: 'item 24', message: 'not this' });
});

test('what is cancelled ends after the batches under way', async () => {
  const controller = new AbortController();
  let done = 0;
  const work = async (): Promise<JobFailure[]> => {
    controller.abort();
    return [];
  };
  const reported = (count: number): void => {
    done = count;
  };
  await inBatches(items, 5, work, reported, controller.signal);
  expect(done).toBeLessThanOrEqual(10);
});
