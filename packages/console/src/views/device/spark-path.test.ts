import { expect, test } from 'vitest';
import { sparkPath } from './spark-path.ts';

const size = { width: 104, height: 24 };
const records = (...values: (number | string)[]) => values.map((value, index) => ({ at: String(index * 1000), value }));

test.each([
  ['no samples', records()],
  ['one sample', records(1)],
  ['texts', records('calm', 'rough')],
])('%s have no line', (_, given) => {
  expect(sparkPath(given, size)).toBe('');
});

test('a line goes from edge to edge, the highest value on top', () => {
  expect(sparkPath(records(0, 10, 5), size)).toBe('M2.0 22.0L52.0 2.0L102.0 12.0');
});

test('a value that does not change is a line in the middle', () => {
  expect(sparkPath(records(7, 7), size)).toBe('M2.0 12.0L102.0 12.0');
});

test('of many samples some are left out, the last one never', () => {
  const path = sparkPath(records(...Array.from({ length: 1_000 }, (_, index) => index)), size);
  expect(path.split('L').length).toBeLessThanOrEqual(120);
  expect(path.endsWith('102.0 2.0')).toBe(true);
});
