import { dayMs, VirtualClock } from '@moorage/base';
import { beforeEach, expect, it } from 'vitest';
import { memoryBlobs } from '../../engine/blobs/memory-blobs.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { eachDatabase, fixtures } from '../../testing/index.ts';
import { noteBatch } from './queries.ts';
import { dataRetention, removeOldData } from './retention.ts';

const startMs = 1_800_000_000_000;

// What holds of series of any length, below the routes.
eachDatabase('series', (open) => {
  let storage: Storage;
  let clock: VirtualClock;
  let deviceId: string;
  let range: { readonly deviceId: string; readonly name: string; readonly limit: number };

  beforeEach(async () => {
    storage = await open();
    clock = new VirtualClock(startMs);
    const make = fixtures({ storage, blobs: memoryBlobs(clock), clock });
    const platform = await make.platform();
    const { id: product_id } = await make.product({ platform_id: platform.id });
    deviceId = (await make.device({ platform_id: platform.id, product_id })).id;
    range = { deviceId, name: 'temp', limit: 1_000 };
  });

  const write = (batch: string, ...times: readonly number[]) =>
    storage.samples.append({
      deviceId,
      batch,
      atMs: clock.now(),
      samples: times.map((atMs, index) => ({ name: 'temp', atMs, value: index % 10 })),
    });
  const times = async () => (await storage.samples.query(range)).map(({ at }) => at);

  // API-DATA-down-sampling
  it('of many samples are answered by interval as those of few are, while others have their turn', async () => {
    await write('a', 0);
    // 45,000 samples 4 s apart, and as many within one millisecond.
    for (let from = 0; from < 90_000; from += 5_000) {
      const at = (index: number) => (index < 45_000 ? dayMs + index * 4_000 : 5 * dayMs);
      await write(String(from), ...Array.from({ length: 5_000 }, (_, index) => at(from + index)));
    }
    let turns = 0;
    const count = () => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const days = await storage.samples.buckets(range, dayMs, false);
    clearImmediate(counting);
    expect(turns).toBeGreaterThan(2);
    const mean = expect.closeTo(4.5, 2);
    const all = { min: 0, max: 9, mean, text: null };
    expect(days).toEqual([
      { ...all, at: 0, count: 1, max: 0, mean: 0 },
      { ...all, at: dayMs, count: 21_600 },
      { ...all, at: 2 * dayMs, count: 21_600 },
      { ...all, at: 3 * dayMs, count: 1_800 },
      { ...all, at: 5 * dayMs, count: 45_000 },
    ]);
    expect(await storage.samples.buckets({ ...range, limit: 2 }, dayMs, false)).toEqual(days.slice(3));
    const second = { ...range, from: 2 * dayMs, to: 3 * dayMs };
    expect(await storage.samples.buckets(second, dayMs, false)).toEqual(days.slice(2, 3));
    expect(await storage.samples.buckets({ ...range, from: 9 * dayMs }, dayMs, false)).toEqual([]);
  });

  it('of the largest numbers have means, too', async () => {
    const samples = [1e300, -1e300, 1e300, 1e300].map((value, index) => ({ name: 'temp', atMs: index, value }));
    await storage.samples.append({ deviceId, batch: 'large', atMs: 1, samples });
    expect(await storage.samples.buckets(range, dayMs, false)).toMatchObject([{ count: 4, mean: 5e299 }]);
  });

  // API-DATA-retention
  it('lose any number of samples that are too old, and those alone', async () => {
    const endMs = startMs - dataRetention.samplesMs;
    for (let from = 5_000; from > 0; from -= 1_000) {
      await write(String(from), ...Array.from({ length: 1_000 }, (_, index) => endMs - from + index));
    }
    await write('together', ...Array.from({ length: 2_500 }, () => endMs - 3_000));
    await write('kept', endMs, startMs);
    await removeOldData({ storage, clock });
    expect(await times()).toEqual([endMs, startMs]);
  });

  // API-DATA-once, API-DATA-retention
  it('take no batch twice from a device that comes back after a long time', async () => {
    const notes = async () =>
      (await storage.db.selectFrom('sample_batches').select('batch').execute()).map(({ batch }) => batch).sort();
    await write('first', startMs);
    await clock.advance(120_000);
    await write('last', startMs + 1);
    await noteBatch(storage.db, deviceId, 'lastc', clock.now());
    await clock.skip(dataRetention.batchesMs);
    await removeOldData({ storage, clock });
    expect(await notes()).toEqual(['last', 'lastc']);
    await write('last', startMs + 1);
    expect(await times()).toEqual([startMs, startMs + 1]);
    await write('next', startMs + 2);
    await clock.skip(dataRetention.batchesMs + 1);
    await removeOldData({ storage, clock });
    expect(await notes()).toEqual(['next']);
  });
});
