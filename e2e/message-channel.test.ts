import { once } from 'node:events';
import { createServer } from 'node:http';
import { type Clock, ignoreFailure, realClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule, type Module } from '@moorage/module';
import { nodeNet } from '@moorage/net/node';
import { eachDatabase } from '@moorage/service/testing/index';
import { afterEach, expect, test } from 'vitest';
import { must } from '../packages/moorage/src/up/example.ts';
import { claim, type Harbour, openHarbour, provision, updateLanded } from './harbour.ts';

const deviceOf = async ({ client, module }: Harbour) =>
  must(await client.call('devices.get', { params: { identifier: module.identity.uuid } }));

/** Restarts the network, so that the channel opens; resolves when the service knows. */
async function goOnline(harbour: Harbour, settings: readonly string[]): Promise<void> {
  for (const words of settings) await harbour.run(`set ${words}`);
  await harbour.run('save');
  harbour.module.wlan.down('wlan');
  ignoreFailure(await harbour.module.wlan.ensureUp('wlan'));
  await isOnline(harbour, true);
  await expect.poll(() => harbour.module.client.isOnline, { interval: 10 }).toBe(true);
}

const isOnline = (harbour: Harbour, online: boolean) =>
  expect.poll(async () => (await channelOf(harbour)).online, { interval: 20 }).toBe(online);

async function channelOf(harbour: Harbour) {
  const { id } = await deviceOf(harbour);
  return must(await harbour.client.call('channel.status', { params: { device_id: id } }));
}

async function command(harbour: Harbour, line: string) {
  const { id } = await deviceOf(harbour);
  return harbour.client.call('channel.command', { params: { device_id: id }, body: { command: line } });
}

/** Log lines and code of a command that need not succeed. */
async function attempt({ module }: { readonly module: Module }, line: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const detach = module.log.attach((text) => lines.push(text));
  const { code, text } = await module.execute(line);
  detach();
  return [...lines, `${code} ${text}`];
}

eachDatabase('the link', (open) => {
  let harbour: Harbour | undefined;
  const extra: Module[] = [];

  afterEach(async () => {
    for (const module of extra.splice(0)) await module.close();
    await harbour?.close();
    harbour = undefined;
  });

  async function ready(options?: Parameters<typeof openHarbour>[1]): Promise<Harbour> {
    harbour = await openHarbour(await open(), options);
    await provision(harbour);
    await claim(harbour);
    return harbour;
  }

  // MOD-CHAN-command, API-CHAN-command, API-CHAN-online
  test('carries commands of users to the module, and their output back', async () => {
    const it = await ready();
    expect(
      must(await it.client.call('channel.status', { params: { device_id: (await deviceOf(it)).id } })).online,
    ).toBe(false);
    await goOnline(it, ['dms.cmd.enabled 1']);
    expect(must(await command(it, 'get wlan.ssid'))).toEqual({ code: 0, data: 'harbour' });
    expect(must(await command(it, 'nonsense'))).toEqual({ code: 3, data: 'Unknown command' });
    expect(Buffer.from(must(await it.client.call('meta.metrics')) as Uint8Array).toString()).toContain(
      '\nmoorage_channels 1\n',
    );
    await it.run('set dms.cmd.enabled 0');
    expect(await command(it, 'get wlan.ssid')).toMatchObject({
      ok: false,
      error: { body: { code: 'DEVICE_REFUSED' } },
    });
    it.module.wlan.down('wlan');
    await isOnline(it, false);
  });

  // MOD-CHAN-request, MOD-CHAN-telemetry, API-CHAN-echo, API-CHAN-webhook, API-CHAN-telemetry
  test('carries echoes, webhooks and telemetry of the module', async () => {
    const received: unknown[] = [];
    const party = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.push(JSON.parse(Buffer.concat(chunks).toString()));
        response.setHeader('content-type', 'application/json').end('{"level":"high"}');
      });
    }).listen(0, '127.0.0.1');
    await once(party, 'listening');
    const address = party.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const it = await ready({ settings: { connectorAllow: ['127.0.0.1/32'] } });
    const opts = { type: 'webhook', url: `http://127.0.0.1:${port}/tide` } as const;
    const body = { title: 'Tide', code: 'TIDE', opts };
    must(await it.client.call('connectors.create', { params: { product_id: it.product.id }, body }));
    // Telemetry has what the status broadcast has.
    await goOnline(it, ['dms.telemetry.interval 50', 'broadcast.data ssid']);
    expect(await it.run('dms echo "is it there"')).toBe('is it there');
    expect(await it.run('dms webhook TIDE {"cm": 412}')).toBe('{"level":"high"}');
    expect(received).toMatchObject([
      { code: 'TIDE', data: { cm: 412 }, device: { uuid: it.module.identity.uuid.toLowerCase() } },
    ]);
    expect(await attempt(it, 'dms webhook NOBODY')).toEqual([expect.stringContaining('not found'), '1 Command failed']);
    expect(await it.run('dms telemetry {"cm": 412}')).toBe('Success');
    await expect
      .poll(async () => (await channelOf(it)).telemetry?.data, { interval: 20 })
      .toMatchObject({ uptime: expect.any(Number), memory: expect.any(Number), ssid: 'harbour' });
    party.close();
  });

  // MOD-FILES-cloud, API-RULE-files-1, API-RULE-files-2
  test('carries files of the device and assets of its product', async () => {
    const it = await ready();
    const content = Buffer.from(Array.from({ length: 90_000 }, (_, index) => (index * 7 + (index >> 8)) & 0xff));
    await it.module.execute(`file_create tides.bin ${content.length}`, content);
    expect(await it.run('dms file upload device tides.bin logs/2026/tides.bin')).toBe('Success');
    expect(await it.run('dms file list device')).toMatch(
      /^! # {5}Size {2}CRC .*\r\n# 0 {4}90000 [0-9A-F]{4} \S+Z logs\/2026\/tides.bin$/,
    );
    expect(await it.run('dms file stat 1 logs/2026/tides.bin')).toMatch(
      /^path: logs\/2026\/tides.bin\r\nsize: 90000\r\n/,
    );
    const { id } = await deviceOf(it);
    const params = { device_id: id, path: 'logs/2026/tides.bin' };
    expect(Buffer.from(must(await it.client.call('deviceFiles.get', { params })))).toEqual(content);
    // A cut in the middle is gone on with.
    it.wire.cutAfterBytes = 50_000;
    const connections = it.wire.connections;
    const going = it.run('dms file download device logs/2026/tides.bin copy.bin');
    await expect.poll(() => it.wire.connections).toBeGreaterThan(connections);
    it.wire.cutAfterBytes = undefined;
    expect(await going).toMatch(/^90000,[0-9A-F]{4},1.0.0.0,e,FE,0021$/);
    const copy = await it.module.flash.readAll('copy.bin', 100_000);
    expect(copy.ok && Buffer.from(copy.value).equals(content)).toBe(true);
    expect(await it.run('dms file delete device logs/2026/tides.bin')).toBe('Success');
    expect((await attempt(it, 'dms file stat device logs/2026/tides.bin')).at(-1)).toBe('1 Command failed');
    expect((await attempt(it, 'dms file upload device device.key')).at(-1)).toBe('1 Command failed');

    const asset = { product_id: it.product.id, path: 'chart.txt' };
    must(await it.client.call('assets.upload', { params: asset, body: new Blob(['deep here']) }));
    expect(await it.run('dms file list product *.txt')).toContain('chart.txt');
    await it.run('dms file download product chart.txt');
    const chart = await it.module.flash.readAll('chart.txt', 100);
    expect(chart.ok && Buffer.from(chart.value).toString()).toBe('deep here');
    expect((await attempt(it, 'dms file delete product chart.txt')).at(-1)).toBe('1 Command failed');
    expect((await attempt(it, 'dms file upload product chart.txt')).at(-1)).toBe('1 Command failed');
  });

  // MOD-CHAN-ota, API-CHAN-wake
  test('wakes a module to its update when a bundle is tagged', async () => {
    // The wait before it asks is drawn from half a minute. Its time-outs are whole seconds, and stay: they count the time
    // of a real network.
    const after: Clock['after'] = (delayMs, task) =>
      realClock.after(delayMs % 1_000 === 0 ? delayMs : Math.min(delayMs, 100), task);
    const it = await ready({ clock: { ...realClock, after } });
    ignoreFailure(await it.client.call('bundles.setTag', { params: { bundle_id: it.bundle.id }, body: { tag: '' } }));
    await goOnline(it, ['dms.auto_start_enabled 1']);
    await expect.poll(() => it.module.client.otaResult, { interval: 20 }).toBe(9);
    const landed = updateLanded(it);
    must(await it.client.call('bundles.setTag', { params: { bundle_id: it.bundle.id }, body: { tag: 'release' } }));
    await landed;
    expect(await deviceOf(it)).toMatchObject({ bundle_id: it.bundle.id, bundle_ok: true });
  });

  // MOD-ID-renew, API-DEV-POST-certificate
  test('renews its certificate in the last third of its life, and the one before is no longer good', async () => {
    // 21 of 30 years later, for the module.
    let aheadMs = 0;
    const clock: Clock = { ...realClock, now: () => realClock.now() + aheadMs };
    const it = await ready({ clock });
    await goOnline(it, ['dms.cmd.enabled 1']);
    const read = async (name: string) => {
      const content = await it.module.flash.readAll(name, 65_536);
      return content.ok ? Buffer.from(content.value) : Buffer.alloc(0);
    };
    const old = { crt: await read('device.crt'), key: await read('device.key') };
    aheadMs = 21 * 365 * 86_400_000;
    await it.run('dms info');
    expect((await read('device.crt')).equals(old.crt)).toBe(false);
    expect((await read('device.key')).equals(old.key)).toBe(false);
    expect(it.module.flash.stat('renewed.crt')).toBeUndefined();
    await it.run('dms info');
    // It is back on its channel with the new one.
    await expect.poll(async () => (await command(it, 'get wlan.ssid')).ok, { interval: 50 }).toBe(true);
    for (const [name, content] of Object.entries({ 'device.crt': old.crt, 'device.key': old.key })) {
      ignoreFailure(await it.module.flash.remove(name, { force: true }));
      await it.module.execute(`file_create ${name} ${content.length}`, content);
    }
    expect((await attempt(it, 'dms info')).at(-1)).toBe('1 Command failed');
    await attempt(it, 'ota');
    expect(await it.run('get dms.ota_result')).toBe('7');
  });

  // MOD-OTA-result, API-DEV-identity
  test('refuses disabled, unknown, re-flashed and cloned modules with result 7', async () => {
    const it = await ready();
    const result = async (module: Module) => {
      await module.execute('ota');
      return (await module.execute('get dms.ota_result')).text;
    };
    const { id } = await deviceOf(it);
    const identity = await Promise.all(
      ['device.crt', 'device.key', 'ca.pem'].map(async (name) => {
        const content = await it.module.flash.readAll(name, 65_536);
        return [name, content.ok ? Buffer.from(content.value) : Buffer.alloc(0)] as const;
      }),
    );
    /** Another module on the same wire, joined, with some of these files. */
    const another = async (seed: number, files: typeof identity) => {
      const module = await createModule({
        clock: realClock,
        store: new MemoryStore(),
        net: nodeNet({ ip: '127.0.0.1', portOffset: 9_000 + 1_000 * extra.length, listenLan: false }),
        seed,
        service: { host: '127.0.0.1', port: it.wire.port },
      });
      extra.push(module);
      await module.boot();
      for (const line of ['set wlan.ssid harbour', 'set wlan.passkey moorings', 'set broadcast.interval 0'])
        await module.execute(line);
      for (const [name, content] of files) await module.execute(`file_create ${name} ${content.length}`, content);
      return module;
    };
    const ca = identity.slice(2);
    // This one is unknown; this one is known, and has lost its identity; this one has the identity of another.
    expect(await result(await another(77, ca))).toBe('7');
    expect(await result(await another(1, ca))).toBe('7');
    expect(await result(await another(78, identity))).toBe('7');
    must(await it.client.call('devices.setState', { params: { device_id: id }, body: { state: 'disabled' } }));
    expect(await result(it.module)).toBe('7');
    must(await it.client.call('devices.setState', { params: { device_id: id }, body: { state: 'enabled' } }));
    const landed = updateLanded(it);
    await it.run('ota');
    await landed;
    expect(await it.run('get dms.ota_result')).toBe('1');
  });
});
