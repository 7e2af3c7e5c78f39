import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreFailure } from '@moorage/base';
import { eachDatabase } from '@moorage/service/testing/index';
import { afterEach, expect, test } from 'vitest';
import { bundleFiles } from '../packages/moorage/src/up/example-files.ts';
import { claim, type Harbour, openHarbour, provision, updateLanded } from './harbour.ts';

const tides = Buffer.from(
  bundleFiles('1.0.0.0').find((file) => file.filename === 'webapp/tides.csv')?.base64 ?? '',
  'base64',
);

async function deviceOf({ client, module }: Harbour) {
  const device = await client.call('devices.get', { params: { identifier: module.identity.uuid } });
  if (!device.ok) throw new Error(device.error.body.message);
  return device.value.value;
}

async function updatesOf(harbour: Harbour) {
  const { id } = await deviceOf(harbour);
  const updates = await harbour.client.call('deviceUpdates.list', { params: { device_id: id } });
  if (!updates.ok) throw new Error(updates.error.body.message);
  return updates.value.value;
}

/** The content of a file of the flash, which must be there. */
async function contentOf({ module }: Harbour, name: string): Promise<Buffer> {
  const content = await module.flash.readAll(name, 1_000_000);
  if (!content.ok) throw new Error(`${name}: ${content.error}`);
  return Buffer.from(content.value);
}

/** Every file below a folder. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

eachDatabase('a module on a service', (open) => {
  let harbour: Harbour | undefined;

  afterEach(async () => {
    await harbour?.close();
    harbour = undefined;
  });

  // API-RULE-model-1, API-RULE-activate-4
  test('goes from the factory to its first update', async () => {
    harbour = await openHarbour(await open());
    const { module, bundle, product, run } = harbour;
    await provision(harbour);
    expect(await deviceOf(harbour)).toMatchObject({ state: 'active', user_id: null, bundle_ok: false });
    await claim(harbour);
    expect(await deviceOf(harbour)).toMatchObject({ product: product.product, bundle_id: null, bundle_ok: false });

    const atRestart: unknown[] = [];
    module.client.onEvent((event) => {
      if (event.type === 'installed') atRestart.push(deviceOf(harbour as Harbour));
    });
    const landed = updateLanded(harbour);
    await run('ota');
    await landed;
    // What the module says before its restart is progress, not success.
    expect(await Promise.all(atRestart)).toMatchObject([{ bundle_id: bundle.id, bundle_ok: false }]);
    expect(await deviceOf(harbour)).toMatchObject({
      bundle_id: bundle.id,
      bundle: '1.0.0.0',
      bundle_ok: true,
      bversion: bundle.bversion,
      ota_result: 1,
    });
    expect(await updatesOf(harbour)).toMatchObject([{ state: 'done', cause: 'device', bundle: '1.0.0.0' }]);
    expect(await contentOf(harbour, 'webapp/tides.csv')).toEqual(tides);
    expect(await run('version')).toMatch(/^\S+-2\.3\.0\.1, Built:/);
    expect(await run('get dms.ota_result')).toBe('1');
    expect(await run('get dms.bundle_id')).toBe(bundle.id);

    await run('ota');
    expect(await run('get dms.ota_result')).toBe('2');
    expect(await updatesOf(harbour)).toHaveLength(1);
  });

  // API-DEV-GET-ota-bundle_id-name, MOD-OTA-download
  test('resumes a cut download by range, and ends with the same bytes', async () => {
    harbour = await openHarbour(await open());
    const { module, wire, run } = harbour;
    await provision(harbour);
    await claim(harbour);
    const received: number[] = [];
    module.client.onEvent((event) => {
      if (event.type === 'progress' && event.file === 'webapp/tides.csv') received.push(event.receivedBytes);
    });
    const landed = updateLanded(harbour);
    const connectionsBefore = wire.connections;
    wire.cutAfterBytes = 120_000;
    await run('ota');
    wire.cutAfterBytes = undefined;
    await landed;
    expect(wire.connections - connectionsBefore).toBeGreaterThanOrEqual(3);
    // No byte is asked for again that has arrived: it only ever goes up, to the size of the file.
    expect(received).toEqual([...new Set(received)].sort((a, b) => a - b));
    expect(received.at(-1)).toBe(tides.length);
    expect(await contentOf(harbour, 'webapp/tides.csv')).toEqual(tides);
    expect(await deviceOf(harbour)).toMatchObject({ bundle_ok: true });
  });

  // API-DEV-POST-ota-result, MOD-FILE-crc
  test('does not make a file valid whose CRC is wrong, and says so', async () => {
    harbour = await openHarbour(await open());
    const { module, bundle } = harbour;
    await provision(harbour);
    await claim(harbour);
    for (const path of await filesBelow(harbour.blobsDir)) {
      const bytes = await readFile(path);
      if (!bytes.equals(tides)) continue;
      bytes[1000] = (bytes[1000] ?? 0) ^ 1;
      await writeFile(path, bytes);
    }
    const { code } = await module.execute('ota');
    expect(code).toBe(1);
    expect(module.flash.stat('webapp/tides.csv')).toBeUndefined();
    expect((await module.execute('get dms.ota_result')).text).toBe('3');
    expect(await deviceOf(harbour)).toMatchObject({ bundle_id: bundle.id, bundle_ok: false, ota_result: 3 });
    expect(await updatesOf(harbour)).toMatchObject([{ state: 'failed', result: 3 }]);
  });

  test('is refused once its certificate has been taken back', async () => {
    harbour = await openHarbour(await open());
    const { client, module, run } = harbour;
    await provision(harbour);
    expect(await run('dms info')).toContain(`uuid: ${module.identity.uuid.toLowerCase()}`);
    const { id } = await deviceOf(harbour);
    ignoreFailure(await client.call('devices.renewToken', { params: { device_id: id } }));
    expect((await module.execute('dms info')).code).toBe(1);
    expect((await module.execute('ota')).code).toBe(1);
    expect((await module.execute('get dms.ota_result')).text).toBe('7');
  });
});
