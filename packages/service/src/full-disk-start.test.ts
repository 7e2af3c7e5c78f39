import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildService, type Service } from './app.ts';
import { diskBlobs } from './engine/blobs/backends/disk-blobs.ts';
import { openRecords } from './tables.ts';
import { testSettings } from './testing/index.ts';
import { otaWorld } from './testing/ota-world.ts';
import { mountSmallDisk } from './testing/small-disk.ts';

const disk = mountSmallDisk(40);
const missing = 'missing' in disk ? disk.missing : undefined;

/** Calls of one who has a token. */
const callsOf =
  ({ api }: Pick<Service, 'api'>, token: string) =>
  async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object | Buffer) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' };
    if (!Buffer.isBuffer(payload)) headers['content-type'] = 'application/json';
    const reply = await api.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: reply.statusCode, body: reply.json() };
  };

// API-ERR-507
it.skipIf(missing !== undefined)(
  `on a full disk a service keeps results of updates, starts, is read and makes room by deleting${missing ? ` (skipped: ${missing})` : ''}`,
  async () => {
    if ('missing' in disk) return;
    const { folder } = disk;
    const at = { database: `sqlite:${join(folder, 'moorage.db')}`, blobs: `file:${join(folder, 'blobs')}` };
    const storage = await openRecords(at.database);
    const blobs = await diskBlobs(join(folder, 'blobs'));
    const { app, people, productWithRelease, deviceOn, ask, report, states } = await otaWorld(storage, {
      blobs,
      settings: at,
    });
    const { product, release } = await productWithRelease();
    const device = await deviceOn(product.id);
    const [url, files] = [`/api/devices/${device.id}`, `/api/devices/${device.id}/files`];
    const { token } = people.owner;
    const call = callsOf(app, token);
    /** A change that is too large for what the log file of the records may have left. */
    const change = async () => (await call('PUT', url, { description: randomBytes(30_000).toString('hex') })).status;
    let again: Service | undefined;
    try {
      await ask(device, { bversion: 'other' });
      expect(await call('POST', `${files}/a.bin`, randomBytes(4_000_000))).toMatchObject({ status: 200 });
      disk.fill();
      await expect.poll(change).toBe(507);
      expect(await report(device, release.id, 3, 'other')).toMatchObject({ status: 200 });
      expect(await states(device)).toEqual(['failed']);
      expect(await change()).toBe(507);
      await app.service.close();
      await storage.close();
      disk.fill();
      again = await buildService({ settings: { ...testSettings, ...at }, clock: app.clock, logLevel: 'silent' });
      await again.api.ready();
      const then = callsOf(again, token);
      expect(await then('GET', files)).toMatchObject({ status: 200, body: [{ name: 'a.bin' }] });
      expect(await then('DELETE', `${files}/a.bin`)).toMatchObject({ status: 200 });
      expect(await then('GET', files)).toMatchObject({ status: 200, body: [] });
    } finally {
      await again?.close();
      disk.unmount();
    }
  },
);
