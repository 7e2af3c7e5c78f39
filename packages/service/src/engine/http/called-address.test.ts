import { expect, it } from 'vitest';
import { calledAddress } from './called-address.ts';

const inside = { deviceInsecure: false, deviceUrl: undefined };

it.each([
  ['hub.local:8443', inside, 'https://hub.local:8443'],
  ['hub.local:8443', { ...inside, deviceInsecure: true }, 'http://hub.local:8443'],
  ['10.0.0.7:18443', { ...inside, deviceUrl: 'https://hub.example' }, 'https://hub.example'],
  // Behind a proxy without TLS of its own the links have that of the outside.
  [undefined, { deviceInsecure: true, deviceUrl: 'https://hub.example' }, 'https://hub.example'],
])('files for who calls %s with %j are at %s', (host, settings, address) => {
  expect(calledAddress({ host }, settings)).toEqual({ ok: true, value: address });
});

it.each([undefined, 'a b', 'x/y', 'user@hub'])('a host %s is refused without an outside address', (host) => {
  expect(calledAddress({ host }, inside).ok).toBe(false);
});
