import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@moorage/base';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openRecords, records } from '../../tables.ts';
import { blobsOfBefore, forgetLastMigration, loadBefore } from '../../testing/before.ts';
import { readContent } from '../../testing/content.ts';
import { type DatabaseKind, databaseSource, eachEmptyDatabase, fixtures, testStartMs } from '../../testing/index.ts';
import { diskBlobs } from '../blobs/backends/disk-blobs.ts';
import { memoryBlobs } from '../blobs/memory-blobs.ts';
import { migrationNames } from '../db/migrations.ts';
import type { Storage } from '../db/storage.ts';
import { backUp } from './backup.ts';
import { restore } from './restore.ts';

const folder = mkdtempSync(join(tmpdir(), 'moorage-backup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const contentOf = (address: string) => readContent(address, join(folder, 'content'));

const kinds: readonly DatabaseKind[] = ['sqlite', 'postgres'];
const targets = Object.fromEntries(kinds.map((kind) => [kind, databaseSource(kind, { holds: 'tables' })]));
afterAll(async () => {
  for (const source of Object.values(targets)) await source.remove();
});
const emptyDatabase = (kind: DatabaseKind): Promise<string> => targets[kind]?.make() ?? Promise.reject(new Error(kind));

eachEmptyDatabase('backup', (_open, kind, address) => {
  let database: string;
  let storage: Storage;
  let count = 0;
  let file: string;
  const clock = new VirtualClock(testStartMs);
  const store = () => diskBlobs(mkdtempSync(join(folder, 'blobs-')));
  let blobs: Awaited<ReturnType<typeof store>>;
  const save = () => backUp({ database, blobs, file, version: '1', clock });

  beforeEach(async () => {
    database = await address();
    storage = await openRecords(database);
    blobs = await store();
    file = join(folder, `${kind}-${++count}.tar`);
    return () => storage.close();
  });

  /** A bit of everything: odd texts, references both ways, a counter with a gap, blobs small and large. */
  async function fill(): Promise<void> {
    const make = fixtures({ storage, blobs, clock });
    const user = await make.user({ organisation: 'Ünïcode "quoted" \\ \n\u{1f6f3} \u2028' });
    const platform = await make.platform();
    const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const product = await make.product({ platform_id: platform.id, user_id: user.id });
    const bundle = await make.bundle({ product_id: product.id, firmware_id: firmware.id, user_id: user.id });
    await make.resource(Buffer.alloc(3_000_000, 'large'), { bundle_id: bundle.id });
    await make.resource(Buffer.alloc(0), { bundle_id: bundle.id });
    const device = await make.device({ platform_id: platform.id, product_id: product.id, user_id: user.id });
    const updates = [1, 2, 3].map(() => ({
      device_id: device.id,
      product_id: product.id,
      cause: 'device' as const,
      to_bundle_id: bundle.id,
      to_version: bundle.version,
      to_bversion: 'x',
      state: 'offered' as const,
      created_at: testStartMs,
    }));
    await storage.db.insertInto('updates').values(updates).execute();
    await storage.db.deleteFrom('updates').where('id', '>', 2).execute();
    for (let number = 0; number < 450; number++) {
      const values = { name: `setting ${number}`, value: 'x'.repeat(number * 10) };
      await storage.db.insertInto('settings').values(values).execute();
    }
  }

  it.each(kinds)('restores into %s every record, counter and blob', async (target) => {
    await fill();
    const saved = await save();
    expect(saved).toMatchObject({ blobs: 2, bytes: statSync(file).size });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const to = await emptyDatabase(target);
    const restored = await store();
    expect(await restore({ records, database: to, openBlobs: async () => restored, file })).toMatchObject({
      rows: saved.rows,
      blobs: 2,
    });
    expect(await contentOf(to)).toEqual(await contentOf(database));
    const sums: string[] = [];
    for await (const { sha256 } of restored.list()) sums.push(sha256);
    const recorded = await storage.db.selectFrom('blobs').select('sha256').execute();
    expect(sums.sort()).toEqual(recorded.map(({ sha256 }) => sha256).sort());
    // The number after the highest is not given out twice, and references hold again.
    const copy = await openRecords(to);
    const { id, ...update } = await copy.db.selectFrom('updates').selectAll().limit(1).executeTakeFirstOrThrow();
    const next = await copy.db.insertInto('updates').values(update).returning('id').executeTakeFirstOrThrow();
    expect(next.id).toBe(4);
    await expect(
      copy.db
        .insertInto('updates')
        .values({ ...update, device_id: 'none' })
        .execute(),
    ).rejects.toThrow();
    await copy.close();
  });

  it('is of one moment while the service writes', async () => {
    let writing = true;
    let written = 0;
    // The second of a pair is committed with the first or not at all.
    const write = async (): Promise<void> => {
      // SQLite answers at once: without a turn of the loop between them these writes would let nothing else run.
      for (; writing; written++, await new Promise((resolve) => setImmediate(resolve))) {
        const row = (name: string) => ({ name: `${name} ${written}`, value: 'x'.repeat(2000) });
        await storage.transaction(async (trx) => {
          await trx.insertInto('settings').values(row('first')).execute();
          await trx.insertInto('settings').values(row('second')).execute();
        });
      }
    };
    await fill();
    const writer = write();
    const saved = await save();
    writing = false;
    await writer;
    expect(written).toBeGreaterThan(0);
    const to = await emptyDatabase(kind);
    expect(await restore({ records, database: to, openBlobs: store, file })).toMatchObject({ rows: saved.rows });
    const { tables } = await contentOf(to);
    const names = (tables.settings as string[]).map((row) => String(JSON.parse(row)[0]));
    const numbers = (start: string) => names.filter((name) => name.startsWith(start)).map((name) => name.split(' ')[1]);
    expect(numbers('first')).toEqual(numbers('second'));
  });

  it('does without a blob that is forgotten while it runs', async () => {
    await fill();
    const [gone] = await storage.db.selectFrom('resources').selectAll().where('size', '>', 0).execute();
    const forget = async (): Promise<void> => {
      await storage.db
        .deleteFrom('resources')
        .where('sha256', '=', gone?.sha256 ?? '')
        .execute();
      await storage.db
        .deleteFrom('blobs')
        .where('sha256', '=', gone?.sha256 ?? '')
        .execute();
      await blobs.remove(gone?.sha256 ?? '');
    };
    let opened = 0;
    const shrinking = {
      ...memoryBlobs(),
      open: async (sha256: string) => {
        if (opened++ === 0) await forget();
        return blobs.open(sha256);
      },
    };
    await backUp({ database, blobs: shrinking, file, version: '1', clock });
    const to = await emptyDatabase(kind);
    await restore({ records, database: to, openBlobs: store, file });
    expect(await contentOf(to)).toEqual(await contentOf(database));
  });

  it('of a storage without one of its blobs, or with a damaged one, is refused and leaves nothing', async () => {
    await fill();
    const [kept] = await storage.db.selectFrom('blobs').selectAll().where('size', '>', 0).execute();
    const { sha256 = '' } = kept ?? {};
    const damaged = memoryBlobs();
    const broken = { ...damaged, open: async () => ({ ...(await opened()), size: 3 }) };
    const opened = async () => ({ size: 3, read: async () => 3, close: async () => {} });
    const before = readdirSync(folder);
    await expect(backUp({ database, blobs: broken, file, version: '1', clock })).rejects.toThrow('is damaged');
    await blobs.remove(sha256);
    await expect(save()).rejects.toThrow(`Blob ${sha256} is recorded, but not in the blob store`);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('is not written over a file', async () => {
    writeFileSync(file, 'mine');
    await expect(save()).rejects.toThrow('exists already');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('is restored into an empty database alone', async () => {
    await fill();
    await save();
    const before = await contentOf(database);
    await expect(restore({ records, database, openBlobs: store, file })).rejects.toThrow('The database is in use');
    expect(await contentOf(database)).toEqual(before);
  });

  it('that is damaged or cut anywhere changes nothing', async () => {
    await fill();
    await save();
    const whole = readFileSync(file);
    const to = await emptyDatabase(kind);
    const empty = await contentOf(to);
    const flipped = Buffer.from(whole);
    flipped[1_500_000] = (flipped[1_500_000] ?? 0) ^ 1;
    const cases = [0, 100, 512, 700, 1_000_000, whole.length - 1024, whole.length - 2500].map((at) =>
      whole.subarray(0, at),
    );
    for (const bytes of [...cases, flipped, Buffer.from('x'.repeat(5000))]) {
      writeFileSync(file, bytes);
      const never = () => Promise.reject(new Error('The blobs were opened'));
      await expect(restore({ records, database: to, openBlobs: never, file })).rejects.toThrow('is not a whole backup');
    }
    expect(await contentOf(to)).toEqual(empty);
  });

  it('that fails half-way leaves the records empty, and can be restored again', async () => {
    await fill();
    await save();
    const to = await emptyDatabase(kind);
    const target = await store();
    let puts = 0;
    const failing = {
      ...memoryBlobs(),
      put: (...put: Parameters<typeof target.put>) =>
        ++puts === 2 ? Promise.reject(new Error('The disk is full')) : target.put(...put),
    };
    const openBlobs = async () => failing;
    await expect(restore({ records, database: to, openBlobs, file })).rejects.toThrow('The disk is full');
    await restore({ records, database: to, openBlobs: async () => target, file });
    expect(await contentOf(to)).toEqual(await contentOf(database));
  });

  it('sweeps what a backup that was killed has left in the folder, and nothing else', async () => {
    await fill();
    const gone = [
      '.a.tar.999999999.moorage-archive',
      '.b.999999999.moorage-records',
      '.b.999999999.moorage-records-wal',
    ];
    const living = [`.c.tar.${process.ppid}.moorage-archive`, 'a.tar.999999999.part', '.x.moorage-archive'];
    for (const name of [...gone, ...living]) writeFileSync(join(folder, name), 'half');
    await save();
    const names = readdirSync(folder);
    expect(gone.filter((name) => names.includes(name))).toEqual([]);
    expect(living.filter((name) => !names.includes(name))).toEqual([]);
    for (const name of living) rmSync(join(folder, name));
  });

  it('of an older version is brought up to date', async () => {
    const source = databaseSource(kind, { holds: 'nothing' });
    try {
      const old = await source.make();
      const older = await openRecords(old);
      await older.db.insertInto('settings').values({ name: 'a', value: 'b' }).execute();
      await older.close();
      await backUp({ database: old, blobs, file, version: '0', clock });
      const to = await source.make();
      const before = migrationNames(records);
      const later = { ...records, steps: { [before.length + 1]: async () => {} } };
      await restore({ records: later, database: to, openBlobs: store, file });
      const { tables, migrations } = await contentOf(to);
      expect([tables.settings, migrations]).toEqual([['["a","b"]'], migrationNames(later)]);
      expect((await contentOf(old)).migrations).toEqual(before);
    } finally {
      await source.remove();
    }
  });

  it('that 0.1.0 has made is brought up to date, and of a version before that refused', async () => {
    const source = databaseSource(kind, { holds: 'nothing' });
    try {
      const old = await source.make();
      await loadBefore(old);
      await backUp({ database: old, blobs: await blobsOfBefore(), file, version: '0.1.0', clock });
      const to = await source.make();
      await restore({ records, database: to, openBlobs: store, file });
      // As if this version had opened it.
      await (await openRecords(old)).close();
      expect((await contentOf(to)).tables).toEqual((await contentOf(old)).tables);
      const older = await source.make();
      await loadBefore(older);
      await forgetLastMigration(older);
      await backUp({ database: older, blobs: await blobsOfBefore(), file: `${file}.older`, version: '0', clock });
      const options = { records, database: await source.make(), openBlobs: store, file: `${file}.older` };
      await expect(restore(options)).rejects.toThrow('of another version');
    } finally {
      await source.remove();
    }
  });

  it('of a newer version is refused', async () => {
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')`.execute(storage.db);
    await save();
    const to = await emptyDatabase(kind);
    await expect(restore({ records, database: to, openBlobs: store, file })).rejects.toThrow('of another version');
  });
});
