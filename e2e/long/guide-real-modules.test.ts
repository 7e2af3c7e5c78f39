import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { blocksOf } from '../guide.ts';

afterEach(killAll);

/** Words of the one command of a block of the guide, with paths in a folder of the test. */
const wordsOf = (block: string, folder: string): string[] =>
  block
    .trim()
    .replaceAll('./serial', join(folder, 'serial'))
    .replaceAll('module.zip', join(folder, 'module.zip'))
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

test('a module on the network of this machine is found by its broadcast and by mDNS', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-found-'));
  const joins = {
    'wlan.ssid': 'harbour-open',
    'wlan.auto_join.enabled': '1',
    'http.server.enabled': '1',
    'ntp.enabled': '0',
  };
  const says = { 'mdns.enabled': '1', 'mdns.service': 'http', 'broadcast.interval': '1' };
  const personality = join(folder, 'personality.json');
  await writeFile(personality, JSON.stringify({ variableDefaults: { ...joins, ...says } }));
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
