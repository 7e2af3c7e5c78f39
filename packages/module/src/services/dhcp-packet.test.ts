import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dhcpBytes, discover } from '../testing/dhcp-client.ts';
import { readDhcp, writeDhcp } from './dhcp-packet.ts';

const request = {
  type: 'discover',
  transaction: 0xdeadbeef,
  flags: 0x8000,
  clientIp: '0.0.0.0',
  relayIp: '0.0.0.0',
  mac: '02:00:00:AA:BB:CC',
  requestedIp: '10.10.10.7',
  serverIp: undefined,
} as const;

// MOD-RULE-dhcp-server
test('a discovery is read', () => {
  const bytes = dhcpBytes({
    ...discover('02:00:00:AA:BB:CC'),
    transaction: 0xdeadbeef,
    flags: 0x8000,
    requestedIp: '10.10.10.7',
  });
  expect(readDhcp(bytes)).toEqual(request);
});

test('an offer has the options of a lease, byte by byte', () => {
  const serverIp = '10.10.10.1';
  const bytes = writeDhcp({
    type: 'offer',
    to: request,
    serverIp,
    ip: '10.10.10.7',
    netmask: '255.255.255.0',
    leaseSeconds: 3600,
  });
  const hex = Buffer.from(bytes).toString('hex');
  expect(hex.slice(0, 56)).toBe('02010600deadbeef00008000000000000a0a0a070a0a0a0100000000');
  expect(hex.slice(56, 88)).toBe('020000aabbcc00000000000000000000');
  expect(hex.slice(472, 480)).toBe('63825363');
  expect(hex.slice(480).replace(/(00)+$/, '')).toBe(
    '350102' + // Message type.
      '36040a0a0a01' + // Server.
      '330400000e10' + // Lease of an hour, renewed after half of it, rebound after seven eighths.
      '3a0400000708' +
      '3b0400000c4e' +
      '0104ffffff00' + // Mask.
      '03040a0a0a01' + // Router.
      '06040a0a0a01' + // Name server.
      'ff',
  );
  expect(bytes.length).toBe(300);
});

test('a refusal gives no address', () => {
  const bytes = Buffer.from(writeDhcp({ type: 'nak', to: request, serverIp: '10.10.10.1' }));
  expect(bytes.subarray(12, 24).every((byte) => byte === 0)).toBe(true);
  expect(bytes.subarray(240, 250).toString('hex')).toBe('35010636040a0a0a01ff');
});

const whole = dhcpBytes({ ...discover('02:00:00:AA:BB:CC'), requestedIp: '10.10.10.7' });

test.each([
  ['a reply', whole.with(0, 2)],
  ['another kind of hardware', whole.with(1, 6)],
  ['a hardware address of another length', whole.with(2, 16)],
  ['another cookie', whole.with(239, 0)],
  ['no message type', whole.with(240, 60)],
  ['a message type of two bytes', whole.with(241, 2)],
  ['a message type that there is none', whole.with(242, 99)],
  ['an option beyond the end', whole.with(whole.length - 6, 200)],
])('%s is no request', (_, bytes) => expect(readDhcp(bytes)).toBeUndefined());

test('a request that is cut before its message type is none, and later never throws', () => {
  for (let length = 0; length < whole.length; length++) {
    const read = readDhcp(whole.subarray(0, length));
    if (length < 243) expect(read, `${length} bytes`).toBeUndefined();
  }
});

test('random bytes never throw', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void readDhcp(bytes)));
  const options = fc.uint8Array({ maxLength: 80 });
  fc.assert(fc.property(options, (tail) => void readDhcp(Uint8Array.from([...whole.subarray(0, 240), ...tail]))));
});
