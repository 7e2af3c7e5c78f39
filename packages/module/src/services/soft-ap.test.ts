import { unwrap } from '@moorage/base';
import { blankQuery, readDns, writeDns } from '@moorage/net/dns/dns-message';
import { describe, expect, test } from 'vitest';
import type { ModuleOptions } from '../module.ts';
import { dhcpBytes, discover, readDhcpAnswer } from '../testing/dhcp-client.ts';
import { moduleIp, networkRig } from '../testing/network-rig.ts';
import { defaultAir } from '../wlan/air.ts';
import type { DhcpRequest } from './dhcp-packet.ts';
import { dhcpServerPort } from './dhcp-server.ts';
import { dnsPort } from './dns-server.ts';

const one = '02:00:00:00:00:01';
const two = '02:00:00:00:00:02';
const head = '! # MAC Address       IP Address';

/** A module whose soft AP is up, and a host on it. */
async function apRig(commands: readonly string[] = [], options: Partial<ModuleOptions> = {}) {
  const rig = await networkRig(options);
  await rig.runAll('set ntp.enabled 0', 'set broadcast.interval 0', ...commands, 'network_up -i softap');
  rig.said();
  const peer = await rig.peer('10.5.6.50', { port: 68 });
  const dhcp = async (request: Partial<DhcpRequest> & { readonly mac: string }) => {
    peer.received.length = 0;
    unwrap(
      await peer.socket.send(dhcpBytes({ ...discover(request.mac), ...request }), '255.255.255.255', dhcpServerPort),
    );
    await rig.pass(0);
    return peer.received.map(({ bytes }) => readDhcpAnswer(bytes))[0];
  };
  const lease = async (mac: string): Promise<string | undefined> => {
    const offer = await dhcp({ mac });
    if (!offer) return undefined;
    return (await dhcp({ mac, type: 'request', serverIp: '10.10.10.1', requestedIp: offer.ip }))?.ip;
  };
  return { ...rig, dhcp, lease, peer };
}

// MOD-RULE-dhcp-server, MOD-VAR-softap.dhcp_server.enabled
describe('DHCP on the soft AP', () => {
  test('lets a client in with its lease, and prints a notice', async () => {
    const { dhcp, lease, run, said } = await apRig();
    expect(await lease(one)).toBe('10.10.10.2');
    expect(said()).toEqual([`[Associated: ${one}]`]);
    // MOD-VAR-softap.client_list, MOD-VAR-softap.info
    expect(await run('get softap.client_list')).toBe(`0 ${head}\r\n# 0 ${one} 10.10.10.2`);
    expect(await run('get softap.info')).toContain('Clients: 1');
    await dhcp({ mac: one, type: 'release', clientIp: '10.10.10.2' });
    expect(said()).toEqual([`[Disassociated: ${one}]`]);
    expect(await run('get softap.client_list')).toBe(`0 ${head}`);
  });

  test('has the address of the soft AP in its answers', async () => {
    const { dhcp } = await apRig(['set softap.static.ip 192.168.7.1']);
    const offer = await dhcp({ mac: one });
    expect(offer?.ip).toBe('192.168.7.2');
    expect([offer?.options.get(3), offer?.options.get(6), offer?.options.get(54)]).toEqual(Array(3).fill('c0a80701'));
  });

  // MOD-VAR-softap.max_clients
  test('lets in no more than may be', async () => {
    const { lease, run, said } = await apRig(['set softap.max_clients 1']);
    expect([await lease(one), await lease(two)]).toEqual(['10.10.10.2', undefined]);
    expect(said()).toEqual([`[Associated: ${one}]`]);
    await run('set softap.max_clients 2');
    expect(await lease(two)).toBe('10.10.10.3');
  });

  test('is silent when it is off, or the soft AP is down', async () => {
    const off = await apRig(['set softap.dhcp_server.enabled 0']);
    expect(await off.lease(one)).toBeUndefined();
    const down = await apRig();
    await down.run('network_down -i softap');
    expect(await down.lease(one)).toBeUndefined();
  });

  test('stations go with the soft AP, and nothing is left of them', async () => {
    const { clock, lease, run, said } = await apRig();
    await lease(one);
    said();
    await run('network_down -i softap');
    await clock.advance(0);
    expect(said()).toEqual([]);
    expect(clock.pending).toBe(0);
    expect(await run('network_restart -i softap')).toBe('0 Success');
    expect(await run('get softap.client_list')).toBe(`0 ${head}`);
  });

  test('comes up again at once with the same port', async () => {
    const { lease, run, said } = await apRig();
    expect(await run('network_restart -i softap')).toBe('0 Success');
    expect(said()).toEqual(['IPv4 address: 10.10.10.1']);
    expect(await lease(one)).toBe('10.10.10.2');
  });

  test('packets that are none of its business do no harm', async () => {
    const { lease, peer, pass } = await apRig();
    const whole = dhcpBytes(discover(one));
    for (let length = 0; length < whole.length; length += 7) {
      unwrap(await peer.socket.send(whole.subarray(0, length), moduleIp, dhcpServerPort));
    }
    await pass(0);
    expect(peer.received).toEqual([]);
    expect(await lease(one)).toBe('10.10.10.2');
  });
});

// MOD-VAR-softap.dns_server.enabled, MOD-VAR-softap.dns_server.url
describe('DNS on the soft AP', () => {
  const ask = async (commands: readonly string[], name: string) => {
    const { pass, peer } = await apRig(commands);
    unwrap(
      await peer.socket.send(writeDns({ ...blankQuery, id: 3, questions: [{ name, type: 'A' }] }), moduleIp, dnsPort),
    );
    await pass(0);
    return peer.received[0] && readDns(peer.received[0].bytes);
  };

  test('knows the names of its variable', async () => {
    expect(await ask(['set softap.dns_server.url "a.example,b.example"'], 'B.example')).toMatchObject({
      id: 3,
      answers: [{ data: '10.10.10.1' }],
    });
  });

  test('does not know others', async () => expect(await ask([], 'example.com')).toMatchObject({ rcode: 3 }));

  test('is silent when it is off', async () => {
    expect(await ask(['set softap.dns_server.enabled 0'], 'module.local')).toBeUndefined();
  });
});

describe('stations of the air', () => {
  const withStations = (...stations: NonNullable<NonNullable<ModuleOptions['air']>['stations']>) => ({
    air: { ...defaultAir, stations },
  });

  test('come in their time and have an address', async () => {
    const { pass, run, said } = await apRig([], withStations({ mac: one }, { mac: two, joinsAfterMs: 500 }));
    await pass(0);
    expect(said()).toEqual([`[Associated: ${one}]`]);
    await pass(500);
    expect(said()).toEqual([`[Associated: ${two}]`]);
    expect(await run('get softap.client_list')).toBe(`0 ${head}\r\n# 0 ${one} 10.10.10.2\r\n# 1 ${two} 10.10.10.3`);
  });

  // MOD-VAR-softap.passkey
  test('need the key of the network', async () => {
    const air = withStations({ mac: one, passkey: 'harbour!' }, { mac: two, passkey: 'moorings' });
    const { pass, run, said } = await apRig(['set softap.passkey moorings'], air);
    await pass(0);
    expect(said()).toEqual([`[Associated: ${two}]`]);
    expect(await run('get softap.info')).toContain('Security: WPA2-AES');
  });

  // MOD-VAR-softap.idle_timeout
  test('are dropped when they have been silent for long enough', async () => {
    const { pass, said } = await apRig(
      ['set softap.idle_timeout 10'],
      withStations({ mac: one, silentAfterMs: 1_000 }),
    );
    await pass(10_999);
    expect(said()).toEqual([`[Associated: ${one}]`]);
    await pass(2);
    expect(said()).toEqual([`[Disassociated: ${one}]`]);
  });

  test('stay when they answer again, or when silence is ignored', async () => {
    const received = await apRig([], withStations({ mac: one, silentAfterMs: 1_000 }));
    await received.pass(2_000);
    await received.lease(one);
    await received.pass(60_000);
    expect(received.said()).toEqual([`[Associated: ${one}]`]);
    const patient = await apRig(['set softap.idle_timeout 0'], withStations({ mac: one, silentAfterMs: 1_000 }));
    await patient.pass(1_000_000);
    expect(patient.said()).toEqual([`[Associated: ${one}]`]);
  });

  test('have no address without a DHCP server', async () => {
    const { pass, run } = await apRig(['set softap.dhcp_server.enabled 0'], withStations({ mac: one }));
    await pass(0);
    expect(await run('get softap.client_list')).toBe(`0 ${head}\r\n# 0 ${one} 0.0.0.0`);
  });
});
