import { VirtualClock } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { eachDatabase, fixtures } from '../../testing/index.ts';
import { memoryBlobs } from '../blobs/memory-blobs.ts';
import type { Storage } from './storage.ts';

// API-DATA-once
eachDatabase('samples', (open) => {
  let storage: Storage;
  let ids: readonly string[];
  let count = 0;
  const nextBatch = () => (++count).toString(16).padStart(16, '0');

  beforeAll(async () => {
    storage = await open();
    const clock = new VirtualClock(1000);
    const make = fixtures({ storage, blobs: memoryBlobs(clock), clock });
    const platform = await make.platform();
    const product = await make.product({ platform_id: platform.id });
    const devices = [1, 2].map(() => make.device({ platform_id: platform.id, product_id: product.id }));
    ids = (await Promise.all(devices)).map(({ id }) => id);
  });

  const write = (device: number, batch: string, ...samples: readonly (readonly [string, number, number | string])[]) =>
    storage.samples.append({
      deviceId: ids[device] ?? 'none',
      batch,
      atMs: 1000,
      samples: samples.map(([name, atMs, value]) => ({ name, atMs, value })),
    });

  const read = (device: number, name: string) =>
    storage.db
      .selectFrom('samples')
      .innerJoin('streams', 'streams.id', 'samples.stream_id')
      .select(['at', 'number', 'text'])
      .where('device_id', '=', ids[device] ?? 'none')
      .where('name', '=', name)
      .orderBy('at')
      .orderBy('seq')
      .execute();

  it('keeps numbers and texts, those of one millisecond in their order', async () => {
    await write(0, nextBatch(), ['mixed', 5, 1.5], ['mixed', 5, 'on'], ['mixed', 5, -0.25], ['mixed', 4, 9e300]);
    expect(await read(0, 'mixed')).toEqual([
      { at: 4, number: 9e300, text: null },
      { at: 5, number: 1.5, text: null },
      { at: 5, number: null, text: 'on' },
      { at: 5, number: -0.25, text: null },
    ]);
  });

  it('writes a batch once, however often and at however many places at once it comes', async () => {
    const batch = nextBatch();
    await Promise.all(Array.from({ length: 20 }, () => write(0, batch, ['once', 1, 1], ['once', 2, 2])));
    await write(0, batch, ['once', 1, 1], ['once', 2, 2]);
    expect(await read(0, 'once')).toHaveLength(2);
  });

  it('tells the same batch id of two devices apart', async () => {
    const batch = nextBatch();
    await Promise.all([write(0, batch, ['apart', 1, 1]), write(1, batch, ['apart', 1, 2])]);
    expect([await read(0, 'apart'), await read(1, 'apart')].flat().map(({ number }) => number)).toEqual([1, 2]);
  });

  it('makes a stream once for many first samples', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, at) => write(1, nextBatch(), ['first', at, at])));
    expect(await read(1, 'first')).toHaveLength(50);
  });

  it('drops the batch of a device that is gone, and those beside it stay', async () => {
    const gone = storage.samples.append({
      deviceId: 'gone',
      batch: nextBatch(),
      atMs: 1,
      samples: [{ name: 'beside', atMs: 1, value: 1 }],
    });
    await Promise.all([gone, write(0, nextBatch(), ['beside', 1, 1])]);
    expect(await read(0, 'beside')).toHaveLength(1);
  });
});
