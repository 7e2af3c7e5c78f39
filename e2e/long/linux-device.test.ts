import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eachDatabase } from '@moorage/service/testing/index';
import { afterEach, expect, test } from 'vitest';
import { must } from '../../packages/moorage/src/up/example.ts';
import { type Harbour, openHarbour } from '../harbour.ts';

const program = fileURLToPath(new URL('../../examples/linux-device/device.js', import.meta.url));

/** The blob file of a content. */
async function blobOf(folder: string, content: string): Promise<string> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path, 'utf8')) === content) return path;
  }
  throw new Error('No blob has that content');
}

eachDatabase('the example of a Linux device', (open) => {
  const closing: (() => unknown)[] = [];
  const children = new Set<ChildProcess>();
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function scene() {
    const it = await openHarbour(await open());
    closing.push(() => it.close());
    const folder = await mkdtemp(join(tmpdir(), 'moorage-linux-'));
    closing.push(() => rm(folder, { recursive: true }));
    const uuid = `${it.module.identity.uuid.slice(0, 8)}${'7'.repeat(32)}`;
    const env = {
      ...process.env,
      DEVICE_FLASH: join(folder, 'flash'),
      DEVICE_SERVICE: `127.0.0.1:${it.wire.port}`,
      DEVICE_UUID: uuid,
      DEVICE_MAC: '02:00:00:00:00:07',
      DEVICE_TELEMETRY_MS: '200',
    };
    /** Starts the program as systemd does. */
    const start = (...args: string[]) => {
      const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      children.add(child);
      const lines: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
      const ended = new Promise<number | string>((resolve) =>
        child.once('close', (code, signal) => {
          children.delete(child);
          resolve(code ?? signal ?? '');
        }),
      );
      const says = (text: RegExp) =>
        expect.poll(() => lines.some((line) => text.test(line)), { interval: 5, message: String(text) }).toBe(true);
      return { child, lines, ended, says };
    };
    const setUp = async (...args: string[]) => {
      const { ended, lines } = start(...args);
      expect([await ended, ...lines]).toEqual([0, 'done']);
    };
    const ca = join(folder, 'ca.pem');
    await writeFile(ca, it.service.identity.ca);
    const platforms = must(await it.client.call('platforms.list', {}));
    const body = { uuid, mac: env.DEVICE_MAC, platform_id: platforms[0]?.id ?? '' };
    await setUp('provision', must(await it.client.call('devices.provision', { body })).token, ca);
    const params = { product_id: it.product.id };
    const token = must(await it.client.call('products.addToken', { params, body: { uses: 1 } })).token;
    await setUp('claim', it.product.product, token);
    const device = () => it.client.call('devices.get', { params: { identifier: uuid } }).then(must);
    const updates = async () =>
      must(await it.client.call('deviceUpdates.list', { params: { device_id: (await device()).id } }));
    return { it, start, setUp, device, updates };
  }

  /** Publishes a bundle with one file and has the devices of the example product follow it. */
  async function release({ client, product, bundle }: Harbour, version: string, greeting: string) {
    const params = { product_id: product.id };
    const body = { product_id: product.id, firmware_id: bundle.firmware_id ?? '', version };
    const { id } = must(await client.call('bundles.create', { params, body }));
    const of = { bundle_id: id };
    const base64 = Buffer.from(greeting).toString('base64');
    const resource = { filename: 'greeting.txt', type: 'MISC_FIX_LEN', base64 } as const;
    must(await client.call('bundles.addResource', { params: of, body: resource }));
    must(await client.call('bundles.setState', { params: of, body: { state: 'published' } }));
    must(await client.call('bundles.setTag', { params: of, body: { tag: 'release' } }));
    return id;
  }

  test('is set up, killed in the middle of its download, goes on, restarts, and reports', async () => {
    const { it, start, setUp, device, updates } = await scene();
    await setUp('activate', it.product.product);
    it.wire.cutAfterBytes = 60_000;
    it.wire.staysCut = true;
    const killed = start();
    await killed.says(/^update to 1\.0\.0\.0: 4 files, /);
    await killed.says(/^fetched main_app\.exe$/);
    await expect.poll(() => it.wire.cutAfterBytes, { interval: 5 }).toBe(0);
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    expect(await device()).toMatchObject({ bundle_ok: false, bversion: 'LINUX-0.0.0.0' });

    it.wire.staysCut = false;
    it.wire.cutAfterBytes = undefined;
    const resumed = start();
    // What was whole is not fetched again.
    await resumed.says(/^update to 1\.0\.0\.0: 1 files, /);
    expect(await resumed.ended).toBe(3);
    expect(resumed.lines.filter((line) => line.startsWith('fetched'))).toEqual(['fetched webapp/tides.csv']);
    const updated = start();
    await updated.says(/^updated .*-1\.0\.0\.0, /);
    expect(await device()).toMatchObject({ bundle_id: it.bundle.id, bundle_ok: true });
    expect((await updates())[0]).toMatchObject({ state: 'done', bundle_id: it.bundle.id });
    updated.child.kill('SIGTERM');
    expect(await updated.ended).toBe(0);
  });

  test('refuses wrong contents and keeps what it runs, answers commands, and tells what it measures', async () => {
    const { it, start, device, updates } = await scene();
    const installing = start();
    expect(await installing.ended).toBe(3);
    const good = 'Ahoy from the new bundle';
    const second = await release(it, '1.0.0.1', good);
    const blob = await blobOf(it.blobsDir, good);
    await writeFile(blob, good.toUpperCase());
    const running = start();
    await running.says(/^failed: greeting\.txt is not valid: crc$/);
    expect(await device()).toMatchObject({ bundle_ok: false, bversion: it.bundle.bversion });
    expect((await updates())[0]).toMatchObject({ state: 'failed', bundle_id: second });

    await running.says(/^online$/);
    const { id: device_id } = await device();
    const answer = (command: string) => it.client.call('channel.command', { params: { device_id }, body: { command } });
    expect(must(await answer('cat greeting.txt'))).toEqual({ code: 1, data: 'There is no greeting.txt' });
    expect(must(await answer('cat device.key'))).toEqual({ code: 1, data: 'There is no device.key' });
    expect(must(await answer('ls')).data).toContain('226177 webapp/tides.csv');
    expect(must(await answer('ls')).data).not.toContain('device.key');
    await expect
      .poll(async () => (await device()).telemetry, { interval: 20 })
      .toEqual({ uptime: expect.any(Number), load: expect.any(Number), free_bytes: expect.any(Number) });
    const attributes = must(await it.client.call('attributes.list', { params: { device_id } }));
    expect(attributes).toContainEqual(expect.objectContaining({ name: 'node', value: process.version }));

    await writeFile(blob, good);
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    const again = start();
    expect(await again.ended).toBe(3);
    const greeting = start();
    await greeting.says(/^runs .*-1\.0\.0\.1, .*: Ahoy from the new bundle$/);
    await greeting.says(/^updated .*-1\.0\.0\.1, /);
    expect((await updates())[0]).toMatchObject({ state: 'done', bundle_id: second });
  });
});
