import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../packages/moorage/src/up/example.ts';
import { type ClientWorld, clientWorld, isLacking, mayWriteSystem, menderFiles, menderNeeds } from './clients.ts';

const slow = { timeout: 180_000, interval: 200 };
const { identity, info } = menderFiles;

if (!mayWriteSystem) console.warn('Mender is left out: its identity has to be written for the whole system, by root');

describe.skipIf(isLacking(menderNeeds) || !mayWriteSystem)('mender-client, as the system has it', () => {
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

  interface Made {
    readonly type?: string;
    /** What runs after the file has been written, and before the client commits. */
    readonly afterInstall?: string;
  }

  /** An artifact that writes a file, as the program of Mender makes it. */
  async function artifactOf({ data }: Device, name: string, payload: Uint8Array, made: Made = {}) {
    const { type = 'moor-board', afterInstall } = made;
    const folder = join(data, name);
    await mkdir(folder);
    const script = join(folder, 'ArtifactInstall_Leave_00');
    if (afterInstall !== undefined) await writeFile(script, `#!/bin/sh\n${afterInstall}\n`, { mode: 0o755 });
    const files = { dest_dir: join(data, 'installed'), filename: 'app.bin', permissions: '644' };
    await mkdir(files.dest_dir, { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
    await writeFile(join(folder, 'app.bin'), payload);
    const parts = ['dest_dir', 'filename', 'permissions', 'app.bin'].flatMap((file) => ['-f', file]);
    const args = ['write', 'module-image', '-t', type, '-o', 'out.mender', '-T', 'single-file', '-n', name, ...parts];
    const scripts = afterInstall === undefined ? [] : ['-s', script];
    execFileSync('mender-artifact', [...args, ...scripts], { cwd: folder, stdio: 'ignore' });
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

  const said = async ({ mac }: Device) => world.saidOf((await world.updateOf(mac))?.id ?? 0);
  const before = Buffer.from('what runs now');

  /** The device has an earlier file in the place of that of the artifact. */
  async function hasEarlier({ data }: Device) {
    await mkdir(join(data, 'installed'), { recursive: true });
    await writeFile(join(data, 'installed', 'app.bin'), before);
  }

  it('resumes a download that is cut in the middle', async () => {
    const { product, token } = await newProduct();
    const device = await newDevice();
    const payload = randomBytes(3_000_000);
    await world.release(product.id, 'image.mender', await artifactOf(device, 'rel-2', payload));
    world.trouble.cutAfterBytes = 1_000_000;
    const client = await run(device, token);
    await expect.poll(() => stateOf(device), slow).toBe('done');
    await client.stop();
    expect(world.trouble.cutAfterBytes).toBeUndefined();
    expect(await installed(device)).toEqual(payload);
  });

  it('refuses an artifact whose bytes are not those of its manifest, and sends its log', async () => {
    const { product, token } = await newProduct();
    const device = await newDevice();
    await hasEarlier(device);
    const artifact = await artifactOf(device, 'rel-2', randomBytes(200_000));
    // In the data, after everything that the service reads.
    const at = artifact.length - 100_000;
    artifact[at] = (artifact[at] ?? 0) ^ 0xff;
    await world.release(product.id, 'image.mender', artifact);
    const client = await run(device, token);
    await expect.poll(() => stateOf(device), slow).toBe('failed');
    await expect.poll(() => said(device), slow).toMatch(/error: /);
    await client.stop();
    expect(await installed(device)).toEqual(before);
  });

  it('rolls back what fails after it was written, reports it with its log, and is not offered it again', async () => {
    const { product, token } = await newProduct();
    const device = await newDevice();
    await hasEarlier(device);
    const artifact = await artifactOf(device, 'rel-2', randomBytes(1_000), { afterInstall: 'exit 1' });
    await world.release(product.id, 'image.mender', artifact);
    const client = await run(device, token);
    await expect.poll(() => stateOf(device), slow).toBe('failed');
    await expect.poll(() => said(device), slow).toMatch(/ArtifactInstall_Leave_00/);
    expect(await installed(device)).toEqual(before);
    const polls = client.output().split('deployments/next').length;
    await expect.poll(() => client.output().split('deployments/next').length, slow).toBeGreaterThan(polls + 2);
    await client.stop();
    const { id } = (await world.updateOf(device.mac)) ?? {};
    expect(await said(device)).not.toMatch(/success/);
    expect(id).toBeDefined();
    expect(await stateOf(device)).toBe('failed');
  });

  it('rolls back when what it has installed cannot reach the service', async () => {
    const { product, token } = await newProduct();
    const device = await newDevice();
    await hasEarlier(device);
    const go = join(device.data, 'go');
    const payload = randomBytes(1_000);
    const afterInstall = `until test -e ${go}; do sleep 0.2; done`;
    await world.release(product.id, 'image.mender', await artifactOf(device, 'rel-2', payload, { afterInstall }));
    const client = await run(device, token);
    await expect.poll(() => installed(device), slow).toEqual(payload);
    world.trouble.isClosed = true;
    await writeFile(go, '');
    await expect.poll(() => installed(device), slow).toEqual(before);
    world.trouble.isClosed = false;
    await expect.poll(() => stateOf(device), slow).toBe('failed');
    await client.stop();
  });

  it('installs nothing that is taken back before it asks, and rolls back what is taken back meanwhile', async () => {
    const { product, token } = await newProduct();
    const device = await newDevice();
    await hasEarlier(device);
    const go = join(device.data, 'go');
    const payload = randomBytes(1_000);
    const afterInstall = `until test -e ${go}; do sleep 0.2; done`;
    const artifact = await artifactOf(device, 'rel-2', payload, { afterInstall });
    const made = await world.release(product.id, 'image.mender', artifact);
    const tag = (value: 'release' | '') =>
      world.client.call('bundles.setTag', { params: { bundle_id: made.id }, body: { tag: value } });
    must(await tag(''));
    const client = await run(device, token);
    await expect.poll(() => client.output().split('deployments/next').length, slow).toBeGreaterThan(3);
    expect(await stateOf(device)).toBeUndefined();
    must(await tag('release'));
    await expect.poll(() => installed(device), slow).toEqual(payload);
    // Another bundle comes, which has nothing for this board: what goes on is over with it.
    must(await tag(''));
    await world.release(product.id, 'image.mender', await artifactOf(device, 'rel-3', payload, { type: 'other' }));
    const { id = '' } = (await world.deviceNamed(device.mac)) ?? {};
    must(await world.client.call('rollouts.selection', { params: { device_id: id } }));
    await writeFile(go, '');
    await expect.poll(() => installed(device), slow).toEqual(before);
    await client.stop();
  });

  it('stays out from the moment that its key is revoked', async () => {
    const { token } = await newProduct();
    const device = await newDevice();
    const client = await run(device, token);
    const seenAt = async () => (await world.deviceNamed(device.mac))?.last_seen_at ?? null;
    await expect.poll(seenAt, slow).not.toBeNull();
    const { id = '' } = (await world.deviceNamed(device.mac)) ?? {};
    must(await world.client.call('doors.revokeDevice', { params: { device_id: id } }));
    await expect.poll(() => client.output(), slow).toMatch(/401|[Uu]nauthori[sz]ed/);
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
