import { ignoreFailure, unwrap } from '@moorage/base';
import type { Datagram } from '@moorage/net';
import {
  blankQuery,
  blankResponse,
  type DnsMessage,
  type DnsRecord,
  readDns,
  writeDns,
} from '@moorage/net/dns/dns-message';
import { mdnsGroup, mdnsPort } from '@moorage/net/dns/mdns-browser';
import { describe, expect, test } from 'vitest';
import { moduleIp, type NetworkRig, networkRig, type Peer } from '../testing/network-rig.ts';
import { llmnrGroup, llmnrPort } from './llmnr.ts';
import { serviceClaims } from './mdns.ts';
import { netbiosPort } from './netbios.ts';
import { encodeName } from './netbios-packet.ts';

/** Longer than a claim of the name takes: its random beginning and three probes. */
const claimMs = 1000;
const mdns = { port: mdnsPort, group: mdnsGroup };

async function rigWith(...commands: readonly string[]): Promise<NetworkRig> {
  const rig = await networkRig();
  await rig.runAll(
    'set mdns.name harbour',
    'set mdns.enabled 1',
    'set ntp.enabled 0',
    'set broadcast.interval 0',
    ...commands,
  );
  return rig;
}

/** Everything that a peer has heard of a kind, as texts. */
const messages = (peer: Peer): readonly DnsMessage[] => peer.received.flatMap(({ bytes }) => readDns(bytes) ?? []);
const answers = (peer: Peer): readonly string[] =>
  messages(peer).flatMap((message) =>
    message.isResponse ? message.answers.map(({ type, name, ttl }) => `${type} ${name} ${ttl}`) : [],
  );
const query = (name: string, type: string): Uint8Array => writeDns({ ...blankQuery, questions: [{ name, type }] });
const ask = (peer: Peer, name: string, type: string) => peer.socket.send(query(name, type), mdnsGroup, mdnsPort);

const address = (name: string, data: string): DnsRecord => ({ name, type: 'A', ttl: 120, flush: true, data });
/** A host that has a name already, and says so when it is asked. */
const holder =
  (name: string, ip: string) =>
  ({ bytes }: Datagram, socket: Peer['socket']): void => {
    const isQueried = readDns(bytes)?.questions.some((question) => question.name === name);
    if (isQueried)
      ignoreFailure(socket.send(writeDns({ ...blankResponse, answers: [address(name, ip)] }), mdnsGroup, mdnsPort));
  };

// MOD-RULE-mdns, MOD-VAR-mdns.enabled, MOD-VAR-mdns.name
describe('mDNS', () => {
  test('claims the name before the join is done, and says so in the order of the join', async () => {
    const rig = await rigWith();
    const peer = await rig.peer('10.5.6.20', mdns);
    await rig.join(claimMs);
    expect(rig.said()).toEqual([
      '[Associating to harbour-open]',
      'Security type from probe: Open',
      'Obtaining IPv4 address via DHCP',
      `IPv4 address: ${moduleIp}`,
      'Starting mDNS',
      'mDNS domain: harbour.local',
      '[Associated]',
    ]);
    expect(messages(peer).filter(({ isResponse }) => !isResponse)).toHaveLength(3);
    expect(answers(peer)).toEqual(['A harbour.local 120']);
    await rig.pass(1000);
    expect(answers(peer)).toEqual(['A harbour.local 120', 'A harbour.local 120']);
  });

  test('is silent when it is off, and on another interface', async () => {
    for (const command of ['set mdns.enabled 0', 'set mdns.interface softap', 'set mdns.name .']) {
      const rig = await rigWith(command);
      const peer = await rig.peer('10.5.6.20', mdns);
      await rig.join(claimMs);
      expect(rig.said().at(-1)).toBe('[Associated]');
      expect(peer.received).toEqual([]);
    }
  });

  // MOD-VAR-mdns.interface
  test('runs on the interface that its variable names', async () => {
    const rig = await rigWith('set mdns.interface softap');
    const starting = rig.run('network_up -i softap');
    await rig.pass(claimMs);
    expect(await starting).toBe('0 Success');
    expect(rig.said()).toContain('mDNS domain: harbour.local');
  });

  test('takes the next number when another host has the name', async () => {
    const rig = await rigWith();
    await rig.peer('10.5.6.20', mdns, holder('harbour.local', '10.5.6.20'));
    await rig.peer('10.5.6.21', mdns, holder('harbour-2.local', '10.5.6.21'));
    await rig.join(3 * claimMs);
    expect(rig.said().slice(-2)).toEqual(['mDNS domain: harbour-3.local', '[Associated]']);
  });

  test('gives way to a higher address that asks for the name at the same time', async () => {
    const rig = await rigWith();
    let rival = false;
    // Wins the first time, and has the name by the second.
    const peer = await rig.peer('10.5.6.200', mdns, ({ bytes, address: from }, socket) => {
      const probe = readDns(bytes);
      if (from !== moduleIp || probe?.questions[0]?.name !== 'harbour.local') return;
      const own = [address('harbour.local', '10.5.6.200')];
      const reply = rival
        ? { ...blankResponse, answers: own }
        : { ...blankQuery, questions: probe.questions, authorities: own };
      rival = true;
      ignoreFailure(socket.send(writeDns(reply), mdnsGroup, mdnsPort));
    });
    await rig.join(claimMs);
    expect(rig.said()).not.toContain('[Associated]');
    await rig.pass(3 * claimMs);
    expect(rig.said()).toContain('mDNS domain: harbour-2.local');
    expect(peer.received.length).toBeGreaterThan(4);
  });

  test('looks for another name when another host takes its own later', async () => {
    const rig = await rigWith();
    await rig.join(claimMs);
    rig.said();
    await rig.peer('10.5.6.20', mdns, holder('harbour.local', '10.5.6.20'));
    const peer = await rig.peer('10.5.6.21', mdns);
    unwrap(
      await peer.socket.send(
        writeDns({ ...blankResponse, answers: [address('harbour.local', '10.5.6.20')] }),
        mdnsGroup,
        mdnsPort,
      ),
    );
    await rig.pass(3 * claimMs);
    expect(rig.said()).toEqual(['mDNS domain: harbour-2.local']);
  });

  test('answers to all, and to him alone who knows only plain DNS', async () => {
    const rig = await rigWith('set mdns.service http', 'set http.server.port 8081');
    await rig.join(2 * claimMs);
    const peer = await rig.peer('10.5.6.20', mdns);
    const plain = await rig.peer('10.5.6.21', { port: 0 });
    unwrap(await ask(peer, 'harbour.local', 'A'));
    await rig.pass(0);
    expect(answers(peer)).toEqual(['A harbour.local 120']);
    expect(plain.received).toEqual([]);
    unwrap(await ask(plain, 'harbour._http._tcp.local', 'SRV'));
    await rig.pass(0);
    expect(messages(plain)).toMatchObject([
      { answers: [{ type: 'SRV', ttl: 10, data: { port: 8081, target: 'harbour.local' } }] },
    ]);
    expect(answers(peer)).toHaveLength(1);
  });

  test('shared answers wait a little, for others to give theirs', async () => {
    const rig = await rigWith('set mdns.service http');
    await rig.join(3 * claimMs);
    const peer = await rig.peer('10.5.6.20', mdns);
    unwrap(await ask(peer, '_http._tcp.local', 'PTR'));
    await rig.pass(19);
    expect(answers(peer)).toEqual([]);
    await rig.pass(101);
    expect(answers(peer)).toEqual(['PTR _http._tcp.local 4500']);
  });

  // MOD-VAR-mdns.service
  test('announces the module’s own facts with a service', async () => {
    const rig = await rigWith('set mdns.service "http,_remote_terminal._tcp,ftp"');
    const peer = await rig.peer('10.5.6.20', mdns);
    await rig.join(claimMs);
    const { identity } = rig.module;
    const records = messages(peer).at(-1)?.answers ?? [];
    expect(records.flatMap((record) => (record.type === 'SRV' ? [record.data.port] : []))).toEqual([80, 2000, 0]);
    expect(records.find(({ type }) => type === 'TXT')?.data).toEqual([
      `mac=${identity.mac}`,
      `uuid=${identity.uuid}`,
      `version=${rig.module.versionLine}`,
    ]);
  });

  // MOD-NET-port-offset
  test('announces the ports by which others reach the module', async () => {
    const { module } = await rigWith('set mdns.service http,telnet,ftp');
    const net = { ...module.net, reachedAt: (port: number) => port + 8000 };
    expect(serviceClaims({ identity: module.identity, variables: module.variables, net })).toMatchObject([
      { type: '_http._tcp.local', port: 8080 },
      { type: '_telnet._tcp.local', port: 10_000 },
      { type: '_ftp._tcp.local', port: 0 },
    ]);
  });

  test('says goodbye when the network goes', async () => {
    const rig = await rigWith('set mdns.service http');
    const peer = await rig.peer('10.5.6.20', mdns);
    await rig.join(3 * claimMs);
    peer.received.length = 0;
    await rig.run('network_down');
    await rig.pass(0);
    expect(answers(peer)).toContain('A harbour.local 0');
    peer.received.length = 0;
    unwrap(await ask(peer, 'harbour.local', 'A'));
    await rig.pass(500);
    expect(answers(peer)).toEqual([]);
  });

  test('a network that goes during the claim ends it', async () => {
    const rig = await rigWith();
    const peer = await rig.peer('10.5.6.20', mdns);
    await rig.join(400);
    await rig.run('network_down');
    const { length } = peer.received;
    await rig.pass(5000);
    expect(rig.said().slice(-2)).toEqual(['Starting mDNS', '[Disassociated]']);
    expect(peer.received).toHaveLength(length);
    await rig.join(claimMs);
    expect(rig.said().at(-1)).toBe('[Associated]');
  });

  test('datagrams that are none of its business do no harm', async () => {
    const rig = await rigWith();
    await rig.join(2 * claimMs);
    const peer = await rig.peer('10.5.6.20', mdns);
    for (let length = 0; length < query('harbour.local', 'A').length; length++) {
      unwrap(await peer.socket.send(query('harbour.local', 'A').subarray(0, length), mdnsGroup, mdnsPort));
    }
    await rig.pass(1000);
    expect(answers(peer)).toEqual([]);
  });
});

// MOD-RULE-llmnr
describe('LLMNR', () => {
  test('answers him who asks for the name', async () => {
    const rig = await rigWith();
    await rig.join(claimMs);
    const peer = await rig.peer('10.5.6.20', { port: 0 });
    unwrap(await peer.socket.send(query('HARBOUR', 'A'), llmnrGroup, llmnrPort));
    await rig.pass(0);
    expect(messages(peer)).toMatchObject([{ answers: [{ type: 'A', data: moduleIp }] }]);
    await rig.run('network_down');
    unwrap(await peer.socket.send(query('harbour', 'A'), llmnrGroup, llmnrPort));
    await rig.pass(0);
    expect(peer.received).toHaveLength(1);
  });

  // MOD-VAR-system.string_substitution
  test.each([
    ['1', 'quay-2ee7'],
    ['0', 'quay-'],
  ])('with substitution %s a # in the name makes it %s', async (substitution, name) => {
    const rig = await rigWith('set mdns.name quay-#', `set system.string_substitution ${substitution}`);
    await rig.join(claimMs);
    const peer = await rig.peer('10.5.6.20', { port: 0 });
    unwrap(await peer.socket.send(query(name, 'A'), llmnrGroup, llmnrPort));
    await rig.pass(0);
    expect(messages(peer)).toMatchObject([{ answers: [{ type: 'A', data: moduleIp }] }]);
  });

  test('does not know names of several labels', async () => {
    const rig = await rigWith('set mdns.name har.bour');
    await rig.join(claimMs);
    const peer = await rig.peer('10.5.6.20', { port: 0 });
    unwrap(await peer.socket.send(query('har.bour', 'A'), llmnrGroup, llmnrPort));
    await rig.pass(0);
    expect(peer.received).toEqual([]);
  });
});

const netbiosQuery = (name: string, suffix = 0): Uint8Array =>
  Uint8Array.from([0, 1, 1, 0x10, 0, 1, 0, 0, 0, 0, 0, 0, ...encodeName(name, suffix), 0, 0x20, 0, 1]);

// MOD-RULE-netbios, MOD-LIMIT-netbios
describe('NetBIOS', () => {
  test.each([
    ['harbour', 'HARBOUR', 0, true],
    ['harbour', 'HARBOUR', 0x20, false],
    ['harbour', 'OTHER', 0, false],
    ['ninechars', 'NINECHARS', 0, true],
    ['tencharsss', 'TENCHARSSS', 0, false],
  ])('a module called %s answers for %s<%s>: %s', async (own, queried, suffix, answered) => {
    const rig = await rigWith(`set mdns.name ${own}`);
    await rig.join(claimMs);
    const peer = await rig.peer('10.5.6.20', { port: 0 });
    unwrap(await peer.socket.send(netbiosQuery(queried, suffix), '10.5.6.255', netbiosPort));
    await rig.pass(0);
    expect(peer.received).toHaveLength(answered ? 1 : 0);
    if (answered) expect([...(peer.received[0]?.bytes.subarray(-4) ?? [])].join('.')).toBe(moduleIp);
  });
});

test('a service that cannot have its port says so and the join goes on', async () => {
  const rig = await rigWith();
  const taken = await rig.module.net.datagrams({ port: netbiosPort }, () => {});
  expect(taken.ok).toBe(true);
  await rig.join(claimMs);
  expect(rig.said().slice(-2)).toEqual(['NetBIOS not started: Local port in use', '[Associated]']);
});
