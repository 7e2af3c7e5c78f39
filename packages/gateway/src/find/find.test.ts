import { type Result, unwrap } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule, type Module } from '@moorage/module';
import { describe, expect, test } from 'vitest';
import type { OpenPorts } from '../driver/open.ts';
import { gatewayRig, ways } from '../testing/gateway-rig.ts';
import { type FindOptions, find, usualBroadcastPort } from './find.ts';
import { readStatus } from './sightings.ts';

const listening: FindOptions = { listenMs: 12_000, broadcastPort: usualBroadcastPort };
const board = 'Harbour.3';

/** What no search may change. */
const stateOf = ({ variables, flash, streams }: Module) => [variables.export(), flash.list(), streams.list()];

const found = async (rig: Awaited<ReturnType<typeof gatewayRig>>, options: Partial<FindOptions> = {}) => {
  const before = stateOf(rig.module);
  const findings = await rig.until(find(rig.ports, { ...listening, ...options }));
  expect(stateOf(rig.module)).toEqual(before);
  return findings;
};

describe('a module on the network', () => {
  test('is found by its broadcast', async () => {
    const rig = await gatewayRig();
    const { modules, problems } = await found(rig);
    const { mac, uuid } = rig.module.identity;
    const shown = { version: rig.module.versionLine, board, mac, uuid, ssid: 'harbour-open', signalDbm: -61 };
    const addresses = ['http://10.5.6.108:80', 'tcp:10.5.6.108:2000'];
    const all = 'set broadcast.data "mac,ip,ssid,rssi,remote_terminal_port,version"';
    const alone = { ...shown, hasPassword: false, by: ['broadcast'] };
    expect(modules).toEqual([{ ...alone, addresses: addresses.slice(0, 1) }]);
    await rig.run(all);
    expect((await found(rig)).modules).toEqual([{ ...alone, addresses }]);
    expect(problems).toEqual([]);
  });

  test('is found by mDNS', async () => {
    const settings = ['set broadcast.interval 0', 'set mdns.enabled 1', 'set mdns.service http'];
    const rig = await gatewayRig({ settings });
    await rig.clock.advance(3_000);
    expect((await found(rig)).modules).toMatchObject([
      { by: ['mdns'], mac: rig.module.identity.mac, hasPassword: false },
    ]);
  });

  test('that is known already is left alone', async () => {
    const rig = await gatewayRig();
    const dialled: number[] = [];
    rig.network.conditions = ({ port }) => {
      dialled.push(port);
      return {};
    };
    const { modules } = await found(rig, { known: new Set([rig.module.identity.mac]) });
    expect([modules, dialled]).toEqual([[], []]);
  });

  test('with a password is found, with what it says unasked', async () => {
    const rig = await gatewayRig({ way: 'http-login' });
    const { modules } = await found(rig);
    expect(modules).toEqual([
      { mac: rig.module.identity.mac, hasPassword: true, by: ['broadcast'], addresses: ['http://10.5.6.108:80'] },
    ]);
  });

  test('whose HTTP server is off keeps its terminal to itself', async () => {
    const settings = ['set http.server.enabled 0', 'set broadcast.data mac,remote_terminal_port,version'];
    const rig = await gatewayRig({ settings });
    const dialled: number[] = [];
    rig.network.conditions = ({ port }) => {
      dialled.push(port);
      return {};
    };
    const { modules } = await found(rig);
    expect(modules).toEqual([
      {
        version: rig.module.versionLine,
        board,
        mac: rig.module.identity.mac,
        by: ['broadcast'],
        addresses: ['tcp:10.5.6.108:2000'],
      },
    ]);
    expect(dialled).not.toContain(2000);
  });

  test('is one, whatever ways lead to it', async () => {
    const rig = await gatewayRig({ settings: ['set mdns.enabled 1', 'set mdns.service http'] });
    await rig.clock.advance(3_000);
    const { modules } = await found(rig, { addresses: ['tcp:module:2000', 'pty:/dev/module'] });
    expect(modules).toHaveLength(1);
    expect(modules[0]?.by.toSorted()).toEqual(['address', 'broadcast', 'mdns']);
    expect(modules[0]?.addresses).toEqual(['tcp:module:2000', 'pty:/dev/module', 'http://10.5.6.108:80']);
  });
});

test.each(ways)('a module is found at an address over %s', async (way) => {
  const rig = await gatewayRig({ way });
  const { modules, problems } = await found(rig, { addresses: [rig.address], listenMs: 0 });
  const isLocked = way.endsWith('-login');
  expect(modules).toMatchObject([
    isLocked
      ? { hasPassword: true }
      : { version: rig.module.versionLine, mac: rig.module.identity.mac, hasPassword: false },
  ]);
  expect(problems).toEqual([]);
});

test('addresses where nothing is are said', async () => {
  const rig = await gatewayRig();
  const { modules, problems } = await found(rig, { addresses: ['http://nobody:80', 'nonsense'], listenMs: 0 });
  expect(modules).toEqual([]);
  expect(problems.toSorted()).toEqual([
    expect.stringMatching(/^http:\/\/nobody:80: /),
    expect.stringMatching(/^nonsense: /),
  ]);
});

test('what is no broadcast of a module is passed over', async () => {
  const rig = await gatewayRig({ settings: ['set broadcast.interval 0'] });
  const stranger = rig.network.attach('stranger', '10.5.6.77');
  const socket = unwrap(await stranger.datagrams({ port: 0 }, () => {}));
  const search = find(rig.ports, listening);
  await rig.clock.advance(100);
  const texts = [
    '',
    '{',
    '[]',
    'null',
    '7',
    '{"ip":"10.5.6.1"}',
    '{"mac":"nonsense"}',
    `{"mac":"${'0'.repeat(5_000)}"}`,
  ];
  for (const each of texts) unwrap(await socket.send(Buffer.from(each), '255.255.255.255', usualBroadcastPort));
  expect((await rig.until(search)).modules).toEqual([]);
});

test('hosts that shout do not fill the memory', async () => {
  const rig = await gatewayRig({ settings: ['set broadcast.interval 0'] });
  const stranger = rig.network.attach('stranger', '10.5.6.77');
  const socket = unwrap(await stranger.datagrams({ port: 0 }, () => {}));
  const net = {
    ...rig.ports.net,
    dial: async () => ({ ok: false, error: { error: 'refused', detail: 'no' } }) as Result<never, never>,
  };
  const search = find({ ...rig.ports, net } as OpenPorts, listening);
  await rig.clock.advance(100);
  for (let index = 0; index < 1_100; index++) {
    const mac = index.toString(16).padStart(12, '0');
    unwrap(await socket.send(Buffer.from(JSON.stringify({ mac })), '255.255.255.255', usualBroadcastPort));
  }
  expect((await rig.until(search)).modules).toHaveLength(1_000);
});

test.each([
  ['{"mac":"02-00-00-00-00-07","rssi":"-3","remote_terminal_port":70000}', { mac: '02:00:00:00:00:07' }],
  [
    '{"mac":"020000000007","rssi":-3,"remote_terminal_port":23}',
    { mac: '02:00:00:00:00:07', signalDbm: -3, terminalPort: 23 },
  ],
])('the status %s is read', (text, read) => {
  const { by, ip, ...said } = readStatus(Buffer.from(text), '10.0.0.1') ?? {};
  expect(Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))).toEqual(read);
  expect([by, ip]).toEqual(['broadcast', '10.0.0.1']);
});

test('modules of other firmware are found as well', async () => {
  const rig = await gatewayRig({ settings: ['set broadcast.interval 0'] });
  const clock = rig.clock;
  const other = await createModule({
    clock,
    store: new MemoryStore(),
    net: rig.network.attach('other', '10.5.6.109'),
    seed: 2,
  });
  await rig.until(other.boot());
  for (const line of ['set wlan.ssid harbour-open', 'set http.server.enabled 1', 'set ntp.enabled 0', 'network_up'])
    expect((await rig.until(other.execute(line))).code).toBe(0);
  const { modules } = await found(rig, { addresses: [rig.address] });
  expect(modules.map(({ mac }) => mac).toSorted()).toEqual([rig.module.identity.mac, other.identity.mac].toSorted());
});
