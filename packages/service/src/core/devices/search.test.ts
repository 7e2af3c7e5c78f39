import { seededRandom, VirtualClock } from '@moorage/base';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { memoryBlobs } from '../../engine/blobs/memory-blobs.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { eachDatabase, type Fixtures, fixtures, testStartMs } from '../../testing/index.ts';
import { noHooks } from '../hooks.ts';
import { listDevices } from './list-queries.ts';

const words = [
  'Gauge',
  'gauge',
  'Ärmel',
  'straße',
  'STRASSE',
  'a%b_c',
  '"quoted"',
  "it's",
  'no\\slash',
  '潮位計',
  '🌊🌊🌊',
  'x',
];

eachDatabase('search of devices', (open, kind) => {
  let storage: Storage;
  let make: Fixtures;
  let at: { readonly platform_id: string; readonly product_id: string };
  beforeAll(async () => {
    storage = await open();
    make = fixtures({ storage, blobs: memoryBlobs(), clock: new VirtualClock(testStartMs) });
    const platform = await make.platform();
    at = { platform_id: platform.id, product_id: platform.product_id };
  });

  const found = async (q: string, expressions = storage.expressions): Promise<readonly string[]> => {
    const query = { q, limit: 500, offset: 0 };
    const { items, total } = await listDevices(
      { db: storage.db, expressions, hooks: noHooks },
      'everyone',
      query,
      testStartMs,
    );
    expect(total).toBe(items.length);
    return items.map(({ id }) => id).sort();
  };
  /** The same without the index. */
  const walked = (q: string) => found(q, { ...storage.expressions, findCandidates: async () => undefined });

  // API-RULE-list-1
  it('finds by its index what a walk through all of them finds, whatever is made, renamed and removed', async () => {
    const random = seededRandom(`search ${kind}`);
    const word = () => words[random.below(words.length)] ?? '';
    const ids: string[] = [];
    for (let step = 0; step < 60; step++) {
      const title = `${word()} ${word()} ${step}`;
      const mac = `02:00:00:00:00:${step.toString(16).padStart(2, '0').toUpperCase()}`;
      if (step % 3 < 2) ids.push((await make.device({ ...at, title, mac })).id);
      const id = ids[random.below(ids.length)] ?? '';
      if (step % 3 === 2)
        await storage.db.updateTable('devices').set({ title, mac: null }).where('id', '=', id).execute();
      if (step % 10 === 9) await storage.db.deleteFrom('devices').where('id', '=', id).execute();
    }
    let hits = 0;
    for (const one of [
      ...words,
      ...words.map((each) => each.toUpperCase()),
      '02:00',
      ':0A',
      'e 1',
      'ge',
      '1',
      'b_c',
      'nowhere',
    ]) {
      for (const q of [one, `${one} ${word()}`, one.slice(1)]) {
        if (q === '') continue;
        const [byIndex, byWalk] = [await found(q), await walked(q)];
        expect([q, byIndex]).toEqual([q, byWalk]);
        hits += byWalk.length;
      }
    }
    expect(hits).toBeGreaterThan(100);
  });

  it('counts what it finds, on whichever page', async () => {
    for (let count = 0; count < 7; count++) await make.device({ ...at, title: `Windlass ${count}` });
    const query = { q: 'windlass', limit: 3 };
    for (const offset of [0, 3, 6, 9]) {
      const listed = await listDevices({ ...storage, hooks: noHooks }, 'everyone', { ...query, offset }, testStartMs);
      expect([listed.items.length, listed.total]).toEqual([Math.max(0, Math.min(3, 7 - offset)), 7]);
    }
    const none = { q: 'windlasses', limit: 3, offset: 0 };
    expect(await listDevices({ ...storage, hooks: noHooks }, 'everyone', none, testStartMs)).toEqual({
      items: [],
      total: 0,
    });
  });

  it('asks the index, and looks at few devices', async () => {
    const condition = await storage.expressions.findCandidates(storage.db, 'gauge 17');
    if (!condition) throw new Error('The text is long enough for the index');
    const asked = sql`select id from devices where ${condition}`;
    if (kind === 'sqlite') {
      const { rows } = await sql<{ detail: string }>`explain query plan ${asked}`.execute(storage.db);
      const plan = rows.map(({ detail }) => detail).join('\n');
      expect(plan).toContain('SEARCH search_device_ids');
      expect(plan).not.toMatch(/SCAN devices/);
      return;
    }
    await storage.transaction(async (trx) => {
      // There are too few devices here for the server to think it worth while.
      await sql`set local enable_seqscan = off`.execute(trx);
      const { rows } = await sql<Record<string, string>>`explain ${asked}`.execute(trx);
      expect(rows.map((row) => Object.values(row)[0]).join('\n')).toContain('Bitmap Index Scan on search_devices');
    });
  });

  it('is not asked for less than three letters', async () => {
    const isAsked = async (part: string) => (await storage.expressions.findCandidates(storage.db, part)) !== undefined;
    expect([await isAsked('ab'), await isAsked('🌊🌊'), await isAsked('abc')]).toEqual([false, false, true]);
  });

  it.skipIf(kind === 'postgres')('is not asked for what thousands of devices have', async () => {
    const device = await make.device({ ...at, title: 'seed' });
    const row = await storage.db
      .selectFrom('devices')
      .selectAll()
      .where('id', '=', device.id)
      .executeTakeFirstOrThrow();
    const isAsked = async () => (await storage.expressions.findCandidates(storage.db, 'barge')) !== undefined;
    for (const [from, count, asked] of [
      [0, 5_000, true],
      [5_000, 1, false],
    ] as const) {
      for (let at = from; at < from + count; at += 500) {
        const rows = Array.from({ length: Math.min(500, from + count - at) }, (_, index) => {
          const uuid = `e${(at + index).toString(16).padStart(39, '0')}`;
          return { ...row, id: uuid, uuid, mac: null, title: `Barge ${at + index}` };
        });
        await storage.db.insertInto('devices').values(rows).execute();
      }
      expect(await isAsked()).toBe(asked);
      expect(await found(`Barge ${from}`)).toEqual(await walked(`Barge ${from}`));
    }
  });

  it.skipIf(kind === 'sqlite')('goes on without its index, where a server does not have what it takes', async () => {
    await sql`drop index search_devices`.execute(storage.db);
    await sql`drop extension pg_trgm`.execute(storage.db);
    await make.device({ ...at, title: 'Lighthouse 7' });
    expect(await found('lighthouse')).toHaveLength(1);
  });
});
