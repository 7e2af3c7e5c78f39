import { expect, test } from 'vitest';
import { isLoopback } from './addresses.ts';

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['127.example.com', false],
  ['', false],
  [undefined, false],
])('isLoopback of %j is %j', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});
