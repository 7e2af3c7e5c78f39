import { VirtualClock } from '@moorage/base';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { databaseSource, eachDatabase, fixtures } from '../../testing/index.ts';
import { memoryBlobs } from '../blobs/memory-blobs.ts';
import { missingPartitions } from './dialect/postgres/partitions.ts';
import type { Storage } from './storage.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const yearMs = 365 * dayMs;
/** The end of a week, long after the one in which the tables were made. */
const startMs = 200 * 52 * weekMs;

/** A device, and another one. */
const makeDevices = async (storage: Storage): Promise<readonly [string, string]> => {
  const clock = new VirtualClock(startMs);
  const make = fixtures({ storage, blobs: memoryBlobs(clock), clock });
  const platform = await make.platform();
  const { id: product_id } = await make.product({ platform_id: platform.id });
  const device = async () => (await make.device({ platform_id: platform.id, product_id })).id;
  return [await device(), await device()];
};

/** Samples of one stream, whose values are their times, and the times that are there. */
const seriesOf = ({ samples }: Storage, deviceId: string) => ({
  write: (...times: readonly number[]) =>
    samples.append({
      deviceId,
      batch: String(times),
      atMs: startMs,
      samples: times.map((atMs) => ({ name: 'level', atMs, value: atMs })),
    }),
  times: async () => (await samples.query({ deviceId, name: 'level', limit: 1_000 })).map(({ at }) => at),
});

// API-DATA-retention
eachDatabase('samples over years', (open, kind) => {
  let storage: Storage;
  let deviceId: string;
  let other: string;
  let write: ReturnType<typeof seriesOf>['write'];
  let times: ReturnType<typeof seriesOf>['times'];

  beforeEach(async () => {
    storage = await open();
    [deviceId, other] = await makeDevices(storage);
    ({ write, times } = seriesOf(storage, deviceId));
  });

  it('of any time are kept in their order: of 1970, of now, of clocks that are ahead, and before and after their week is made', async () => {
    const all = [5, startMs - weekMs, startMs - 1, startMs, startMs + 3 * weekMs, 9_000_000_000_000];
    await write(...all);
    expect(await times()).toEqual(all);
    await storage.samples.maintain(startMs, 0);
    expect(await times()).toEqual(all);
    await write(startMs + weekMs);
    await storage.samples.maintain(startMs + 40 * weekMs, 0);
    expect(await times()).toEqual([...all.slice(0, 4), startMs + weekMs, ...all.slice(4)]);
    expect([...(await storage.samples.last(deviceId)).values()]).toMatchObject([{ at: 9_000_000_000_000 }]);
  });

  it('go when they are too old, at most a week later, and late ones are taken after that', async () => {
    for (let nowMs = startMs; nowMs < startMs + 60 * weekMs; nowMs += weekMs) {
      await write(nowMs);
      await storage.samples.maintain(nowMs, nowMs - yearMs);
    }
    const nowMs = startMs + 59 * weekMs;
    const kept = await times();
    expect(kept.at(-1)).toBe(nowMs);
    expect(kept[0]).toBeGreaterThanOrEqual(nowMs - yearMs - weekMs);
    expect(kept).toHaveLength(kind === 'sqlite' ? 53 : 54);
    await write(startMs + 1, 7);
    expect((await times()).slice(0, 2)).toEqual([7, startMs + 1]);
    await storage.samples.maintain(nowMs, nowMs - yearMs);
    expect(await times()).toEqual(kept);
  });

  it('go sooner when they are kept for less time, and what has gone stays gone when for more', async () => {
    for (let week = 0; week < 10; week++) {
      await write(startMs + week * weekMs);
      await storage.samples.maintain(startMs + week * weekMs, 0);
    }
    const nowMs = startMs + 9 * weekMs;
    await storage.samples.maintain(nowMs, nowMs - 2 * weekMs);
    const kept = [7, 8, 9].map((week) => startMs + week * weekMs);
    expect(await times()).toEqual(kept);
    await storage.samples.maintain(nowMs, nowMs - yearMs);
    expect(await times()).toEqual(kept);
  });

  it('of one device are forgotten, whatever their time', async () => {
    await seriesOf(storage, other).write(1, startMs);
    await write(1, startMs, startMs + yearMs);
    await storage.samples.maintain(startMs, 0);
    await storage.transaction((trx) => storage.samples.forget(trx, [deviceId]));
    expect([await times(), await seriesOf(storage, other).times()]).toEqual([[], [1, startMs]]);
  });

  it('go with their stream and with their device, alone', async () => {
    const rows = async () => (await storage.db.selectFrom('samples').select('at').execute()).length;
    await write(1, startMs, startMs + yearMs);
    await seriesOf(storage, other).write(1, startMs);
    await storage.db.deleteFrom('streams').where('device_id', '=', deviceId).execute();
    expect([await rows(), await seriesOf(storage, other).times()]).toEqual([2, [1, startMs]]);
    await storage.db.deleteFrom('devices').where('id', '=', other).execute();
    expect(await rows()).toBe(0);
  });
});

describe('partitions', () => {
  const source = databaseSource('postgres', { holds: 'nothing' });
  const opened: Storage[] = [];
  const openAt = async (url: string): Promise<Storage> => {
    const storage = await openRecords(url);
    opened.push(storage);
    return storage;
  };
  afterAll(async () => {
    for (const storage of opened) await storage.close();
    await source.remove();
  });

  /** Names of the partitions with the rows of each. */
  const rowsOf = async ({ db }: Storage) => {
    const { rows } = await sql<{ name: string; count: number }>`
      select c.relname as name, (select count(*) from samples where samples.tableoid = c.oid) as count
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'samples'::regclass order by 1`.execute(
      db,
    );
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  };

  it.each([
    ['the weeks to come', startMs, startMs, [1, 1]],
    ['nothing when they are there', startMs + 2 * weekMs, startMs, []],
    ['one week more a week later', startMs + 2 * weekMs, startMs + 1, [1]],
    ['one for all that was missed', startMs, startMs + 30 * weekMs + dayMs, [30, 1, 1, 1]],
    ['nothing for a clock that is behind', startMs, 0, []],
  ])('are missing: %s', (_title, endMs, nowMs, weeks) => {
    const missing = missingPartitions(endMs, nowMs);
    expect(missing.map(({ from, to }) => (to - from) / weekMs)).toEqual(weeks);
    for (const [at, { from }] of missing.entries()) expect(from).toBe(missing[at - 1]?.to ?? endMs);
  });

  it('are made once by processes that do it at the same time, while others write', async () => {
    const url = await source.make();
    const nodes = await Promise.all([1, 2, 3].map(() => openAt(url)));
    const [node] = nodes as [Storage, ...Storage[]];
    const { write, times } = seriesOf(node, (await makeDevices(node))[0]);
    const turn = () => Promise.all(nodes.map(({ samples }) => samples.maintain(startMs, 0)));
    const written = Array.from({ length: 50 }, (_, at) => startMs + at * dayMs);
    await Promise.all([turn(), ...written.map((atMs) => write(atMs))]);
    await turn();
    expect(await times()).toEqual(written);
    const counts = await rowsOf(node);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(50);
    expect(counts.samples_later).toBe(36);
    const one = await openAt(await source.make());
    await one.samples.maintain(startMs, 0);
    expect(Object.keys(counts)).toEqual(Object.keys(await rowsOf(one)));
  });

  it('wait for who reads for long no longer than half a second, and are changed when that has ended', async () => {
    const storage = await openAt(await source.make());
    const { write, times } = seriesOf(storage, (await makeDevices(storage))[0]);
    const before = Object.keys(await rowsOf(storage));
    await storage.db.transaction().execute(async (reader) => {
      await reader.selectFrom('samples').select('at').execute();
      await expect(storage.samples.maintain(startMs, 0)).rejects.toThrow('lock timeout');
      await write(1);
    });
    expect(Object.keys(await rowsOf(storage))).toEqual(before);
    await storage.samples.maintain(startMs, 0);
    expect(Object.keys(await rowsOf(storage))).not.toEqual(before);
    expect(await times()).toEqual([1]);
  });
});
