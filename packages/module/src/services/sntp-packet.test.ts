import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stampOf } from '../testing/ntp-stamp.ts';
import { epochOf, readSntpReply, sntpRequest } from './sntp-packet.ts';

const nonce = 0x0102030405060708n;
const atMs = Date.UTC(2024, 5, 1, 12, 0, 0, 250);

function reply(
  changes: { first?: number; stratum?: number; origin?: bigint; sent?: bigint; code?: string } = {},
): Uint8Array {
  const bytes = new Uint8Array(48);
  const view = new DataView(bytes.buffer);
  bytes[0] = changes.first ?? 0x24;
  bytes[1] = changes.stratum ?? 2;
  bytes.set(Buffer.from(changes.code ?? 'GPS\0'), 12);
  view.setBigUint64(24, changes.origin ?? nonce);
  view.setBigUint64(32, stampOf(atMs));
  view.setBigUint64(40, changes.sent ?? stampOf(atMs + 3));
  return bytes;
}

test('a request is of a client of version 4 and carries its nonce', () => {
  expect(Buffer.from(sntpRequest(nonce)).toString('hex')).toBe(`23${'00'.repeat(39)}0102030405060708`);
});

test('a reply says when the request has come and when the reply went', () => {
  const read = readSntpReply(reply(), nonce);
  expect(read?.kind).toBe('time');
  if (read?.kind !== 'time') return;
  expect(Math.abs(read.receivedMs - atMs)).toBeLessThanOrEqual(1);
  expect(Math.abs(read.sentMs - atMs - 3)).toBeLessThanOrEqual(1);
});

test('a kiss of death has its code', () => {
  expect(readSntpReply(reply({ stratum: 0, code: 'RATE' }), nonce)).toEqual({ kind: 'kiss', code: 'RATE' });
});

test.each([
  ['another nonce', reply({ origin: nonce + 1n })],
  ['a server that is not synchronised', reply({ first: 0xe4 })],
  ['stratum 16', reply({ stratum: 16 })],
  ['no time', reply({ sent: 0n })],
  ['a client', reply({ first: 0x23 })],
  ['a broadcast', reply({ first: 0x25 })],
  ['version 0', reply({ first: 0x04 })],
  ['version 5', reply({ first: 0x2c })],
  ['a reply that is cut', reply().subarray(0, 47)],
])('a reply of %s is not believed', (_, bytes) => expect(readSntpReply(bytes, nonce)).toBeUndefined());

test('random bytes never throw', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => void readSntpReply(bytes, nonce)));
});

test.each([
  ['1970', 0],
  ['now', atMs],
  ['the end of the first era', Date.UTC(2036, 1, 7, 6, 28, 15)],
  ['the beginning of the second era', Date.UTC(2036, 1, 7, 6, 28, 16)],
  ['2100', Date.UTC(2100, 0, 1)],
])('a time stamp of %s survives', (_, ms) => expect(Math.abs(epochOf(stampOf(ms)) - ms)).toBeLessThanOrEqual(1));
