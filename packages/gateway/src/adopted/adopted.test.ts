import { defined, ignoreFailure, unwrap } from '@moorage/base';
import { bversionOf } from '@moorage/device/testing/service-peer';
import { loadPersonality } from '@moorage/module/personality/personality';
import type { Connection } from '@moorage/net';
import { describe, expect, test } from 'vitest';
import { adoptedRig, bundle, isThere, newSet, oldSet } from '../testing/adopted-rig.ts';
import { oldBackups } from './backups.ts';

/** Firmware of three generations. */
const personalities = {
  neutral: undefined,
  renamed: unwrap(
    loadPersonality('{"name":"Tern","version":"1.4.0.7","cloudPrefix":"ghm","texts":{"unknownCommand":"What?"}}'),
  ),
  slow: unwrap(loadPersonality('{"timings":{"bootMs":4000,"saveMs":900,"serialPace":1}}')),
};

const rows = [
  ['http', 'neutral'],
  ['http-login', 'renamed'],
  ['terminal', 'slow'],
  ['terminal-login', 'neutral'],
  ['serial', 'renamed'],
  ['serial-machine', 'slow'],
  ['rfc2217', 'neutral'],
] as const;

const made = (way: (typeof rows)[number][0], firmware: keyof typeof personalities) => {
  const personality = personalities[firmware];
  return adoptedRig({ way, ...defined({ personality }) });
};

describe.each(rows)('an adopted module over %s, %s', (way, firmware) => {
  test('is online, says how it is, and takes commands', async () => {
    const { adopted, channel, pass, rig } = await made(way, firmware);
    adopted.start();
    await pass(() => channel.isOpen && channel.messages.length > 0);
    const { mac } = rig.module.identity;
    expect(channel.attributes[0]).toMatchObject({
      board: 'Harbour.3',
      address: '10.5.6.108',
      signal: -61,
      gateway: rig.address,
    });
    expect(channel.messages[0]).toMatchObject({ request: 'telemetry', data: { rssi: -61, ip: '10.5.6.108' } });
    channel.send({ id: 7, request: 'command', data: 'get wlan.mac' });
    channel.send({ id: 8, request: 'command', data: 'nonsense' });
    await pass(() => channel.messages.some(({ id }) => id === 8));
    expect(channel.messages).toContainEqual({ id: 7, code: 0, data: mac });
    expect(channel.messages.find(({ id }) => id === 8)).toMatchObject({ code: 3 });
    await adopted.stop();
  });

  test('is updated with files and a setup script, and says so when it runs them', async () => {
    const { adopted, backups, channel, held, pass, peer, rig, store, until } = await made(way, firmware);
    peer.bundle = bundle;
    adopted.start();
    await pass(() => adopted.client.installed() !== undefined && !adopted.client.reportPending);
    expect(await held()).toEqual(newSet);
    expect(peer.reports.at(-1)).toEqual({ bundle_id: bundle.id, result: 1, bversion: bversionOf(bundle) });
    expect(await rig.run('get user.data')).toBe('0 new');
    expect(backups).toHaveLength(1);
    expect(peer.requests.some(({ path }) => path.startsWith('/files/device/backups'))).toBe(true);
    expect((await store.names()).filter((name) => name.startsWith('push'))).toEqual([]);
    expect(unwrap(await until(adopted.client.update()))).toBe('none');
    const files = rig.module.flash.list().length;
    await pass(() => channel.attributes.at(-1)?.files === files);
    await adopted.stop();
  });
});

test('a module that is away is shown offline, and is back when it answers', async () => {
  const { adopted, channel, network, notices, pass } = await adoptedRig();
  adopted.start();
  await pass(() => channel.isOpen);
  network.conditions = ({ host }) => (host === 'module' ? { silent: true } : {});
  await pass(() => !isThere(notices));
  expect(channel.isOpen).toBe(false);
  network.conditions = () => ({});
  await pass(() => channel.isOpen);
  expect(notices.map(({ type }) => type).filter((type) => type === 'online' || type === 'offline')).toEqual([
    'online',
    'offline',
    'online',
  ]);
  await adopted.stop();
});

test('a module that has never answered is shown offline, again for each other reason, and online when it answers', async () => {
  const { adopted, channel, network, notices, pass, wait } = await adoptedRig();
  const told = () => notices.flatMap((notice) => (notice.type === 'offline' ? [notice.why] : []));
  network.conditions = ({ host }) => (host === 'module' ? { silent: true } : {});
  adopted.start();
  await wait(900_000);
  expect(told()).toHaveLength(1);
  network.conditions = ({ host }) => (host === 'module' ? { cutAfterBytes: 1 } : {});
  await wait(900_000);
  expect(told()).toHaveLength(2);
  network.conditions = () => ({});
  await pass(() => channel.isOpen);
  expect(notices.filter(({ type }) => type === 'online' || type === 'offline').map(({ type }) => type)).toEqual([
    'offline',
    'offline',
    'online',
  ]);
  await adopted.stop();
});

test('a module that a push has waited for is not left alone when it has come back', async () => {
  const { adopted, channel, network, notices, pass, peer, steps, wait } = await adoptedRig();
  peer.bundle = bundle;
  adopted.start();
  await pass(() => steps().some((step) => step.startsWith('Writing')));
  network.conditions = ({ host }) => (host === 'module' ? { silent: true } : {});
  await wait(120_000);
  network.conditions = () => ({});
  await pass(() => adopted.client.installed() !== undefined);
  channel.send({ id: 707, request: 'command', data: 'get user.data' });
  await pass(() => channel.messages.some(({ id }) => id === 707));
  expect(channel.messages).toContainEqual({ id: 707, code: 0, data: 'new' });
  await wait(180_000);
  expect(notices.some(({ type }) => type === 'offline')).toBe(false);
  await adopted.stop();
});

test('another module at the address gets nothing that was meant for this one', async () => {
  const { adopted, channel, rig, wait } = await adoptedRig();
  const { mac } = rig.module.identity;
  await rig.module.close();
  await rig.boot({ seed: 9 });
  expect(rig.module.identity.mac).not.toBe(mac);
  for (const line of ['set wlan.ssid harbour-open', 'set ntp.enabled 0', 'set http.server.enabled 1', 'network_up'])
    expect(await rig.run(line)).toMatch(/^0 /);
  adopted.start();
  await wait(120_000);
  expect(channel.isOpen).toBe(false);
  await adopted.stop();
});

test.each([
  'get wlan.ssid\r\nreboot',
  'file_create x 10',
  'stream_write 0 5',
  '"file_create" q.txt 9',
  'hdo -m 9',
  'smtp 9',
  'udps write 9 a 1',
])('the line %j is not passed on', async (line) => {
  const { adopted, channel, pass } = await adoptedRig();
  adopted.start();
  await pass(() => channel.isOpen);
  channel.send({ id: 9, request: 'command', data: line });
  await pass(() => channel.messages.some(({ id }) => id === 9));
  expect(channel.messages.find(({ id }) => id === 9)).toMatchObject({ error: expect.any(String) });
  await adopted.stop();
});

test.each([
  ['nothing', ''],
  ['garbage', '\0\xff'.repeat(500)],
  ['half a header', 'R0000'],
  ['half a reply', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{"co'],
  ['prompts', '> > > version\r\n'],
])('what sends %s never hangs the gateway, and is left alone for a while', async (_, sent) => {
  for (const at of ['tcp:stuck:2000', 'http://stuck:80']) {
    const { adopted, channel, network, wait } = await adoptedRig({ at });
    const stuck = network.attach('stuck', '10.5.6.66');
    let dials = 0;
    const accept = ({ stream }: Connection): void => {
      dials++;
      stream.write(Buffer.from(sent, 'latin1'));
    };
    for (const port of [80, 2000]) unwrap(await stuck.listen(port, accept));
    adopted.start();
    await wait(1_200_000);
    expect(channel.isOpen).toBe(false);
    // Twenty minutes with a rest that grows to five.
    expect(dials).toBeGreaterThan(3);
    expect(dials).toBeLessThan(20);
    await adopted.stop();
  }
});

test('a product without a bundle is said to have none, and nothing has failed', async () => {
  const { adopted, backups, notices, pass } = await adoptedRig();
  adopted.start();
  await pass(() => notices.some(({ type }) => type === 'no-bundle'));
  expect(notices.some((notice) => notice.type === 'device' && notice.event.type === 'failed')).toBe(false);
  expect(backups).toEqual([]);
  await adopted.stop();
});

test('a bundle that fails again takes one backup, and the oldest of the gateway are deleted at the service', async () => {
  const { adopted, backups, notices, pass, peer } = await adoptedRig();
  const at = '1704067200000';
  const facts = { size: 1, crc: '0000', mime: 'application/zip', version: null, created_at: at, updated_at: at };
  const record = (path: string) => ({ path, name: path.split('/').at(-1), ...facts });
  const held = [
    'backups/mine.zip',
    ...Array.from({ length: 7 }, (_, day) => `backups/2023-01-${10 + day}T000000Z before 1.0.0.1.zip`),
  ];
  const deleted: string[] = [];
  peer.guard = (call) => {
    const [method = '', url = ''] = call.split(' ');
    const path = decodeURIComponent(url.replace('/files/device/', ''));
    if (!url.startsWith('/files/device')) return undefined;
    if (method === 'GET') return { status: 200, body: held.map(record) };
    if (method === 'DELETE') deleted.push(path);
    else held.push(path);
    return { status: 200, body: method === 'DELETE' ? { result: 'ok' } : { result: 'ok', ...record(path) } };
  };
  const failed = () => notices.filter((notice) => notice.type === 'device' && notice.event.type === 'failed').length;
  peer.bundle = { ...bundle, files: [...bundle.files, { name: 'big.bin', content: new Uint8Array(2_500_000) }] };
  adopted.start();
  await pass(() => failed() === 1);
  await pass(() => deleted.length === 3);
  expect(deleted).toEqual([10, 11, 12].map((day) => `backups/2023-01-${day}T000000Z before 1.0.0.1.zip`));
  void adopted.client.ota().then(ignoreFailure);
  await pass(() => failed() === 2);
  expect(backups).toHaveLength(1);
  await adopted.stop();
});

test('what is older than the newest five backups of the gateway is old, and no other file', () => {
  const names = Array.from({ length: 6 }, (_, day) => `2023-01-${10 + day}T000000Z before 2.0.0.0.zip`);
  expect(oldBackups(['mine.zip', ...names.toReversed()])).toEqual(names.slice(0, 1));
  expect(oldBackups(names.slice(1))).toEqual([]);
});

describe('an update that fails', () => {
  test('of a bundle whose files the service has no more is one', async () => {
    const { adopted, held, notices, pass, peer } = await adoptedRig();
    peer.bundle = bundle;
    const [{ name } = { name: '' }] = bundle.files;
    peer.refuse(`GET /ota/${bundle.id}/${encodeURIComponent(name)}`, 404);
    adopted.start();
    await pass(() => notices.some((notice) => notice.type === 'device' && notice.event.type === 'failed'));
    expect(notices.some(({ type }) => type === 'no-bundle')).toBe(false);
    expect(await held()).toEqual(oldSet);
    await adopted.stop();
  });

  test.each([
    [
      'a file that the flash has no room for',
      [...bundle.files, { name: 'big.bin', content: new Uint8Array(2_500_000) }],
    ],
    [
      'a setup script that the module refuses',
      [...bundle.files, { name: 'bad.script', content: Buffer.from('nonsense\r\n'), type: 0xfd }],
    ],
  ])('leaves what was there: %s', async (_, files) => {
    const { adopted, channel, held, pass, peer, rig, steps } = await adoptedRig();
    peer.bundle = { ...bundle, files };
    adopted.start();
    await pass(() => peer.reports.length > 0);
    expect(peer.reports).toEqual([expect.objectContaining({ result: 3 })]);
    expect(await held()).toEqual(oldSet);
    expect(rig.module.flash.stat('big.bin') ?? rig.module.flash.stat('bad.script')).toBeUndefined();
    expect(steps()).toContain('The module has again what it had before');
    const { name = '' } = files.at(-1) ?? {};
    expect(steps().some((step) => step.includes(name) && step.includes('What was there before'))).toBe(true);
    await pass(() => String(channel.attributes.at(-1)?.update_problem).includes(name));
    await adopted.stop();
  });

  test.each([
    ['firmware', { name: 'app.bin', content: Buffer.from('x'), type: 0x81 }],
    ['a file of no bytes', { name: 'empty.txt', content: Buffer.from('') }],
  ])('writes nothing of a bundle with %s', async (_, file) => {
    const { adopted, backups, held, pass, peer } = await adoptedRig();
    peer.bundle = { ...bundle, files: [...bundle.files, file] };
    adopted.start();
    await pass(() => peer.reports.length > 0);
    expect(peer.reports).toEqual([expect.objectContaining({ result: 3 })]);
    expect([await held(), backups]).toEqual([oldSet, []]);
    await adopted.stop();
  });
});

test('a gateway that was stopped in the middle of a push puts back, and goes on with its identity', async () => {
  const { adopted, channel, clock, held, network, notices, pass, peer, powerOn, steps, store } = await adoptedRig();
  peer.bundle = bundle;
  adopted.start();
  await pass(() => steps().some((step) => step.startsWith('Writing')));
  // Some of the files are there, then the gateway's power goes.
  network.conditions = ({ from }) => (from === 'gateway' ? { silent: true } : {});
  await clock.advance(60_000);
  await adopted.stop();
  await clock.advance(60_000);
  network.conditions = () => ({});
  const survivor = store.survivor();
  const again = await powerOn(survivor);
  expect(again.client.provisionStatus).toBe(3);
  peer.refuse('POST /ota', 503);
  notices.length = 0;
  again.start();
  await pass(() => channel.isOpen && isThere(notices));
  expect(await held()).toEqual(oldSet);
  peer.answers.clear();
  await pass(() => again.client.installed() !== undefined && !again.client.reportPending);
  expect(await held()).toEqual(newSet);
  await again.stop();
});
