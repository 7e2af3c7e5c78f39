import { expect, test } from 'vitest';
import { shareText } from './share.ts';

test.each([
  [0, 10, '0 %'],
  [1, 3, '33 %'],
  [10, 10, '100 %'],
  [1, 100_000, '< 1 %'],
  [99_999, 100_000, '> 99 %'],
])('%d of %d is %s', (part, whole, text) => {
  expect(shareText(part, whole)).toBe(text);
});
