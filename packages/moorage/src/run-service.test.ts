import { isLoopbackHost } from '@moorage/service/core/setting-texts';
import { expect, it } from 'vitest';

it.each([
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.9', false],
  // Names, which may stand for any address.
  ['127.example.com', false],
  ['localhost.example.com', false],
])('host "%s" stays on the machine: %s', (host, stays) => {
  expect(isLoopbackHost(host)).toBe(stays);
});
