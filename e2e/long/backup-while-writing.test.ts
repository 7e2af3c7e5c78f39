import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backUp } from '@moorage/service/engine/backup/backup';
import { restore } from '@moorage/service/engine/backup/restore';
import { diskBlobs } from '@moorage/service/engine/blobs/backends/disk-blobs';
import type { BlobStore } from '@moorage/service/engine/blobs/blob-store';
import { openRecords, records } from '@moorage/service/tables';
import { type DatabaseKind, databaseSource, eachDatabase } from '@moorage/service/testing/index';
import { otaWorld } from '@moorage/service/testing/ota-world';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'moorage-backup-writing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const otherKind: Readonly<Record<DatabaseKind, DatabaseKind>> = { sqlite: 'postgres', postgres: 'sqlite' };

/** So many of each kind are acknowledged before the backup begins. */
const enough = 8;

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The SHA-256 of what a store has under a name. */
async function storedHash(blobs: BlobStore, sha256: string): Promise<string | undefined> {
  const blob = await blobs.open(sha256);
  if (!blob) return undefined;
  const bytes = Buffer.alloc(blob.size);
  for (let at = 0; at < bytes.length; ) at += await blob.read(bytes.subarray(at), at);
  await blob.close();
  return hashOf(bytes);
}

/** Everything that a service writes at once, and what of it was acknowledged, by kind. */
function writersOf(world: Awaited<ReturnType<typeof openWorld>>) {
  const { app, people, platform, device, upToDate } = world;
  const acknowledged: Record<'products' | 'tokens' | 'files' | 'batches', string[]> = {
    products: [],
    tokens: [],
    files: [],
    batches: [],
  };
  const maker = app.client.as(people.maker.token);
  const owner = app.client.as(people.owner.token);
  const write: Readonly<Record<keyof typeof acknowledged | 'polls', (number: number) => Promise<string | undefined>>> =
    {
      async products(number) {
        const body = { code: `P${number}`, title: `Product ${number}`, meta: '', platform_id: platform.id };
        const made = await maker.call('products.create', { body });
        return made.ok ? made.value.value.id : undefined;
      },
      async tokens() {
        const made = await owner.call('tokens.create', {});
        return made.ok ? hashOf(Buffer.from(made.value.value.token)) : undefined;
      },
      async files(number) {
        const payload = Buffer.from(`file ${number} `.repeat(1 + number * 700));
        const reply = await app.api.inject({
          method: 'POST',
          url: `/api/devices/${device.id}/files/${number}.txt`,
          headers: { authorization: `Bearer ${people.owner.token}`, 'content-type': 'text/plain' },
          payload,
        });
        return reply.statusCode === 200 ? hashOf(payload) : undefined;
      },
      async batches(number) {
        const sample = { name: 'level', atMs: number, value: number };
        const batch = `batch ${number}`;
        await app.storage.samples.append({
          deviceId: device.id,
          batch,
          atMs: number,
          samples: [sample, { ...sample, name: 'flow' }],
        });
        return batch;
      },
      async polls() {
        await world.ask(device, upToDate);
        return undefined;
      },
    };
  let isWriting = true;
  const done = Promise.all(
    Object.entries(write).map(async ([kind, one]) => {
      for (let number = 0; isWriting; number++) {
        const name = await one(number);
        if (name !== undefined) acknowledged[kind as keyof typeof acknowledged].push(name);
        // SQLite answers at once: without a turn of the loop between them these writes would let nothing else run.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }),
  );
  return {
    acknowledged,
    stop: async () => {
      isWriting = false;
      await done;
    },
  };
}

async function openWorld(...[storage, options]: Parameters<typeof otaWorld>) {
  const world = await otaWorld(storage, options);
  const { release, product } = await world.productWithRelease();
  const device = await world.deviceOn(product.id);
  return { ...world, device, upToDate: { version: release.version, bversion: release.bversion } };
}

eachDatabase('backup of a service that writes', (_open, kind, address) => {
  it('has on the other database all that was acknowledged before it began, whole', async () => {
    const database = await address();
    const storage = await openRecords(database);
    const blobs = await diskBlobs(mkdtempSync(join(folder, 'blobs-')));
    const world = await openWorld(storage, { blobs });
    const { acknowledged, stop } = writersOf(world);
    await expect.poll(() => Object.values(acknowledged).every(({ length }) => length >= enough)).toBe(true);
    const before = structuredClone(acknowledged);
    const file = join(folder, `${kind}.tar`);
    const saved = await backUp({ database, blobs, file, version: '1', clock: world.app.clock });
    const after = structuredClone(acknowledged);
    await stop();
    await world.app.service.close();
    await storage.close();
    // It went on writing meanwhile.
    const count = (lists: typeof acknowledged) => Object.values(lists).reduce((sum, { length }) => sum + length, 0);
    expect(count(after)).toBeGreaterThan(count(before));

    const source = databaseSource(otherKind[kind], { holds: 'tables' });
    try {
      const to = await source.make();
      const restored = await diskBlobs(mkdtempSync(join(folder, 'restored-')));
      const carried = await restore({ records, database: to, openBlobs: async () => restored, file });
      expect(carried).toMatchObject({ rows: saved.rows, blobs: saved.blobs });
      const copy = await openRecords(to);
      const { db } = copy;
      const kept = {
        products: (await db.selectFrom('products').select('id').execute()).map(({ id }) => id),
        tokens: (await db.selectFrom('tokens').select('token_hash').execute()).map(({ token_hash }) => token_hash),
        files: (await db.selectFrom('files').select('sha256').execute()).map(({ sha256 }) => sha256),
        batches: (await db.selectFrom('sample_batches').select('batch').execute()).map(({ batch }) => batch),
      };
      for (const [name, list] of Object.entries(before)) {
        const there = new Set(kept[name as keyof typeof kept]);
        expect(
          list.filter((one) => !there.has(one)),
          name,
        ).toEqual([]);
      }
      // Nothing of it is in halves: each file has its bytes, each batch its two samples, each new product its line in the log.
      for (const sha256 of kept.files) expect(await storedHash(restored, sha256)).toBe(sha256);
      const samples = await db.selectFrom('samples').select('at').execute();
      expect(samples).toHaveLength(2 * kept.batches.length);
      const logs = await db.selectFrom('logs').select('product_id').where('type', '=', 'product.create').execute();
      const logged = new Set(logs.map(({ product_id }) => product_id));
      const made = new Set(acknowledged.products);
      expect(kept.products.filter((id) => made.has(id) && !logged.has(id))).toEqual([]);
      await copy.close();
    } finally {
      await source.remove();
    }
  });
});
