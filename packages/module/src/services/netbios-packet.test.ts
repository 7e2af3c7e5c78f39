import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNetbiosName } from './netbios.ts';
import { encodeName, netbiosAnswer, readNetbiosQuery } from './netbios-packet.ts';

/** Asks for HARBOUR<00>, as `nmblookup` does: recursion desired, broadcast. */
const query = Uint8Array.from([
  ...[0x12, 0x34, 0x01, 0x10, 0, 1, 0, 0, 0, 0, 0, 0],
  ...encodeName('harbour', 0),
  ...[0, 0x20, 0, 1],
]);

// MOD-RULE-netbios
test('a name is written as RFC 1001 has it', () => {
  expect(Buffer.from(encodeName('FRED', 0x20)).toString('latin1')).toBe('\x20EGFCEFEECACACACACACACACACACACACA\x00');
});

test('a name query is read', () => {
  expect(readNetbiosQuery(query)).toEqual({ id: 0x1234, name: 'HARBOUR', suffix: 0 });
});

test('the answer names the address', () => {
  const answer = netbiosAnswer({ id: 0x1234, name: 'HARBOUR', suffix: 0 }, '10.5.6.108');
  expect(Buffer.from(answer).toString('hex')).toBe(
    `1234850000000001000000002045494542464345434550464646434341434143414341434143414341434141410000200001${'00000078'}00060000${'0a05066c'}`,
  );
});

test.each([
  ['a response', query.with(2, 0x85)],
  ['another opcode', query.with(2, 0x28)],
  ['no question', query.with(5, 0)],
  ['a node status', query.with(47, 0x21)],
  ['another class', query.with(49, 3)],
  ['a name of another length', query.with(12, 0x1f)],
  ['a letter out of range', query.with(13, 0x51)],
  ['a name with a scope', query.with(45, 3)],
])('%s is no name query', (_, bytes) => expect(readNetbiosQuery(bytes)).toBeUndefined());

test('a query that is cut anywhere is none', () => {
  for (let length = 0; length < query.length; length++) {
    expect(readNetbiosQuery(query.subarray(0, length))).toBeUndefined();
  }
});

test('random bytes never throw', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => void readNetbiosQuery(bytes)));
  fc.assert(
    fc.property(fc.nat(query.length - 1), fc.nat(255), (at, byte) => void readNetbiosQuery(query.with(at, byte))),
  );
});

// MOD-LIMIT-netbios
test.each([
  ['', false],
  ['a', true],
  ['ninechars', true],
  ['tencharsss', false],
  ['a.b', false],
])('the name %j has at most 15 characters with .local and one label: %s', (name, fits) =>
  expect(isNetbiosName(name)).toBe(fits),
);
