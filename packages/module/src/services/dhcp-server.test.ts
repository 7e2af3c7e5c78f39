import { VirtualClock } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { discover } from '../testing/dhcp-client.ts';
import { Stations } from '../wlan/stations.ts';
import type { DhcpRequest } from './dhcp-packet.ts';
import { DhcpPool } from './dhcp-pool.ts';
import { DhcpServer } from './dhcp-server.ts';

const one = '02:00:00:00:00:01';
const two = '02:00:00:00:00:02';
const three = '02:00:00:00:00:03';
const serverIp = '10.10.10.1';

function serverRig(maxClients = 2) {
  const clock = new VirtualClock();
  const said: string[] = [];
  const stations = new Stations({
    clock,
    limit: () => maxClients,
    idleMs: () => 7_000,
    joined: (mac) => said.push(`+${mac}`),
    left: (mac) => said.push(`-${mac}`),
  });
  const server = new DhcpServer({ clock, stations, serverIp, maxClients });
  const ask = (changes: Partial<DhcpRequest> & { readonly mac: string }): string => {
    const reply = server.answer({ ...discover(changes.mac), ...changes });
    return reply ? `${reply.type} ${reply.ip ?? ''}`.trim() : 'silence';
  };
  /** The whole exchange of a client that takes what it is offered. */
  const lease = (mac: string): string => {
    const offered = server.answer(discover(mac))?.ip;
    return offered === undefined ? 'silence' : ask({ mac, type: 'request', serverIp, requestedIp: offered });
  };
  return { ask, clock, lease, said, server, stations };
}

// MOD-RULE-dhcp-server
describe('DHCP server', () => {
  test('gives a client an address and the station is in', () => {
    const { lease, said, stations } = serverRig();
    expect(lease(one)).toBe('ack 10.10.10.2');
    expect(said).toEqual([`+${one}`]);
    expect(stations.list()).toEqual([{ mac: one, ip: '10.10.10.2' }]);
  });

  test('an offer alone lets no client in', () => {
    const { ask, said } = serverRig();
    expect(ask({ mac: one })).toBe('offer 10.10.10.2');
    expect(said).toEqual([]);
  });

  test('gives the same client the same address again', () => {
    const { lease } = serverRig();
    expect([lease(one), lease(two), lease(one)]).toEqual(['ack 10.10.10.2', 'ack 10.10.10.3', 'ack 10.10.10.2']);
  });

  test('gives a client the address that it would like, when that is free', () => {
    const { ask, lease } = serverRig();
    expect(ask({ mac: one, requestedIp: '10.10.10.9' })).toBe('offer 10.10.10.9');
    expect(ask({ mac: two, requestedIp: '10.10.10.9' })).toBe('offer 10.10.10.2');
    expect(ask({ mac: three, requestedIp: '192.168.0.9' })).toBe('offer 10.10.10.3');
    expect(lease(one)).toBe('ack 10.10.10.9');
  });

  test('is silent when as many stations are in as may be', () => {
    const { lease, ask } = serverRig(1);
    lease(one);
    expect(lease(two)).toBe('silence');
    expect(ask({ mac: two, type: 'request', requestedIp: '10.10.10.5' })).toBe('silence');
  });

  test.each([
    ['an address that another client has', '10.10.10.2'],
    ['an address outside the pool', '10.10.10.200'],
    ['the address of the module', serverIp],
    ['an address of another network', '192.168.1.5'],
  ])('refuses %s', (_, requestedIp) => {
    const { ask, lease } = serverRig();
    lease(one);
    expect(ask({ mac: two, type: 'request', requestedIp })).toBe('nak');
  });

  test('leaves a client alone that has chosen another server', () => {
    const { ask } = serverRig();
    expect(ask({ mac: one, type: 'request', serverIp: '10.10.10.99', requestedIp: '10.10.10.2' })).toBe('silence');
  });

  test('renews a lease for a client that has its address', async () => {
    const { ask, clock, lease, said } = serverRig();
    lease(one);
    await clock.advance(3_000_000);
    expect(ask({ mac: one, type: 'request', clientIp: '10.10.10.2' })).toBe('ack 10.10.10.2');
    await clock.advance(3_000_000);
    expect(said).toEqual([`+${one}`]);
  });

  test('a station whose lease runs out has gone', async () => {
    const { clock, lease, said } = serverRig();
    lease(one);
    await clock.advance(3_600_000);
    expect(said).toEqual([`+${one}`, `-${one}`]);
    expect(lease(two)).toBe('ack 10.10.10.2');
  });

  test('a client that gives its address back has gone', () => {
    const { ask, clock, lease, said } = serverRig();
    lease(one);
    ask({ mac: two, type: 'release', clientIp: '10.10.10.2' });
    expect(said).toEqual([`+${one}`]);
    expect(ask({ mac: one, type: 'release', clientIp: '10.10.10.2' })).toBe('silence');
    expect(said).toEqual([`+${one}`, `-${one}`]);
    expect(clock.pending).toBe(0);
  });

  test('an address that a client has found in use is left alone for a while', async () => {
    const { ask, clock, lease } = serverRig();
    lease(one);
    expect(ask({ mac: one, type: 'decline', requestedIp: '10.10.10.2' })).toBe('silence');
    expect(lease(one)).toBe('ack 10.10.10.3');
    await clock.advance(600_000);
    expect(lease(two)).toBe('ack 10.10.10.2');
  });

  test('gives a client that has an address of its own the other settings', () => {
    const { server } = serverRig();
    const reply = server.answer({ ...discover(one), type: 'inform', clientIp: '10.10.10.50' });
    expect(reply).toMatchObject({ type: 'ack', netmask: '255.255.255.0' });
    expect(reply).not.toHaveProperty('ip');
    expect(reply).not.toHaveProperty('leaseSeconds');
  });

  test.each(['offer', 'ack', 'nak'] as const)('has nothing to say to another server’s %s', (type) => {
    expect(serverRig().ask({ mac: one, type })).toBe('silence');
  });
});

describe('pool of addresses', () => {
  test('keeps what it has offered for a minute, and gives out all that it has', () => {
    const pool = new DhcpPool({ serverIp: '10.10.10.3', size: 3, leaseMs: 1000 });
    // The module's own address is not given away.
    expect(['a', 'b', 'c', 'd'].map((mac) => pool.offer(mac, undefined, 0))).toEqual([
      '10.10.10.2',
      '10.10.10.4',
      '10.10.10.5',
      undefined,
    ]);
    expect(pool.offer('d', undefined, 60_000)).toBe('10.10.10.2');
  });

  test('lets a client have one address only', () => {
    const pool = new DhcpPool({ serverIp, size: 3, leaseMs: 1000 });
    expect(pool.take('a', '10.10.10.2', 0)).toBe(true);
    expect(pool.take('a', '10.10.10.3', 0)).toBe(true);
    expect(pool.take('b', '10.10.10.2', 0)).toBe(true);
  });
});
