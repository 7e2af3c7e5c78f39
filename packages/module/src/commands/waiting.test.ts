import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { Session } from '../interpreter/session.ts';
import { networkRig } from '../testing/network-rig.ts';
import type { Board } from './board.ts';
import { allCommands } from './index.ts';

/** Longer than any command waits, in ms. */
const longMs = 200_000;

const manifest = '{"path":"http://mute","files":[{"remote":"n"}]}';

/** What each command is given, so that it waits. */
const waiting: readonly { readonly line: string; readonly data?: string }[] = [
  { line: 'tcp_client far 80' },
  { line: 'tls_client far 443' },
  { line: 'udp_client slow 80' },
  { line: 'http_get far/a' },
  { line: 'http_head far/a' },
  { line: 'http_post far/a text/plain' },
  { line: 'http_download far/new new' },
  { line: 'http_download mute/new new' },
  { line: `http_download -m ${manifest.length}`, data: manifest },
  { line: 'http_upload far/a kept kept' },
  { line: 'http_upload mute/a kept kept' },
  { line: 'network_lookup slow' },
  { line: 'ping slow' },
  { line: 'wps' },
  { line: 'network_up -s' },
  { line: 'mdns_discover' },
  { line: 'smtp_send a@b.example hello 2', data: 'hi' },
  { line: 'smtp_send mute@b.example hello 2', data: 'hi' },
];

/** Joined, beside hosts of which one never answers a call, one never answers a request, and one has a slow name server. */
async function rig() {
  const network = await networkRig();
  const { module, runAll, run } = network;
  await network.join();
  const settings = ['email.smtp.host far', 'email.name_address me@b.example', 'mdns.enabled 1'];
  await runAll(...settings.map((setting) => `set ${setting}`));
  expect(await run('file_create kept 4', 'kept')).toMatch(/^0/);
  network.network.attach('far', '10.5.6.1');
  const mute = network.network.attach('mute', '10.5.6.2');
  unwrap(await mute.listen(80, ({ stream }) => void stream.resume()));
  network.network.attach('slow', '10.5.6.3');
  network.network.conditions = ({ host }) => ({ silent: host === 'far' });
  network.network.nameConditions = ({ name }) => ({ latencyMs: name === 'slow' ? longMs / 2 : 0 });
  let printed = '';
  const session = new Session<Board>({
    board: module,
    registry: module.registry,
    origin: 'serial',
    write: (bytes) => {
      printed += Buffer.from(bytes).toString('latin1');
      return true;
    },
    ready: () => {},
    ended: () => {},
  });
  const type = async (text: string): Promise<string> => {
    session.receive(Buffer.from(text, 'latin1'));
    await network.pass(0);
    const said = printed;
    printed = '';
    return said;
  };
  return { ...network, type };
}

describe.each(waiting)('$line', ({ line, data = '' }) => {
  test('lets the commands of other sessions run', async () => {
    const { run, type } = await rig();
    await type(`${line}\r\n${data}`);
    expect(await run('get bus.mode')).toBe('0 command');
    expect(await type('')).not.toContain('Command failed');
  });

  test('is ended by Ctrl-C, and leaves nothing behind', async () => {
    const { module, pass, type } = await rig();
    const files = module.flash.list().map(({ name }) => name);
    expect(await type(`${line}\r\n${data}`)).not.toMatch(/> $/);
    expect(await type('typed ahead\x03')).toMatch(/Command failed\r\n> $/);
    expect(await type('get bus.mode\r\n')).toBe('get bus.mode\r\ncommand\r\n> ');
    await pass(longMs);
    expect(await type('\r\n')).not.toContain('Success');
    expect(module.streams.list()).toEqual([]);
    expect(module.flash.list().map(({ name }) => name)).toEqual(files);
    expect(module.variables.get('wlan.ssid')).toBe('harbour-open');
  });
});

test('Ctrl-C behind a line that was sent ahead is data', async () => {
  const { type, pass } = await rig();
  await type('tcp_client far 80\r\n');
  expect(await type('write 0 1\r\n\x03')).not.toContain('Command failed');
  await pass(longMs);
  expect(await type('')).toContain('write 0 1\r\n\x03');
});

test('a reboot gives up what waits', async () => {
  const { module, pass, type } = await rig();
  await type('tcp_client far 80\r\n');
  const answer = module.execute('tcp_client far 80');
  const booted = module.reboot();
  await pass(0);
  expect(await answer).toMatchObject({ code: 1 });
  await pass(longMs);
  await booted;
  expect(module.streams.list()).toEqual([]);
});

test('two sessions may do the same at a time: one file, one update of the settings', async () => {
  const { run, pass } = await rig();
  const both = [run('http_download mute/new new'), run('http_download mute/new new')];
  await pass(longMs);
  expect(await Promise.all(both)).toEqual(['1 Command failed', '1 Command failed']);
  const presses = [run('wps'), run('wps')];
  await pass(longMs);
  expect(await Promise.all(presses)).toEqual(['1 Command failed', '1 Command failed']);
});

test('every command that says what it waits for is tried here or needs more than a network', () => {
  const tried = waiting.map(({ line }) => line.split(' ')[0]);
  const elsewhere = ['dms', 'http_read_status', 'network_verify', 'ota', 'tcp_server', 'tls_server', 'wlan_scan'];
  const entries = allCommands.filter(({ waitsFor }) => waitsFor !== undefined).map(({ name }) => name);
  expect(new Set([...tried, ...elsewhere])).toEqual(new Set(entries));
});
