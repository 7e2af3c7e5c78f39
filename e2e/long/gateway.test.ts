import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, createClient } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { afterEach, expect, test } from 'vitest';
import { eventOf, killAll, type Moorage, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';
import { administratorOf, freePorts, login } from '../up-scene.ts';
import { makeWallProduct, wallDefaults } from '../wall-module.ts';

const folder = dataFolder('gateway');
afterEach(killAll);
const admin = { MOORAGE_ADMIN_EMAIL: 'owner@example.com', MOORAGE_ADMIN_PASSWORD: 'a long password' };

/** A virtual module that knows no service, with a flash that outlives it. */
async function startModule(settings: Readonly<Record<string, string>> = {}): Promise<Moorage> {
  const personality = join(folder.path, 'personality.json');
  await writeFile(personality, JSON.stringify({ variableDefaults: { ...wallDefaults, ...settings } }));
  const place = ['--flash', join(folder.path, 'flash'), '--serial', 'none', '--port-offset', '43000'];
  const module = moorage(['module', ...place, '--personality', personality, '--json']);
  await eventOf(module, 'ready');
  return module;
}

/** A product for modules of this hardware, and what publishes a bundle for them. */
async function makeProduct(client: Client, partId: string) {
  const { product, firmware_id } = await makeWallProduct(client, partId);
  const publish = async (
    version: string,
    files: readonly (readonly [filename: string, type: string, content: string])[],
  ) => {
    const made = { product_id: product.id, firmware_id, version };
    const { id } = unwrap(
      await client.call('bundles.create', { params: { product_id: product.id }, body: made }),
    ).value;
    const bundle = { params: { bundle_id: id } };
    for (const [filename, type, content] of files) {
      const resource = { filename, type, version, mime: 'text/plain', base64: Buffer.from(content).toString('base64') };
      unwrap(await client.call('bundles.addResource', { ...bundle, body: resource }));
    }
    unwrap(await client.call('bundles.setState', { ...bundle, body: { state: 'published' } }));
    unwrap(await client.call('bundles.setTag', { ...bundle, body: { tag: 'release' } }));
  };
  return { product, publish };
}

const page = (text: string): string => `<h1>${text}</h1>\n`.repeat(4_000);

test('a module without a service is found, rescued, adopted and updated, and comes back whole from a cut', async () => {
  const data = join(folder.path, 'data');
  const serving = moorage(['serve', '--data', data, '--port', '0', '--device-port', '0', '--json'], admin);
  const { api, devices } = await eventOf(serving, 'ready');
  const stranger = createClient({ baseUrl: String(api), token: undefined });
  const credentials = { username: 'owner@example.com', password: 'a long password' };
  const { token } = unwrap(await stranger.call('auth.login', { body: credentials })).value;
  const client = createClient({ baseUrl: String(api), token });
  const module = await startModule();
  const found = moorage(['gateway', 'find', '--ip', '127.0.0.1', '--seconds', '4', '--json']);
  const { addresses } = await eventOf(found, 'found');
  const [address = ''] = addresses as string[];
  expect(address).toBe('http://127.0.0.1:43080');
  const rescued = moorage(['rescue', address, '--output', join(folder.path, 'module.zip'), '--json']);
  expect(await rescued.ended).toBe(0);
  const { uuid } = JSON.parse(module.lines[0] ?? '{}');
  const { product, publish } = await makeProduct(client, String(uuid).slice(0, 8).toLowerCase());
  const script = 'set user.data first\nsave\n';
  await publish('1.0.0.0', [
    ['webapp/page.html', 'MISC_FIX_LEN', page('First')],
    ['boot.script', 'FD', script],
  ]);

  const home = join(folder.path, 'gateway');
  const service = ['--service', String(devices), '--data', home, '--ip', '127.0.0.1', '--json'];
  const as = { MOORAGE_API: String(api), MOORAGE_TOKEN: token };
  const streams = join(folder.path, 'streams.json');
  const uptime = { type: 'number', units: 's', command: 'get time.uptime' };
  await writeFile(streams, JSON.stringify({ name: 'Gauge', version: '1', streams: { uptime } }));
  const adoption = ['--adopt', address, '--product', product.product, '--streams', streams];
  const gateway = moorage(['gateway', ...service, ...adoption], as);
  const { device } = await eventOf(gateway, 'adopted');
  const params = { identifier: String(device) };
  await eventOf(gateway, 'updated');
  const read = async () => unwrap(await client.call('devices.get', { params })).value;
  await expect.poll(async () => (await read()).bundle_ok, { timeout: 60_000 }).toBe(true);
  expect(await read()).toMatchObject({ online: true, bundle: '1.0.0.0' });
  const command = { params: { device_id: String(device) }, body: { command: 'get user.data' } };
  expect(unwrap(await client.call('channel.command', command)).value).toMatchObject({ code: 0, data: 'first' });
  const measured = async () =>
    unwrap(await client.call('data.samples', { params: { device_id: String(device), name: 'uptime' } })).value;
  await expect
    .poll(measured, { timeout: 60_000 })
    .toContainEqual(expect.objectContaining({ value: expect.any(Number) }));
  expect((await stat(join(home, 'gateway.json'))).mode & 0o777).toBe(0o600);
  gateway.process.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);

  // Again, with the same identity and no token; then the module's power goes in the middle of the push.
  await publish('1.0.0.1', [
    ['webapp/page.html', 'MISC_FIX_LEN', page('Second')],
    ['boot.script', 'FD', script],
  ]);
  const again = moorage(['gateway', ...service]);
  await again.line((line) => line.includes('"text":"Writing'));
  module.process.kill('SIGKILL');
  await module.ended;
  await startModule();
  await eventOf(again, 'updated');
  await expect.poll(async () => (await read()).bundle, { timeout: 60_000 }).toBe('1.0.0.1');
  const held = await fetch(`${address}/webapp/page.html`);
  expect(await held.text()).toBe(page('Second'));
  again.process.kill('SIGTERM');
  expect(await again.ended).toBe(0);

  // Nobody is there to answer the question.
  const restored = moorage(['rescue', '--restore', join(folder.path, 'module.zip'), address]);
  expect(await restored.ended).toBe(1);
  expect(restored.errors()).toBe('moorage: Nothing was written: answer "yes", or give --yes\n');
});

test('moorage up --gateway stands for modules beside its own, and goes on with them at its next start', async () => {
  await startModule({ 'http.server.username': 'ada', 'http.server.password': 'open sesame' });
  const data = join(folder.path, 'data');
  const place = ['up', '--data', data, ...freePorts, '--json', '--gateway', '--gateway-ip', '127.0.0.1'];
  const adoption = ['--adopt', 'http://127.0.0.1:43080', '--product', 'TIDE_GAUGE', '--user', 'ada'];
  // The password is asked for, and kept.
  const first = moorage([...place, ...adoption], login, undefined, 'open sesame\n');
  const { device } = await eventOf(first, 'adopted');
  const shown = async (ready: Record<string, unknown>) => {
    const client = await administratorOf(ready);
    const { online } = unwrap(await client.call('devices.get', { params: { identifier: String(device) } })).value;
    const attributes = unwrap(await client.call('attributes.list', { params: { device_id: String(device) } })).value;
    return { online, gateway: attributes.find(({ name }) => name === 'gateway')?.value };
  };
  const there = { online: true, gateway: 'http://127.0.0.1:43080' };
  const ready = await eventOf(first, 'ready');
  await expect.poll(() => shown(ready), { timeout: 60_000 }).toEqual(there);
  expect(await eventOf(first, 'gateway')).toMatchObject({ modules: 1 });
  first.process.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  const second = moorage(place, login);
  expect(await eventOf(second, 'gateway')).toMatchObject({ modules: 1 });
  const again = await eventOf(second, 'ready');
  await expect.poll(() => shown(again), { timeout: 60_000 }).toEqual(there);
  // The token of the first start is gone with it.
  const tokens = unwrap(await (await administratorOf(again)).call('tokens.list', {})).value;
  expect(tokens.filter(({ title }) => title === 'moorage up --gateway')).toHaveLength(1);
  second.process.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});
