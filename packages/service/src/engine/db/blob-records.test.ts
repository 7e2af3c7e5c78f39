import { VirtualClock } from '@moorage/base';
import { beforeEach, expect, it } from 'vitest';
import { eachDatabase, type Fixtures, fixtures, testStartMs } from '../../testing/index.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { memoryBlobs } from '../blobs/memory-blobs.ts';
import { collectGarbage, recordBlob } from './blob-records.ts';
import { isForeignKeyViolation } from './errors.ts';
import type { Storage } from './storage.ts';

const hourMs = 60 * 60_000;

eachDatabase('blob records', (open) => {
  let storage: Storage;
  let clock: VirtualClock;
  let blobs: BlobStore;
  let make: Fixtures;

  beforeEach(async () => {
    storage = await open();
    clock = new VirtualClock(testStartMs);
    blobs = memoryBlobs(clock);
    make = fixtures({ storage, blobs, clock });
  });

  const collect = () => collectGarbage({ storage, blobs, nowMs: clock.now() });
  const kept = async () => {
    let count = 0;
    for await (const _ of blobs.list()) count += 1;
    return count;
  };
  const recorded = async () => (await storage.db.selectFrom('blobs').select('sha256').execute()).length;

  async function bundleWithFile() {
    const platform = await make.platform();
    const user = await make.user();
    const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const product = await make.product({ platform_id: platform.id });
    const bundle = await make.bundle({ product_id: product.id, firmware_id: firmware.id, user_id: user.id });
    return { bundle, resource: await make.resource(Buffer.from('hello'), { bundle_id: bundle.id }) };
  }

  it('that a record refers to are kept', async () => {
    await bundleWithFile();
    await clock.advance(3 * hourMs);
    expect(await collect()).toEqual({ forgotten: 0, strays: 0 });
    expect([await recorded(), await kept()]).toEqual([1, 1]);
  });

  it('that no record refers to go, an hour after they came', async () => {
    const { bundle } = await bundleWithFile();
    await storage.db.deleteFrom('bundles').where('id', '=', bundle.id).execute();
    await clock.advance(hourMs);
    expect(await collect()).toEqual({ forgotten: 0, strays: 0 });
    await clock.advance(1);
    expect(await collect()).toEqual({ forgotten: 1, strays: 0 });
    expect([await recorded(), await kept()]).toEqual([0, 0]);
  });

  it('that were uploaded again lately are kept for the record to come', async () => {
    await make.stored(Buffer.from('hello'));
    await clock.advance(2 * hourMs);
    const info = await blobs.put(Buffer.from('hello'), 5);
    await collect();
    expect(await kept()).toBe(1);
    if (info) await recordBlob(storage.db, info, clock.now(), null);
    expect(await collect()).toEqual({ forgotten: 0, strays: 0 });
    expect([await recorded(), await kept()]).toEqual([1, 1]);
  });

  it('that were put but never recorded go as strays', async () => {
    await blobs.put(Buffer.from('stray'), 5);
    expect(await collect()).toEqual({ forgotten: 0, strays: 0 });
    await clock.advance(hourMs + 1);
    expect(await collect()).toEqual({ forgotten: 0, strays: 1 });
    expect(await kept()).toBe(0);
  });

  it('go in any number', async () => {
    for (let number = 0; number < 120; number++) await make.stored(Buffer.from(`blob ${number}`));
    await clock.advance(hourMs + 1);
    expect(await collect()).toEqual({ forgotten: 120, strays: 0 });
    expect(await kept()).toBe(0);
  });

  it('must be there before anything refers to them', async () => {
    const { bundle, resource } = await bundleWithFile();
    const dangling = { ...resource, id: 'x', sha256: 'f'.repeat(64) };
    const refused = await storage.db
      .insertInto('resources')
      .values(dangling)
      .execute()
      .catch((error: unknown) => error);
    expect(isForeignKeyViolation(refused)).toBe(true);
    expect(bundle.id).toBe(resource.bundle_id);
  });
});
