import { ignoreFailure } from '@moorage/base';
import { blankResponse, type DnsRecord, readDns, writeDns } from '@moorage/net/dns/dns-message';
import { mdnsGroup, mdnsPort } from '@moorage/net/dns/mdns-browser';
import { describe, expect, test } from 'vitest';
import { networkRig, type Peer } from '../testing/network-rig.ts';

const discoverMs = 3_000;
const head = '! # Name                             IP              Port';

const ptr = (name: string, data: string): DnsRecord => ({ name, type: 'PTR', ttl: 100, data });
const srv = (name: string, target: string, port: number): DnsRecord => ({
  name,
  type: 'SRV',
  ttl: 100,
  data: { port, target },
});
const a = (name: string, data: string): DnsRecord => ({ name, type: 'A', ttl: 100, data });

const list = '_services._dns-sd._udp.local';
const printer = [
  ptr(list, '_ipp._tcp.local'),
  ptr('_ipp._tcp.local', 'Printer in the hall._ipp._tcp.local'),
  srv('Printer in the hall._ipp._tcp.local', 'printer.local', 631),
  a('printer.local', '10.5.6.30'),
];
const web = [
  ptr(list, '_http._tcp.local'),
  ptr('_http._tcp.local', 'web._http._tcp.local'),
  srv('web._http._tcp.local', 'web.local', 80),
  a('web.local', '10.5.6.31'),
];

/** A module that has joined, with hosts beside it that answer each question with what they have for it. */
async function discoverRig(...hosts: readonly (readonly DnsRecord[])[]) {
  const rig = await networkRig();
  await rig.runAll('set ntp.enabled 0', 'set broadcast.interval 0', 'set mdns.enabled 1', 'set mdns.name harbour');
  const peers: Peer[] = [];
  for (const [index, records] of hosts.entries()) {
    const peer = await rig.peer(
      `10.5.6.${20 + index}`,
      { port: mdnsPort, group: mdnsGroup },
      ({ bytes, address }, socket) => {
        const questions = address === '10.5.6.108' ? (readDns(bytes)?.questions ?? []) : [];
        const answers = records.filter((record) =>
          questions.some(({ name, type }) => name === record.name && type === record.type),
        );
        if (answers.length > 0)
          ignoreFailure(socket.send(writeDns({ ...blankResponse, answers }), mdnsGroup, mdnsPort));
      },
    );
    peers.push(peer);
  }
  await rig.join(1_000);
  rig.said();
  const discover = async (line: string): Promise<string> => {
    const answer = rig.run(line);
    await rig.pass(discoverMs);
    return answer;
  };
  return { ...rig, discover, peers };
}

// MOD-CMD-mdns_discover
describe('mdns_discover', () => {
  test('lists the services of all types, asking for what it has not received', async () => {
    const { discover } = await discoverRig(printer, web);
    expect(await discover('mdns_discover')).toBe(
      [
        '0 ! 2 services found',
        head,
        '# 0 Printer in the hall              10.5.6.30       631',
        '# 1 web                              10.5.6.31       80',
      ].join('\r\n'),
    );
  });

  test.each(['http', '_http._tcp', '_http._tcp.local'])('lists services of the type %s alone', async (type) => {
    const { discover } = await discoverRig(printer, web);
    expect(await discover(`mdns ${type}`)).toBe(
      `0 ! 1 services found\r\n${head}\r\n# 0 web                              10.5.6.31       80`,
    );
  });

  test('finds the module’s own services like those of others', async () => {
    const { discover, module, join, run } = await discoverRig();
    await run('set mdns.service http');
    module.wlan.down('wlan');
    await join(1_000);
    expect(await discover('mdns http')).toContain('# 0 harbour                          10.5.6.108      80');
  });

  test('lists nothing without answers, or when these lead nowhere', async () => {
    const { discover } = await discoverRig([ptr('_http._tcp.local', 'web._http._tcp.local')]);
    expect(await discover('mdns http')).toBe(`0 ! 0 services found\r\n${head}`);
    expect(await discover('mdns')).toBe(`0 ! 0 services found\r\n${head}`);
  });

  test('asks once more in case that the first question was lost', async () => {
    const { discover, network } = await discoverRig(web);
    let lost = 0;
    network.datagramConditions = ({ from }) => ({ lossPercent: from === 'module' && lost++ < 2 ? 100 : 0 });
    expect(await discover('mdns http')).toContain('! 1 services found');
  });

  test('a service that is taken back is not listed', async () => {
    const { discover, peers, pass, run } = await discoverRig(web);
    const answer = run('mdns http');
    await pass(1_500);
    const goodbye = { ...ptr('_http._tcp.local', 'web._http._tcp.local'), ttl: 0 };
    ignoreFailure(await peers[0]?.socket.send(writeDns({ ...blankResponse, answers: [goodbye] }), mdnsGroup, mdnsPort));
    await discover('version');
    expect(await answer).toContain('! 0 services found');
  });

  test('joins first', async () => {
    const { module, pass, run, said } = await discoverRig(web);
    module.wlan.down('wlan');
    said();
    const answer = run('mdns http');
    await pass(5_000);
    expect(said()[0]).toBe('[Associating to harbour-open]');
    expect(await answer).toContain('! 1 services found');
  });

  test.each([
    ['mDNS is off', 'set mdns.enabled 0', ['mDNS is off']],
    ['there is no network to join', 'set wlan.ssid ""', ['[Disassociated]', 'SSID not set']],
  ])('fails when %s', async (_, command, lines) => {
    const { module, run, said } = await discoverRig();
    await run(command);
    if (command.includes('ssid')) module.wlan.down('wlan');
    expect(await run('mdns http')).toBe('1 Command failed');
    expect(said()).toEqual(lines);
  });

  test.each([
    ['mdns "two words"', '7 Invalid argument'],
    ['mdns _http._sctp', '7 Invalid argument'],
    ['mdns http more', '5 Too many arguments'],
  ])('%s is refused', async (line, answer) => {
    const { run } = await discoverRig();
    expect(await run(line)).toBe(answer);
  });
});
