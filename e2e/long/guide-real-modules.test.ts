import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@moorage/api';
import { realClock, unwrap } from '@moorage/base';
import { attachStandIn, planted, StandIn, standIns } from '@moorage/gateway/testing/stand-ins';
import { unzipSync } from 'fflate';
import { afterEach, expect, test } from 'vitest';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { blocksOf } from '../guide.ts';
import { login } from '../up-scene.ts';
import { wallDefaults } from '../wall-module.ts';

afterEach(killAll);

/** Words of the one command of a block of the guide, with paths in a folder of the test. */
const wordsOf = (block: string, folder: string): string[] =>
  block
    .trim()
    .replaceAll('./serial', join(folder, 'serial'))
    .replaceAll('module.zip', join(folder, 'module.zip'))
    .replaceAll('./build', join(folder, 'build'))
    .split(' ')
    .slice(1);

test('the guide of real modules rescues one, makes its twin, and finds nothing to put back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-real-'));
  const [start = '', search = '', read = '', twin = ''] = await blocksOf('real-modules.md', 'run');
  const original = moorage([...wordsOf(start, folder), '--json']);
  await eventOf(original, 'ready');
  const searched = moorage([...wordsOf(search, folder), '--json']);
  expect(await eventOf(searched, 'found')).toMatchObject({ board: 'Harbour.3', hasPassword: false });
  expect(await searched.ended).toBe(0);
  const rescued = moorage([...wordsOf(read, folder), '--json']);
  expect(await eventOf(rescued, 'rescued')).toMatchObject({ files: 5 });
  expect(await rescued.ended).toBe(0);
  const copy = moorage([...wordsOf(twin, folder).slice(0, -1), 'tcp:127.0.0.1:0', '--json']);
  const { serial } = await eventOf(copy, 'ready');
  const compared = moorage(['rescue', '--restore', join(folder, 'module.zip'), String(serial), '--json']);
  expect(await eventOf(compared, 'differences')).toEqual({
    event: 'differences',
    files: [],
    settings: [],
    skipped: [],
  });
  expect(await compared.ended).toBe(0);
  await rm(folder, { recursive: true });
});

test('the guide of real modules has one adopted, and updated by a bundle of a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-adopted-'));
  const blocks = await blocksOf('real-modules.md', 'run');
  const [start = ''] = blocks;
  const [adopt = '', watch = '', update = ''] = blocks.slice(-3);
  const free = ['--port', '0', '--device-port', '0', '--data', join(folder, 'data')];
  const { api, devices } = await eventOf(moorage(['serve', ...free, '--json'], login), 'ready');
  const anonymous = createClient({ baseUrl: String(api) });
  const { MOORAGE_ADMIN_EMAIL: username, MOORAGE_ADMIN_PASSWORD: password } = login;
  const { token } = unwrap(await anonymous.call('auth.login', { body: { username, password } })).value;
  const client = anonymous.as(token);
  await eventOf(moorage([...wordsOf(start, folder), '--json']), 'ready');
  const as = { MOORAGE_API: String(api), MOORAGE_TOKEN: token };
  const words = wordsOf(adopt.replace('https://127.0.0.1:8443', String(devices)), folder);
  const gateway = moorage([...words, '--data', join(folder, 'gateway'), '--json'], as);
  const { device } = await eventOf(gateway, 'adopted');
  const watched = moorage([...wordsOf(watch, folder), '--json'], as);
  expect(await eventOf(watched, 'device')).toMatchObject({ id: device, product: expect.stringContaining('GAUGE') });
  await mkdir(join(folder, 'build', 'webapp'), { recursive: true });
  await writeFile(join(folder, 'build', 'webapp', 'quay.html'), '<h1>Quay</h1>');
  await writeFile(join(folder, 'build', 'boot.script'), 'set user.data quay\nsave\n');
  const create = (scripts: string) =>
    moorage([...wordsOf(update, folder), '--setup-scripts', scripts, '--json'], as).ended;
  expect(await create('other.script')).toBe(2);
  expect(await create('boot.script')).toBe(0);
  await eventOf(gateway, 'updated');
  const read = async () => unwrap(await client.call('devices.get', { params: { identifier: String(device) } })).value;
  await expect.poll(async () => (await read()).bundle).toBe('1.0.0.0');
  const command = { params: { device_id: String(device) }, body: { command: 'get user.data' } };
  expect(unwrap(await client.call('channel.command', command)).value).toMatchObject({ code: 0, data: 'quay' });
  // The backup of before lies at the service and beside the gateway.
  const params = { device_id: String(device) };
  const kept = unwrap(await client.call('deviceFiles.list', { params, query: { prefix: 'backups/' } })).value;
  expect(kept).toHaveLength(1);
  const name = kept[0]?.path.slice('backups/'.length) ?? '';
  const mac = (await read()).mac?.replaceAll(':', '').toLowerCase() ?? '';
  expect((await readFile(join(folder, 'gateway', 'backups', mac, name))).length).toBe(kept[0]?.size);
  gateway.process.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);
  killAll();
  await rm(folder, { recursive: true });
});

test('the guide of real modules is walked on a module that nobody has seen', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-unseen-'));
  const standIn = new StandIn(standIns.bare);
  const server = createServer((socket) => attachStandIn(standIn, socket, realClock));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const blocks = await blocksOf('real-modules.md', 'run');
  const [, search = '', read = '', twin = ''] = blocks;
  const [adopt = '', watch = ''] = blocks.slice(-3);
  const walk = (block: string, ...more: string[]) =>
    wordsOf(block.replace('pty:./serial', `tcp:127.0.0.1:${port}`), folder).concat('--json', ...more);
  const searched = moorage(walk(search));
  const uuid = '4D4F4F520102030405060708090A0B0C0D0E0F10';
  expect(await eventOf(searched, 'found')).toMatchObject({ version: standIn.version, uuid });
  const rescued = moorage(walk(read));
  expect(await eventOf(rescued, 'rescued')).toMatchObject({ files: 5, whole: false });
  expect(await rescued.ended).toBe(3);
  const archive = Object.values(unzipSync(await readFile(join(folder, 'module.zip'))));
  for (const entry of archive)
    expect(planted.filter((secret) => Buffer.from(entry).toString('latin1').includes(secret))).toEqual([]);
  const copy = moorage(walk(twin.replace('tcp:127.0.0.1:2323', 'tcp:127.0.0.1:0')));
  expect(await eventOf(copy, 'ready')).toMatchObject({ mac: '4C:55:CC:10:00:2A', uuid });
  const compared = moorage(['rescue', '--restore', join(folder, 'module.zip'), `tcp:127.0.0.1:${port}`, '--json']);
  expect(await eventOf(compared, 'differences')).toMatchObject({ settings: [] });
  await compared.ended;
  expect(standIn.writes).toEqual([]);
  const free = ['--port', '0', '--device-port', '0', '--data', join(folder, 'data')];
  const { api, devices } = await eventOf(moorage(['serve', ...free, '--json'], login), 'ready');
  const { MOORAGE_ADMIN_EMAIL: username, MOORAGE_ADMIN_PASSWORD: password } = login;
  const anonymous = createClient({ baseUrl: String(api) });
  const { token } = unwrap(await anonymous.call('auth.login', { body: { username, password } })).value;
  const as = { MOORAGE_API: String(api), MOORAGE_TOKEN: token };
  const adopted = walk(adopt.replace('https://127.0.0.1:8443', String(devices)), '--data', join(folder, 'gateway'));
  const gateway = moorage(adopted, as);
  const { device } = await eventOf(gateway, 'adopted');
  await eventOf(gateway, 'online');
  expect(await eventOf(moorage(walk(watch), as), 'device')).toMatchObject({ id: device, online: true });
  gateway.process.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);
  killAll();
  server.close();
  await rm(folder, { recursive: true });
});

test('a module on the network of this machine is found by its broadcast and by mDNS', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-found-'));
  const personality = join(folder, 'personality.json');
  await writeFile(personality, JSON.stringify({ variableDefaults: wallDefaults }));
  const module = moorage([
    'module',
    '--serial',
    'none',
    '--port-offset',
    '42000',
    '--personality',
    personality,
    '--json',
  ]);
  const { mac } = await eventOf(module, 'ready');
  const searched = moorage(['gateway', 'find', '--ip', '127.0.0.1', '--seconds', '4', '--json']);
  expect(await searched.ended).toBe(0);
  const found = searched.lines.map((line) => JSON.parse(line)).find((event) => event.mac === mac);
  expect(found).toMatchObject({ ssid: 'harbour-open', hasPassword: false, addresses: ['http://127.0.0.1:42080'] });
  expect(found.by.toSorted()).toEqual(['broadcast', 'mdns']);
  await rm(folder, { recursive: true });
});
