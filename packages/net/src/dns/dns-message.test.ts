import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blankQuery, blankResponse, type DnsMessage, isWritable, readDns, sameName, writeDns } from './dns-message.ts';

const full: DnsMessage = {
  ...blankResponse,
  id: 0x1234,
  truncated: false,
  questions: [{ name: 'module.local', type: 'A', unicast: false }],
  answers: [
    { name: 'module.local', type: 'A', ttl: 120, flush: true, data: '10.5.6.108' },
    { name: '_http._tcp.local', type: 'PTR', ttl: 4500, flush: false, data: 'module._http._tcp.local' },
  ],
  authorities: [
    { name: 'module._http._tcp.local', type: 'SRV', ttl: 120, flush: true, data: { port: 80, target: 'module.local' } },
  ],
  additionals: [
    { name: 'module._http._tcp.local', type: 'TXT', ttl: 4500, flush: true, data: ['mac=1', 'version=2'] },
    { name: 'module.local', type: 'NSEC', ttl: 120, flush: true, data: { nextDomain: 'module.local', rrtypes: ['A'] } },
  ],
};

test('a DNS message survives being written and read', () => {
  expect(readDns(writeDns(full))).toEqual(full);
});

test('a query has the bytes of RFC 1035', () => {
  const bytes = writeDns({ ...blankQuery, id: 7, questions: [{ name: 'a.local', type: 'A' }] });
  expect(Buffer.from(bytes).toString('hex')).toBe('0007000000010000000000000161056c6f63616c0000010001');
});

test('a question that would take an answer by unicast is known by the highest bit of its class', () => {
  const bytes = Buffer.from('0000000000010000000000000161056c6f63616c0000018001', 'hex');
  expect(readDns(bytes)?.questions).toEqual([{ name: 'a.local', type: 'A', unicast: true }]);
});

test('records of other types are left out', () => {
  // An AAAA record of "a".
  const bytes = Buffer.from(
    '0000840000000001000000000161000 01c000100000078001000000000000000000000000000000001'.replace(' ', ''),
    'hex',
  );
  expect(readDns(bytes)).toMatchObject({ isResponse: true, answers: [] });
});

test('what is cut anywhere is no message', () => {
  const whole = writeDns(full);
  for (let length = 0; length < whole.length; length++) {
    expect(readDns(whole.subarray(0, length)), `${length} bytes`).toBeUndefined();
  }
});

test('random bytes never throw', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => void readDns(bytes)));
});

test('a message with a changed byte never throws', () => {
  const whole = writeDns(full);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => void readDns(whole.with(at, byte))),
    { numRuns: 1000 },
  );
});

test('a head that announces more than a datagram holds is refused at once', () => {
  const bytes = new Uint8Array(12).fill(0xff, 4);
  expect(readDns(bytes)).toBeUndefined();
});

test.each([
  ['Module.Local', 'module.local.', true],
  ['module.local', 'module2.local', false],
])('%s and %s are the same name: %s', (one, other, same) => expect(sameName(one, other)).toBe(same));

test.each([
  ['a.local', true],
  ['a..local', false],
  ['', false],
  [`${'a'.repeat(64)}.local`, false],
  [`${'ab.'.repeat(90)}local`, false],
])('%j can be written: %s', (name, writable) => expect(isWritable(name)).toBe(writable));
