import { unwrap } from '@moorage/base';
import { rigCapabilities } from '@moorage/device/testing/capabilities';
import { ServicePeer } from '@moorage/device/testing/service-peer';
import { describe, expect, test } from 'vitest';
import { loadPersonality } from '../personality/personality.ts';
import { lineUser } from '../testing/line-user.ts';
import { moduleIp, networkRig } from '../testing/network-rig.ts';
import { allCommands } from './index.ts';

/** Longer than any command waits, in ms. */
const longMs = 200_000;

const manifest = '{"path":"http://mute","files":[{"remote":"n"}]}';

const capabilities = JSON.stringify(rigCapabilities);

interface Waiting {
  readonly line: string;
  readonly data?: string;
  /** Commands before it. */
  readonly after?: readonly string[];
  /** `slow`: the radio takes long, and has not joined. `activated`: at the data cloud, whose service then is silent. */
  readonly state?: 'slow' | 'activated';
}

/** What each command is given, so that it waits. */
const waiting: readonly Waiting[] = [
  { line: 'tcp_client far 80' },
  { line: 'tls_client far 443' },
  { line: 'udp_client slow 80' },
  { line: 'http_get far/a' },
  { line: 'http_head far/a' },
  { line: 'http_post far/a text/plain' },
  { line: 'http_download far/new new' },
  { line: 'http_download mute/new new' },
  { line: `http_download -m ${manifest.length}`, data: manifest },
  { line: 'stream_read 0 5', after: ['tcp_client mute 80'] },
  { line: 'stream_write 0 60000', data: 'x'.repeat(60_000), after: ['tcp_client stuck 80'] },
  { line: 'udp_server read 5', after: ['udp_server start 3001'] },
  { line: 'http_upload far/a kept kept' },
  { line: 'http_upload mute/a kept kept' },
  { line: 'network_lookup slow' },
  { line: 'ping slow' },
  { line: 'wps' },
  { line: 'network_up -s' },
  { line: 'mdns_discover' },
  { line: 'smtp_send a@b.example hello 2', data: 'hi' },
  { line: 'smtp_send mute@b.example hello 2', data: 'hi' },
  { line: 'http_read_status 0', after: ['http_get -o mute/a'] },
  { line: 'wlan_scan', state: 'slow' },
  { line: 'network_verify wifi harbour-open 026D6F000001 1', state: 'slow' },
  { line: 'tcp_server start 3000', state: 'slow' },
  { line: 'tls_server start 3000 cert.pem key.pem', state: 'slow' },
  { line: 'dms info' },
  { line: 'dms claim ada secret' },
  { line: 'ota' },
  { line: 'cloud_activate ada secret caps.json' },
  { line: 'cloud_capabilities list' },
  { line: 'cloud_capabilities download' },
  { line: 'cloud_capabilities download http://mute/other.json -s' },
  { line: 'cloud_deactivate ada secret', state: 'activated' },
  { line: 'cloud_message list', state: 'activated' },
  { line: 'cloud_message get', state: 'activated' },
  { line: 'cloud_sync', state: 'activated' },
  { line: 'cloud_write led1 1', state: 'activated' },
  { line: 'setup script slow.script' },
  { line: 'setup cmd', after: ['set setup.gpio.cmd "ping slow"'] },
];

/** Joined, beside hosts of which one never answers a call, one never answers a request, and one has a slow name server. */
async function rig({ after = [], state }: Partial<Waiting> = {}) {
  const timings = { probeMs: longMs / 2, scanMs: longMs / 2 };
  const network = await networkRig({
    ...(state === 'slow' && { personality: unwrap(loadPersonality(JSON.stringify({ timings }))) }),
  });
  const { module, runAll, run } = network;
  if (state !== 'slow') await network.join();
  await runAll('set wlan.ssid harbour-open', 'set ota.host far', 'set bus.command.read_timeout 65535');
  const settings = ['email.smtp.host far', 'email.name_address me@b.example', 'mdns.enabled 1'];
  await runAll(...settings.map((setting) => `set ${setting}`));
  const script = 'set mdns.name first\r\nping slow\r\nset mdns.name second\r\n';
  for (const [name, content] of Object.entries({ kept: 'kept', 'caps.json': capabilities, 'slow.script': script }))
    expect(await run(`file_create ${name} ${content.length}`, content)).toMatch(/^0/);
  const far = network.network.attach('far', '10.5.6.1');
  if (state === 'activated') {
    await new ServicePeer().attach(far);
    const active = run('cloud_activate ada secret caps.json');
    await network.pass(100);
    expect(await active).toBe('0 Success');
  }
  const mute = network.network.attach('mute', '10.5.6.2');
  unwrap(await mute.listen(80, ({ stream }) => void stream.resume()));
  const stuck = network.network.attach('stuck', '10.5.6.4');
  unwrap(await stuck.listen(80, ({ stream }) => void stream.pause()));
  network.network.attach('slow', '10.5.6.3');
  network.network.conditions = ({ host }) => ({
    silent: host === 'far',
    ...(host === 'stuck' && { bytesPerSecond: 1 }),
  });
  await runAll(...after);
  network.network.nameConditions = ({ name }) => ({ latencyMs: name === 'slow' ? longMs / 2 : 0 });
  const { type } = lineUser(module, network.pass);
  return { ...network, type };
}

describe.each(waiting)('$line', ({ line, data = '', ...before }) => {
  test('lets the commands of other sessions run', async () => {
    const { run, type } = await rig(before);
    await type(`${line}\r\n${data}`);
    expect(await run('get bus.mode')).toBe('0 command');
    expect(await type('')).not.toContain('Command failed');
  });

  test('is ended by Ctrl-C, and leaves nothing behind', async () => {
    const { module, network, pass, type } = await rig(before);
    const files = module.flash.list().map(({ name }) => name);
    const streams = module.streams.list().length;
    const { activated } = module.cloud;
    expect(await type(`${line}\r\n${data}`)).not.toMatch(/> $/);
    expect(await type('typed ahead\x03')).toMatch(/Command failed\r\n> $/);
    expect(await type('get bus.mode\r\n')).toBe('get bus.mode\r\ncommand\r\n> ');
    await pass(longMs);
    expect(await type('\r\n')).not.toMatch(/Success|script failed/);
    expect(module.streams.list()).toHaveLength(streams);
    expect(module.flash.list().map(({ name }) => name)).toEqual(files);
    expect(module.cloud.activated).toBe(activated);
    // Neither a server nor the rest of a script.
    const probe = network.attach('probe', '10.5.6.77');
    expect(await probe.dial({ host: moduleIp, port: 3000, timeoutMs: 10 })).toMatchObject({ ok: false });
    expect(module.variables.get('mdns.name')).not.toBe('second');
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

test('every command that says what it waits for is tried here', () => {
  const tried = waiting.map(({ line }) => line.split(' ')[0]);
  const entries = allCommands.filter(({ waitsFor }) => waitsFor !== undefined).map(({ name }) => name);
  expect(new Set(tried)).toEqual(new Set(entries));
});
