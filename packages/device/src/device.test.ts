import { failure, ignoreFailure, seededRandom, success, unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore, type PowerCut } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import { describe, expect, test } from 'vitest';
import { createDevice, type DeviceOptions } from './device.ts';
import type { DeviceEvent } from './events.ts';
import { rigCapabilities } from './testing/capabilities.ts';
import { ChannelPeer } from './testing/channel-peer.ts';
import { bversionOf, type PeerBundle, ServicePeer } from './testing/service-peer.ts';

const pattern = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, index) => (index * 7) & 0xff);

const bundle: PeerBundle = {
  id: '22222222-2222-4222-8222-222222222222',
  version: '1.0.0.3',
  files: [
    { name: 'program', content: pattern(3_000), version: '1.0.0.3' },
    { name: 'chart.txt', content: pattern(70_000) },
  ],
};

const small: PeerBundle = { ...bundle, files: bundle.files.map((file) => ({ ...file, content: pattern(300) })) };

/** A plain program on a network in memory with a service peer. */
async function rig(store = new MemoryStore()) {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  const peer = new ServicePeer();
  peer.bundle = bundle;
  await peer.attach(network.attach('service.test', '10.9.9.9'));
  const net = network.attach('lamp', '10.5.6.7');
  const powerOn = async (from: MemoryStore, more: Pick<DeviceOptions, 'consent' | 'healthy'> = {}) => {
    const device = await createDevice({
      clock,
      net,
      store: from,
      identity: { mac: '02:00:00:00:00:07', uuid: '4D4F4F52000000000000000000000000000000FF' },
      service: { host: 'service.test', port: 443 },
      version: 'LAMP-0.9.0.0',
      random: seededRandom(1),
      ...more,
    });
    const events: DeviceEvent[] = [];
    device.client.onEvent((event) => events.push(event));
    return { ...device, events };
  };
  const until = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    for (let step = 0; step < 6_000 && !settled; step++) await clock.advance(100);
    if (!settled) throw new Error('The promise did not settle in ten minutes of device time');
    return promise;
  };
  return { clock, network, peer, store, powerOn, until };
}

const contentOf = async (device: Awaited<ReturnType<Awaited<ReturnType<typeof rig>>['powerOn']>>, name: string) => {
  const content = await device.files.readAll(name, 1_000_000);
  return content.ok ? Uint8Array.from(content.value) : undefined;
};

describe('a program that is no module', () => {
  test('provisions, claims, updates with a cut download and reports what it runs', async () => {
    const { network, peer, store, powerOn, until, clock } = await rig();
    const device = await powerOn(store);
    expect(await until(device.client.provision('token-1'))).toEqual({ ok: true, value: undefined });
    expect(device.files.stat('device.key')?.isSecret).toBe(true);
    expect(await until(device.client.claim({ product: 'ACME-LAMP', token: 'A'.repeat(32) }))).toMatchObject({
      ok: true,
    });
    // The first connection of the update ends in the middle of its second file.
    let index = 0;
    network.conditions = () => (index++ === 0 ? { cutAfterBytes: 40_000 } : {});
    expect(await until(device.client.ota())).toEqual({ ok: true, value: 'updated' });
    await clock.advance(1_000);
    expect(peer.downloads.filter((path) => path.includes('bytes='))).toHaveLength(1);
    expect(await contentOf(device, 'chart.txt')).toEqual(pattern(70_000));
    expect(peer.reports.at(-1)).toEqual({ bundle_id: bundle.id, result: 1, bversion: bversionOf(bundle) });
    expect(device.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['provisioned', 'installed', 'updated']),
    );
    expect(device.client.reportPending).toBe(false);
    device.stop();
  });

  test('writes samples and takes controls of the data cloud', async () => {
    const { peer, store, powerOn, until } = await rig();
    const device = await powerOn(store);
    unwrap(await until(device.client.provision('token-1')));
    const content = Buffer.from(JSON.stringify(rigCapabilities));
    const writer = await device.files.create({
      purpose: 'requested',
      name: 'caps.json',
      size: content.length,
      version: [1, 0, 0, 0],
    });
    if (!writer.ok) throw new Error(writer.error);
    await writer.value.append(content);
    expect(await writer.value.finish()).toMatchObject({ ok: true });
    expect(await until(device.data.activate({ username: 'ada', password: 'secret' }, 'caps.json'))).toMatchObject({
      ok: true,
    });
    expect(await until(device.data.write([{ name: 'temp', text: '21.5', t: 7 }]))).toEqual({
      ok: true,
      value: undefined,
    });
    expect(await until(device.data.sync('both'))).toEqual({ ok: true, value: undefined });
    expect(peer.requests.map(({ body }) => body)).toContainEqual(
      expect.objectContaining({ samples: [{ n: 'temp', v: 21.5, t: 7 }] }),
    );
    expect(device.data.read('led1')).toEqual({ ok: true, value: [{ n: 'led1', v: 0, t: 0 }] });
    device.stop();
  });

  test('comes back from a cut at any moment of an update, and completes it', async () => {
    const whole = await rig(new MemoryStore({ cut: { atOperation: Number.POSITIVE_INFINITY, effect: 'lost' } }));
    whole.peer.bundle = small;
    const first = await whole.powerOn(whole.store);
    unwrap(await whole.until(first.client.provision('token-1')));
    const before = whole.store.operations;
    unwrap(await whole.until(first.client.ota()));
    await whole.clock.advance(1_000);
    const moments = Array.from({ length: whole.store.operations - before }, (_, index) => before + index);
    expect(moments.length).toBeGreaterThan(10);
    for (const atOperation of moments) {
      for (const effect of ['lost', 'kept'] as const) await throughCut({ atOperation, effect });
    }
  });
});

async function throughCut(cut: PowerCut): Promise<void> {
  const { peer, store, powerOn, until, clock } = await rig(new MemoryStore({ cut }));
  peer.bundle = small;
  const device = await powerOn(store);
  unwrap(await until(device.client.provision('token-1')));
  // The cut ends it in one way or another.
  await until(device.client.ota()).then(ignoreFailure, () => {});
  await clock.advance(1_000);
  device.stop();
  const back = await powerOn(store.survivor());
  for (const file of small.files) {
    // Whole or absent.
    const content = await contentOf(back, file.name);
    if (content) expect(content, JSON.stringify(cut)).toEqual(file.content);
  }
  expect(await until(back.client.ota()), JSON.stringify(cut)).toMatchObject({ ok: true });
  await clock.advance(1_000);
  for (const { name, content } of small.files)
    expect(await contentOf(back, name), JSON.stringify(cut)).toEqual(content);
  expect(peer.reports.at(-1)).toEqual({ bundle_id: bundle.id, result: 1, bversion: bversionOf(bundle) });
  back.stop();
}

test('a device that is online answers commands, sends telemetry and updates itself when it is woken', async () => {
  const { clock, peer, store, powerOn, until } = await rig();
  const channel = new ChannelPeer(peer);
  channel.answer = ({ id }) => (id === undefined ? undefined : { id, data: null });
  peer.bundle = undefined;
  const device = await powerOn(store);
  unwrap(await until(device.client.provision('token-1')));
  const commands: string[] = [];
  device.connect({
    async command(line) {
      commands.push(line);
      return line === 'level' ? success({ code: 0, data: '1.72' }) : failure('unknown command');
    },
    telemetry: { intervalMs: 10_000, values: () => ({ level: 1.72 }) },
  });
  for (let step = 0; step < 300; step++) await clock.advance(100);
  const telemetry = channel.messages.filter(({ request }) => request === 'telemetry');
  expect(telemetry.length).toBeGreaterThanOrEqual(2);
  expect(telemetry[0]).toMatchObject({ data: { level: 1.72 } });
  channel.answer = () => undefined;
  channel.send({ id: 7, request: 'command', data: 'level' });
  channel.send({ id: 8, request: 'command', data: 'lamp on' });
  await clock.advance(100);
  expect(commands).toEqual(['level', 'lamp on']);
  expect(channel.messages).toContainEqual({ id: 7, code: 0, data: '1.72' });
  expect(channel.messages).toContainEqual({ id: 8, error: 'unknown command' });
  peer.bundle = small;
  channel.send({ action: 'ota' });
  for (let step = 0; step < 400; step++) await clock.advance(100);
  expect(device.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['installed', 'updated']));
  expect(device.client.isOnline).toBe(true);
  device.stop();
  expect(device.client.isOnline).toBe(false);
});

test('a device without a command line says so', async () => {
  const { clock, peer, store, powerOn, until } = await rig();
  const channel = new ChannelPeer(peer);
  const device = await powerOn(store);
  unwrap(await until(device.client.provision('token-1')));
  device.connect();
  for (let step = 0; step < 20; step++) await clock.advance(100);
  channel.send({ id: 1, request: 'command', data: 'level' });
  await clock.advance(100);
  expect(channel.messages).toContainEqual({ id: 1, error: 'the device has no command line' });
  device.stop();
});

test('an update that is not forced waits for consent, unless it is asked for', async () => {
  const { peer, store, powerOn, until } = await rig();
  peer.bundle = small;
  peer.hints = { install: { force: 'soft', wait_s: 0 } };
  const asked: string[] = [];
  let agrees = false;
  const device = await powerOn(store, {
    async consent(version) {
      asked.push(version);
      return agrees;
    },
  });
  expect(unwrap(await until(device.client.update()))).toBe('none');
  expect(peer.downloads).toEqual([]);
  agrees = true;
  expect(unwrap(await until(device.client.update()))).toBe('installed');
  expect(asked).toEqual([small.version, small.version]);
  expect(unwrap(await until(device.client.update({ force: true })))).toBe('installed');
  expect(asked).toHaveLength(2);
});

test('an update that is refused is reported so, and not fetched', async () => {
  const { peer, store, powerOn, until } = await rig();
  peer.bundle = small;
  peer.hints = { install: { force: 'soft', wait_s: 0 } };
  const device = await powerOn(store, { consent: async () => 'refused' });
  expect(unwrap(await until(device.client.update()))).toBe('none');
  expect(peer.downloads).toEqual([]);
  expect(peer.reports).toEqual([{ bundle_id: small.id, result: 3, bversion: expect.any(String), failure: 'refused' }]);
});

test('a device that does not work with an update reports that instead of its success', async () => {
  const { clock, peer, store, powerOn, until } = await rig();
  peer.bundle = small;
  const asked: string[] = [];
  const device = await powerOn(store, {
    async healthy(version) {
      asked.push(version);
      return false;
    },
  });
  unwrap(await until(device.client.ota()));
  const bversion = bversionOf(small);
  await clock.advance(1_000);
  expect(peer.reports.at(-1)).toEqual({ bundle_id: small.id, result: 3, bversion, failure: 'health' });
  expect(asked).toEqual([bversion]);
});
