// Systems that tests do not run on.
import { describe, expect, test } from 'vitest';
import { addressProblem } from './addresses.ts';
import { pingArguments, pingTime } from './ping.ts';

describe('addresses of a module', () => {
  const loopback = { lo0: [{ address: '127.0.0.1' }] } as unknown as Parameters<typeof addressProblem>[2];

  test.each([
    ['127.0.0.2', 'linux'],
    ['127.0.0.2', 'win32'],
    ['127.0.0.1', 'darwin'],
    ['192.168.1.4', 'darwin'],
    ['0.0.0.0', 'darwin'],
  ] as const)('%s is none of our business on %s', (ip, platform) => {
    expect(addressProblem(ip, platform, loopback)).toBeUndefined();
  });

  test('a second one of the loopback range is refused where there is one alone, unless it has been added', () => {
    expect(addressProblem('127.0.0.2', 'darwin', loopback)).toBe(
      "Address 127.0.0.2 is not one of this machine's; modules of darwin share 127.0.0.1 and have a --port-offset each",
    );
    const added = { lo0: [{ address: '127.0.0.2' }] } as unknown as typeof loopback;
    expect(addressProblem('127.0.0.2', 'darwin', added)).toBeUndefined();
  });
});

test.each([
  ['linux', ['-n', '-c', '1', '-W', '2', '10.0.0.1']],
  ['darwin', ['-n', '-c', '1', '-W', '1500', '10.0.0.1']],
  ['win32', ['-n', '1', '-w', '1500', '10.0.0.1']],
] as const)('ping of %s has its own arguments', (platform, args) => {
  expect(pingArguments('10.0.0.1', 1_500, platform)).toEqual(args);
});

test.each([
  ['64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.042 ms', 0.042],
  ['Reply from 10.0.0.1: bytes=32 time<1ms TTL=128', 1],
  ['Antwort von 10.0.0.1: Bytes=32 Zeit=12ms TTL=128', 12],
  ['Request timed out.', undefined],
])('the time in "%s" is %s ms', (output, time) => expect(pingTime(output)).toBe(time));
