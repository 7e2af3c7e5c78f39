import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../packages/moorage/src/up/example.ts';
import { type ClientWorld, clientWorld, isLacking } from './clients.ts';

const needs = {
  mender: 'mender-client',
  'mender-artifact': 'mender-artifact',
  'dbus-run-session': 'dbus-daemon',
} as const;

const slow = { timeout: 180_000, interval: 200 };
/** What Debian's package leaves to the maker of the device. */
const identity = '/usr/share/mender/identity/mender-device-identity';
const info = '/etc/mender/artifact_info';

const mayWrite = process.getuid?.() === 0;
if (!mayWrite) console.warn('Mender is left out: its identity has to be written for the whole system, by root');

describe.skipIf(isLacking(needs) || !mayWrite)('mender-client, as the system has it', () => {
  let world: ClientWorld;
  const made: string[] = [];

  beforeAll(async () => {
    world = await clientWorld();
    for (const folder of ['/usr/share/mender/identity', '/etc/mender']) await mkdir(folder, { recursive: true });
    for (const file of [identity, info]) if (!existsSync(file)) made.push(file);
    if (made.includes(info)) await writeFile(info, 'artifact_name=rel-1\n');
  });
  afterAll(async () => {
    await world.close();
    for (const file of made) await rm(file);
  });

  let macs = 0;

  /** A device that has not run yet. */
  async function newDevice() {
    const mac = `02:00:00:00:01:${(++macs).toString(16).padStart(2, '0')}`;
    const data = join(world.folder, `mender-${macs}`);
    await mkdir(data);
    await writeFile(join(data, 'device_type'), 'device_type=moor-board\n');
    await writeFile(join(data, 'empty.json'), '{}');
    return { mac, data };
  }
  type Device = Awaited<ReturnType<typeof newDevice>>;

  async function run({ mac, data }: Device, tenantToken: string) {
    await writeFile(identity, `#!/bin/sh\necho mac=${mac}\n`, { mode: 0o755 });
    const settings = {
      ServerURL: world.url,
      TenantToken: tenantToken,
      ServerCertificate: world.ca,
      UpdatePollIntervalSeconds: 2,
      InventoryPollIntervalSeconds: 5,
      RetryPollIntervalSeconds: 2,
      RetryPollCount: 3,
      DeviceTypeFile: join(data, 'device_type'),
      UpdateLogPath: data,
    };
    const config = join(data, 'mender.conf');
    await writeFile(config, JSON.stringify(settings));
    const mender = ['mender', '--no-syslog', '-l', 'debug', '-c', config, '-b', join(data, 'empty.json'), '-d', data];
    return world.start('dbus-run-session', ['--', ...mender, 'daemon']);
  }

  /** An artifact that writes a file, as the program of Mender makes it. */
  async function artifactOf({ data }: Device, name: string, payload: Uint8Array, type = 'moor-board') {
    const folder = join(data, name);
    await mkdir(folder);
    const files = { dest_dir: join(data, 'installed'), filename: 'app.bin', permissions: '644' };
    await mkdir(files.dest_dir, { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
    await writeFile(join(folder, 'app.bin'), payload);
    const parts = ['dest_dir', 'filename', 'permissions', 'app.bin'].flatMap((file) => ['-f', file]);
    const args = ['write', 'module-image', '-t', type, '-o', 'out.mender', '-T', 'single-file', '-n', name, ...parts];
    execFileSync('mender-artifact', args, { cwd: folder, stdio: 'ignore' });
    return readFile(join(folder, 'out.mender'));
  }

  const installed = ({ data }: Device) => readFile(join(data, 'installed', 'app.bin'));
  const stateOf = async ({ mac }: Device) => (await world.updateOf(mac))?.state;

  async function newProduct() {
    const product = await world.openProduct();
    return { product, token: (await world.tokenOf(product.id, 'mender')).token };
  }

  it('registers with its key, installs over TLS, commits, and is done by the name that it reports', async () => {
    const { product, token } = await newProduct();
    const device = await newDevice();
    const payload = randomBytes(200_000);
    await world.release(product.id, 'image.mender', await artifactOf(device, 'rel-2', payload));
    const client = await run(device, token);
    await expect.poll(() => stateOf(device), slow).toBe('done');
    await client.stop();
    expect(await installed(device)).toEqual(payload);
    const { id = '' } = (await world.deviceNamed(device.mac)) ?? {};
    const attributes = must(await world.client.call('attributes.list', { params: { device_id: id } }));
    expect(attributes).toContainEqual(expect.objectContaining({ name: 'artifact_name', value: 'rel-2' }));
    expect(await world.saidOf((await world.updateOf(device.mac))?.id ?? 0)).toMatch(/^downloading\n(.*\n)*success$/);
  });

  it('waits until people let its key in', async () => {
    const { product } = await newProduct();
    const device = await newDevice();
    const client = await run(device, product.product);
    const params = { product_id: product.id };
    const waiting = async () => must(await world.client.call('doors.waiting', { params })).map(({ name }) => name);
    await expect.poll(waiting, slow).toEqual([device.mac]);
    must(await world.client.call('doors.decide', { params, body: { accept: true } }));
    const seenAt = async () => (await world.deviceNamed(device.mac))?.last_seen_at ?? null;
    await expect.poll(seenAt, slow).not.toBeNull();
    await client.stop();
  });

  it('aborts when the update is taken back, and reports it', async () => {
    const { product, token } = await newProduct();
    const device = await newDevice();
    await world.release(product.id, 'image.mender', await artifactOf(device, 'rel-2', randomBytes(3_000_000)));
    world.trouble.bytesPerSecond = 200_000;
    const client = await run(device, token);
    await expect.poll(() => stateOf(device), slow).toBe('downloading');
    const before = await world.updateOf(device.mac);
    const payload = randomBytes(1_000);
    await world.release(product.id, 'image.mender', await artifactOf(device, 'rel-3', payload));
    // The service says it with the next request of the device for anything.
    const { id = '' } = (await world.deviceNamed(device.mac)) ?? {};
    must(await world.client.call('rollouts.selection', { params: { device_id: id } }));
    world.trouble.bytesPerSecond = undefined;
    await expect.poll(() => installed(device).catch(() => undefined), slow).toEqual(payload);
    expect(before?.state).toBe('downloading');
    await client.stop();
  });

  it('stays out with a wrong token', async () => {
    await newProduct();
    const device = await newDevice();
    const client = await run(device, 'not-a-token');
    await expect.poll(() => client.output(), slow).toMatch(/401|[Uu]nauthori[sz]ed/);
    await client.stop();
    expect(await world.deviceNamed(device.mac)).toBeUndefined();
  });
});
