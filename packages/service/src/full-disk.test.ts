import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskBlobs } from './engine/blobs/backends/disk-blobs.ts';
import { openRecords } from './tables.ts';
import { otaWorld } from './testing/ota-world.ts';
import { mountSmallDisk } from './testing/small-disk.ts';

const disk = mountSmallDisk(24);
const missing = 'missing' in disk ? disk.missing : undefined;

// API-ERR-507
describe.skipIf(missing !== undefined)(
  `records and files on a full disk${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    it('changes are refused, reading and devices go on, and all of it goes on when there is room', async () => {
      if ('missing' in disk) return;
      const storage = await openRecords(`sqlite:${join(disk.folder, 'moorage.db')}`);
      const world = await otaWorld(storage, { blobs: await diskBlobs(join(disk.folder, 'blobs')) });
      const { app, people, ask } = world;
      const { product, release } = await world.productWithRelease();
      const device = await world.deviceOn(product.id);
      const upToDate = { version: release.version, bversion: release.bversion };
      const headers = { authorization: `Bearer ${people.owner.token}` };
      /** The room that the log file of the database has taken already is used up first. */
      const change = async () => {
        for (let count = 1; ; count++) {
          const reply = await app.client.as(people.owner.token).call('devices.update', {
            params: { device_id: device.id },
            body: { description: randomBytes(30_000).toString('hex') },
          });
          if (!reply.ok || count === 500) return reply;
        }
      };
      const upload = async () => {
        const url = `/api/devices/${device.id}/files/a.bin`;
        const reply = await app.api.inject({
          method: 'POST',
          url,
          headers: { ...headers, 'content-type': 'application/octet-stream' },
          payload: randomBytes(1_000_000),
        });
        return reply.json();
      };
      const warning = async () => {
        const reply = await app.client.call('meta.ready');
        return reply.ok && (reply.value.value.warning ?? 'none');
      };
      try {
        expect(await ask(device, upToDate)).toMatchObject({ status: 200 });
        expect(await upload()).toMatchObject({ size: 1_000_000 });
        disk.fill();
        expect(await upload()).toMatchObject({ code: 'STORAGE_FULL', statusCode: 507 });
        expect(await change()).toMatchObject({ ok: false, error: { status: 507, body: { code: 'STORAGE_FULL' } } });
        expect(await ask(device, upToDate)).toMatchObject({ status: 200 });
        expect(await warning()).toMatch(/No room is left in the (database.*file store|file store.*database)/);
        expect(
          (await app.api.inject({ url: `/api/devices/${device.id}/files/a.bin`, headers })).rawPayload,
        ).toHaveLength(1_000_000);
        disk.makeRoom();
        await app.clock.advance(10_000);
        expect(await warning()).toBe('none');
        expect(
          await app.client.as(people.owner.token).call('devices.update', {
            params: { device_id: device.id },
            body: { title: 'Other' },
          }),
        ).toMatchObject({ ok: true });
        expect(await upload()).toMatchObject({ size: 1_000_000 });
        expect(await ask(device, upToDate)).toMatchObject({ status: 200 });
      } finally {
        await app.service.close();
        await storage.close();
        disk.unmount();
      }
    });
  },
);
