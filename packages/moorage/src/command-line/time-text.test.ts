import { expect, test } from 'vitest';
import { timeText } from './time-text.ts';

test.each([
  ['day', '2025-01-31'],
  ['minute', '2025-01-31 12:00'],
  ['second', '2025-01-31 12:00:59'],
] as const)('a moment is shown down to its %s, in UTC', (to, text) => {
  expect(timeText(Date.UTC(2025, 0, 31, 12, 0, 59, 999), to)).toBe(text);
  expect(timeText(String(Date.UTC(2025, 0, 31, 12, 0, 59)), to)).toBe(text);
});
