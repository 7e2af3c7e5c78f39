import { AutoClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import type { Net } from '@moorage/net';
import { nodeNet } from '@moorage/net/node';
import multicastDns from 'multicast-dns';
import { afterEach, describe, expect, test } from 'vitest';
import { createModule, type Module } from '../src/module.ts';
import { offlinePersonality } from '../src/testing/offline.ts';
import { ownAddress } from '../src/testing/socket-rig.ts';
import { hasProgram, missingProgram, output } from './interop.ts';
import { cabledHosts, NamespaceModule, namespaceObstacle } from './namespaces.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

/** Group and port are the machine's: other runs of this file, and modules of users, are there at the same time. */
const run = process.pid.toString(36);

interface Named {
  readonly ip: string;
  readonly module: Module;
  readonly lines: readonly string[];
}

/** A module with real sockets on an address of the loopback range, joined, with its name claimed. */
async function namedModule(name: string, ...commands: readonly string[]): Promise<Named> {
  const ip = ownAddress();
  return startNamed(nodeNet({ ip, portOffset: 0, listenLan: false }), ip, name, commands);
}

async function startNamed(net: Net, ip: string, name: string, commands: readonly string[] = []): Promise<Named> {
  // A name is claimed when no other has answered for so long: time goes on only when nothing more is on its way, so that
  // the peer, which is in this process, has always had its turn.
  const clock = new AutoClock();
  const module = await createModule({
    clock,
    store: new MemoryStore(),
    net,
    seed: ip,
    personality: offlinePersonality,
  });
  open.push({
    async close() {
      await module.close();
      clock.stop();
    },
  });
  const lines: string[] = [];
  module.log.attach((line) => lines.push(line));
  await module.boot();
  const settings = ['broadcast.interval 0', 'mdns.enabled 1', `mdns.name ${name}`, ...commands];
  for (const setting of [...settings, 'wlan.ssid harbour-open']) {
    const { code } = await module.execute(`set ${setting}`);
    expect(code, setting).toBe(0);
  }
  const joined = await module.wlan.ensureUp('wlan');
  expect(joined.ok).toBe(true);
  return { ip, module, lines };
}

type Peer = ReturnType<typeof multicastDns>;

/** A peer that is not ours. It does not leave the loopback interface. */
async function peer(): Promise<Peer> {
  const created = multicastDns({ interface: '127.0.0.1', bind: '0.0.0.0' });
  open.push({ close: () => new Promise((resolve) => created.destroy(resolve)) });
  await new Promise<void>((resolve) => created.once('ready', resolve));
  return created;
}

/** What the peer receives in answer to a question. */
async function answersTo(asker: Peer, name: string, type: 'A' | 'PTR') {
  const found: { name: string; type: string; data: unknown }[] = [];
  asker.on('response', ({ answers = [], additionals = [] }) => {
    for (const record of [...answers, ...additionals]) if ('data' in record) found.push(record);
  });
  asker.query([{ name, type }]);
  await expect.poll(() => found.some((record) => record.name === name), { interval: 20 }).toBe(true);
  return found;
}

// MOD-RULE-mdns
describe('mDNS beside the package multicast-dns', () => {
  test('the module is found by name, and its services by type', async () => {
    const name = `harbour-${run}.local`;
    const { ip, module, lines } = await namedModule(`harbour-${run}`, 'mdns.service http');
    expect(lines).toContain(`mDNS domain: ${name}`);
    const asker = await peer();
    // The second announcement may come in between.
    expect(await answersTo(asker, name, 'A')).toContainEqual(expect.objectContaining({ name, type: 'A', data: ip }));
    const services = await answersTo(asker, '_http._tcp.local', 'PTR');
    expect(services.map(({ type }) => type)).toEqual(expect.arrayContaining(['PTR', 'SRV', 'TXT', 'A']));
    const goodbyes: unknown[] = [];
    asker.on('response', ({ answers = [] }) =>
      goodbyes.push(...answers.filter((record) => record.name === name && 'ttl' in record && record.ttl === 0)),
    );
    module.wlan.down('wlan');
    await expect.poll(() => goodbyes.length, { interval: 20 }).toBeGreaterThan(0);
  });

  test('the module leaves a name to a peer that has it', async () => {
    const name = `quay-${run}`;
    const owner = await peer();
    owner.on('query', ({ questions = [] }) => {
      if (!questions.some(({ name: isQueried }) => isQueried === `${name}.local`)) return;
      owner.respond([{ name: `${name}.local`, type: 'A', ttl: 120, data: '127.0.0.99' }]);
    });
    const { lines } = await namedModule(name);
    expect(lines).toContain(`mDNS domain: ${name}-2.local`);
  });

  // MOD-CMD-mdns_discover
  test('the module finds a peer’s service, and its name leads there', async () => {
    const type = `_moor-${run}._tcp`;
    const [service, target] = [`a b.${type}.local`, `pier-${run}.local`];
    const host = await peer();
    host.on('query', ({ questions = [] }) => {
      const isQueried = (name: string): boolean => questions.some((question) => question.name === name);
      if (isQueried(`${type}.local`)) host.respond([{ name: `${type}.local`, type: 'PTR', ttl: 120, data: service }]);
      if (isQueried(service)) host.respond([{ name: service, type: 'SRV', ttl: 120, data: { port: 4711, target } }]);
      if (isQueried(target)) host.respond([{ name: target, type: 'A', ttl: 120, data: '127.0.0.77' }]);
    });
    const { module } = await namedModule(`berth-${run}`);
    const { text } = await module.execute(`mdns_discover ${type}`);
    expect(text.split('\r\n').slice(2)).toEqual(['# 0 a b                              127.0.0.77      4711']);
    expect(await module.net.resolve(target)).toEqual({ ok: true, value: '127.0.0.77' });
  });

  test('modules of one process share the port and find each other', async () => {
    const one = await namedModule(`jetty-${run}`, 'mdns.service telnet');
    const two = await namedModule(`jetty-${run}`, 'mdns.service telnet');
    expect(two.lines).toContain(`mDNS domain: jetty-${run}-2.local`);
    const { text } = await one.module.execute('mdns_discover telnet');
    expect(text).toContain(`${one.ip.padEnd(15)} 2000`);
    expect(text).toContain(`${two.ip.padEnd(15)} 2000`);
  });
});

/** Whether the test may have the port of NetBIOS on an address of the loopback range. */
async function mayBind(ip: string, port: number): Promise<boolean> {
  const opened = await nodeNet({ ip, portOffset: 0, listenLan: false }).datagrams({ port }, () => {});
  if (opened.ok) await opened.value.close();
  return opened.ok;
}

// MOD-RULE-netbios
describe('NetBIOS beside nmblookup', async () => {
  const reason = !hasProgram('nmblookup')
    ? 'nmblookup is not there'
    : (await mayBind(ownAddress(), 137))
      ? ''
      : 'port 137 is not allowed';
  test.skipIf(reason !== '')(`the module is found by name${reason && ` (skipped: ${reason})`}`, async () => {
    const { ip } = await namedModule('pier');
    const text = await output('nmblookup', ['--option=interfaces=lo', '-U', ip, 'PIER#00']);
    expect(text).toContain(`${ip} PIER<00>`);
  });
});

// MOD-RULE-llmnr
describe('LLMNR beside llmnr-query', () => {
  const reason = hasProgram('llmnr-query') ? '' : 'llmnr-query is not there';
  test.skipIf(reason !== '')(`the module is found by name${reason && ` (skipped: ${reason})`}`, async () => {
    // The program asks from the host's own address, which is none of the loopback range.
    const [ip, name] = [ownAddress(), `slip-${run}`];
    await startNamed(nodeNet({ ip, portOffset: 0, listenLan: true }), ip, name);
    const text = await output('llmnr-query', ['-I', 'lo', '-T', 'A', name]);
    expect(text).toContain(ip);
  });
});

// MOD-RULE-netbios, MOD-RULE-llmnr
describe('NetBIOS and LLMNR over a cable', () => {
  const reason = namespaceObstacle() || missingProgram('nmblookup', 'llmnr-query');
  test.skipIf(reason !== '')(
    `the module is found by broadcast and in its group${reason && ` (skipped: ${reason})`}`,
    async () => {
      const hosts = await cabledHosts('10.20.31.1');
      open.push(hosts);
      for (const words of [
        ['ip', 'addr', 'add', '10.20.31.2/24', 'broadcast', '10.20.31.255', 'dev', 'sta0'],
        ['ip', 'route', 'add', 'default', 'dev', 'sta0'],
      ])
        expect(await hosts.client.run(...words)).toBe('');
      const module = new NamespaceModule(hosts.module, '10.20.31.1');
      open.push(module);
      await module.runAll('set broadcast.interval 0', 'set mdns.enabled 1', 'set mdns.name pier');
      await module.runAll('set wlan.ssid harbour-open', 'network_up');
      await expect.poll(() => module.log).toContain('[Associated]');
      const ask = (...words: readonly string[]) => hosts.client.run(...words);
      expect(await ask('nmblookup', '--option=interfaces=sta0', 'PIER')).toBe('10.20.31.1 PIER<00>\n');
      expect(await ask('nmblookup', '--option=interfaces=sta0', 'PIER#20')).toContain('failed to find name');
      expect(await ask('llmnr-query', '-I', 'sta0', '-T', 'A', 'PIER')).toContain('PIER IN A 10.20.31.1');
      expect(await ask('llmnr-query', '-I', 'sta0', '-T', 'AAAA', 'pier')).toContain('no answer records returned');
      expect(await ask('llmnr-query', '-I', 'sta0', '-T', 'A', 'quay')).toContain('No LLMNR response received');
    },
  );
});
