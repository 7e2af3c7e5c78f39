import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gatherer } from './gather.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('names that come together are handed over once', () => {
  const handed: (readonly string[])[] = [];
  const { add } = gatherer<string>((names) => handed.push(names));
  add(['devices', 'logs']);
  add(['logs']);
  vi.advanceTimersByTime(249);
  expect(handed).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(handed).toEqual([['devices', 'logs']]);
});

test('a stream without a pause is handed over every two seconds, and its last name is not forgotten', () => {
  const handed: (readonly number[])[] = [];
  const { add } = gatherer<number>((names) => handed.push(names));
  for (let at = 0; at < 10_000; at += 100) {
    add([at]);
    vi.advanceTimersByTime(100);
  }
  vi.advanceTimersByTime(2_000);
  expect(handed.length).toBeGreaterThanOrEqual(5);
  expect(handed.length).toBeLessThanOrEqual(6);
  expect(handed.flat()).toHaveLength(100);
  expect(handed.at(-1)?.at(-1)).toBe(9_900);
});

test('what is cancelled is not handed over', () => {
  const handed: unknown[] = [];
  const { add, cancel } = gatherer<string>((names) => handed.push(names));
  add(['logs']);
  cancel();
  vi.advanceTimersByTime(10_000);
  expect(handed).toEqual([]);
});
