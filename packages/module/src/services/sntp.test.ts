import { ignoreFailure } from '@moorage/base';
import type { Datagram } from '@moorage/net';
import { describe, expect, test } from 'vitest';
import { networkRig, type Peer } from '../testing/network-rig.ts';
import { stampOf } from '../testing/ntp-stamp.ts';
import { ntpPort } from './sntp.ts';

const serverIp = '10.5.6.9';
const nowMs = Date.UTC(2025, 2, 1, 10, 0, 0);

interface Server {
  /** What it says, given the request; the right time without it. */
  answer: (request: Uint8Array) => Uint8Array | undefined;
}

function reply(request: Uint8Array, changes: { stratum?: number; code?: string } = {}): Uint8Array {
  const bytes = new Uint8Array(48);
  const view = new DataView(bytes.buffer);
  bytes[0] = 0x24;
  bytes[1] = changes.stratum ?? 2;
  if (changes.code) bytes.set(Buffer.from(changes.code), 12);
  bytes.set(request.subarray(40, 48), 24);
  view.setBigUint64(32, stampOf(nowMs));
  view.setBigUint64(40, stampOf(nowMs));
  return bytes;
}

/** A module that has joined, beside a time server. */
async function timeRig(answer: Server['answer'] = reply, ...commands: readonly string[]) {
  const rig = await networkRig();
  const server: Server = { answer };
  const peer = await rig.peer(
    serverIp,
    { port: ntpPort },
    ({ bytes, address, port }: Datagram, socket: Peer['socket']) => {
      const said = server.answer(bytes);
      if (said) ignoreFailure(socket.send(said, address, port));
    },
  );
  await rig.runAll(`set ntp.server ${serverIp}`, 'set broadcast.interval 0', ...commands);
  return { ...rig, peer, server };
}

// MOD-RULE-time, MOD-VAR-ntp.enabled, MOD-VAR-ntp.server
describe('network time', () => {
  test('sets the clock once the network is up', async () => {
    const { join, module, peer, run } = await timeRig();
    expect(module.rtc.isSet).toBe(false);
    await join();
    expect(peer.received).toHaveLength(1);
    expect(module.rtc.isSet).toBe(true);
    expect(Math.abs(module.rtc.nowMs() - nowMs)).toBeLessThan(3);
    expect(await run('get time.last_set')).toBe('0 0');
  });

  test('counts half of the way of the reply', async () => {
    const { clock, join, module, network, pass } = await timeRig();
    network.datagramConditions = () => ({ latencyMs: 200 });
    await join(10);
    const before = clock.monotonic();
    await pass(400);
    expect(Math.abs(module.rtc.nowMs() - (nowMs + 200 + clock.monotonic() - before - 390))).toBeLessThan(5);
  });

  test.each(['set ntp.enabled 0', 'set ntp.interface softap'])(
    '%s: no request goes to the network',
    async (command) => {
      const { join, pass, peer } = await timeRig(reply, command);
      await join();
      await pass(10_000_000);
      expect(peer.received).toEqual([]);
    },
  );

  // MOD-VAR-ntp.interface
  test('runs on the interface that its variable names', async () => {
    const { pass, peer, run } = await timeRig(reply, 'set ntp.interface softap');
    await run('network_up -i softap');
    await pass(0);
    expect(peer.received).toHaveLength(1);
  });

  // MOD-VAR-ntp.interval
  test('asks again after every interval, which may change at any time', async () => {
    const { join, pass, peer, run } = await timeRig();
    await join();
    await pass(3_600_000);
    expect(peer.received).toHaveLength(2);
    await run('set ntp.interval 300');
    await pass(300_000);
    expect(peer.received).toHaveLength(3);
    await pass(299_000);
    expect(peer.received).toHaveLength(3);
    await pass(1_000);
    expect(peer.received).toHaveLength(4);
  });

  test('asks another server at once, with a port if need be', async () => {
    const { join, module, pass, peer, run } = await timeRig(() => undefined);
    await join();
    const other = await module.net.resolve(serverIp);
    expect(other.ok).toBe(true);
    peer.received.length = 0;
    await run(`set ntp.server ${serverIp}:${ntpPort}`);
    await pass(0);
    expect(peer.received).toHaveLength(1);
  });

  test('tries again later and later while no server answers', async () => {
    const { join, module, pass, peer, server } = await timeRig(() => undefined);
    const atMs: number[] = [];
    const sinceMs = module.rtc.uptimeMs();
    server.answer = () => void atMs.push(Math.round((module.rtc.uptimeMs() - sinceMs) / 1000));
    await join();
    await pass(200_000);
    expect(atMs).toEqual([0, 5, 13, 29, 61, 125]);
    server.answer = reply;
    await pass(200_000);
    expect(module.rtc.isSet).toBe(true);
    const { length } = peer.received;
    await pass(3_400_000);
    expect(peer.received).toHaveLength(length);
  });

  test('never waits longer than the interval', async () => {
    const { join, pass, peer } = await timeRig(() => undefined, 'set ntp.interval 300');
    await join();
    await pass(3_600_000);
    peer.received.length = 0;
    await pass(3_000_000);
    expect(peer.received).toHaveLength(10);
  });

  test.each([
    ['the reply to another request', (request: Uint8Array) => reply(request).with(24, (request[40] ?? 0) ^ 1)],
    ['stratum 16', (request: Uint8Array) => reply(request, { stratum: 16 })],
    ['half a reply', (request: Uint8Array) => reply(request).subarray(0, 24)],
  ])('does not believe %s', async (_, answer) => {
    const { join, module, pass } = await timeRig(answer);
    await join();
    await pass(60_000);
    expect(module.rtc.isSet).toBe(false);
  });

  test.each(['DENY', 'RSTR'])('never asks a server again that says %s', async (code) => {
    const { join, pass, peer } = await timeRig((request) => reply(request, { stratum: 0, code }));
    await join();
    await pass(10_000_000);
    expect(peer.received).toHaveLength(1);
  });

  test('gives a server that says RATE the whole interval', async () => {
    const { join, pass, peer } = await timeRig((request) => reply(request, { stratum: 0, code: 'RATE' }));
    await join();
    await pass(3_599_000);
    expect(peer.received).toHaveLength(1);
    await pass(1_000);
    expect(peer.received).toHaveLength(2);
  });

  test.each(['INIT', 'STEP', '\0\0\0\0'])('asks a server soon again that is not ready: %j', async (code) => {
    const { join, module, pass, server } = await timeRig((request) => reply(request, { stratum: 0, code }));
    await join();
    server.answer = reply;
    await pass(5_000);
    expect(module.rtc.isSet).toBe(true);
  });

  test('an unknown name is tried again', async () => {
    const { join, module, pass, peer, run } = await timeRig();
    await run('set ntp.server time.example');
    await join();
    await pass(20_000);
    expect(module.rtc.isSet).toBe(false);
    await run(`set ntp.server ${serverIp}`);
    await pass(0);
    expect(module.rtc.isSet).toBe(true);
    expect(peer.received).toHaveLength(1);
  });

  test('ends with the network', async () => {
    const { clock, join, pass, peer, run } = await timeRig(() => undefined);
    await join();
    await run('network_down');
    await pass(0);
    expect(clock.pending).toBe(0);
    await pass(10_000_000);
    expect(peer.received).toHaveLength(1);
  });
});
