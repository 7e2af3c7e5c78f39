import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { openRecords, records, tables } from '../../tables.ts';
import { forgetLastMigration, loadBefore, runOn, schemaOfBefore } from '../../testing/before.ts';
import { readContent } from '../../testing/content.ts';
import { describeSchema } from '../../testing/describe-schema.ts';
import { databaseSource, eachEmptyDatabase } from '../../testing/index.ts';
import { migrationNames } from './migrations.ts';
import type { Storage } from './storage.ts';
import type { Tables } from './table.ts';

const contentOf = (address: string) => readContent(address, `${address.replace(/^sqlite:/, '')}.copy`);

eachEmptyDatabase('tables of version 1', (_open, kind) => {
  const source = databaseSource(kind, { holds: 'nothing' });
  afterAll(() => source.remove());

  it('are those of 0.1.0: columns, keys, references, indexes, triggers, sequences and partitions', async () => {
    const storage = await openRecords(await source.make(), { upTo: '0001' });
    expect(await describeSchema(storage)).toBe(schemaOfBefore(kind));
    await storage.close();
  });

  it('are what a database of 0.1.0 has once it is opened, with every row, and nothing is run', async () => {
    const address = await source.make();
    await loadBefore(address);
    const before = await contentOf(address);
    expect(Object.values(before.tables).filter((rows) => rows.length === 0)).toEqual([]);
    const opened = await Promise.all([1, 2, 3].map(() => openRecords(address, { upTo: '0001' })));
    expect(opened.flatMap(({ migrated }) => migrated)).toEqual([]);
    const [storage] = opened as [Storage, ...Storage[]];
    expect(await describeSchema(storage)).toBe(schemaOfBefore(kind));
    await Promise.all(opened.map((one) => one.close()));
    expect(await contentOf(address)).toEqual({ ...before, migrations: ['0001'] });
    const again = await openRecords(address);
    expect(again.migrated).toEqual(migrationNames(records).slice(1));
    await again.close();
  });

  it('keep every row on their way to the tables of today, whichever references change', async () => {
    const address = await source.make();
    await loadBefore(address);
    const rowsOf = async (storage: Storage, table: string, columns = ['*']) => {
      const chosen = sql.join(columns.map((column) => sql.raw(column)));
      return (await sql<Record<string, unknown>>`select ${chosen} from ${sql.table(table)}`.execute(storage.db)).rows;
    };
    const old = await openRecords(address, { upTo: '0001' });
    const before = new Map<string, Record<string, unknown>[]>();
    for (const [name, { since, until }] of Object.entries(tables as Tables))
      if (since === undefined && until === undefined) before.set(name, await rowsOf(old, name));
    await old.close();
    const now = await openRecords(address);
    const changed = ['rollouts', 'executions'];
    for (const [name, rows] of before) {
      const columns = Object.keys(rows[0] ?? {});
      const kept = await rowsOf(now, name, changed.includes(name) ? columns : ['*']);
      if (changed.includes(name)) expect(kept).toEqual(rows);
      else expect(kept, name).toHaveLength(rows.length);
    }
    const rollouts = await now.db
      .selectFrom('rollouts as r')
      .innerJoin('bundles as b', 'b.id', 'r.bundle_id')
      .select(['r.id', 'r.bundle_version', 'b.version'])
      .execute();
    expect(rollouts.map(({ bundle_version }) => bundle_version)).toEqual(rollouts.map(({ version }) => version));
    // Neither goes with its bundle any more.
    await sql`delete from bundles`.execute(now.db);
    for (const name of changed) expect(await rowsOf(now, name), name).toHaveLength(before.get(name)?.length ?? 0);
    await sql`delete from devices`.execute(now.db);
    expect(await rowsOf(now, 'executions')).toEqual([]);
    await now.close();
  });

  it('are not made of older ones, and those are left as they are', async () => {
    const address = await source.make();
    await loadBefore(address);
    await forgetLastMigration(address);
    const text =
      'The tables are of an older version, which has run migration 0086-customer-invitations: 0.1.0 has to open them once before this one';
    for (let time = 0; time < 2; time++)
      await expect(openRecords(address)).rejects.toMatchObject({ message: text, code: 'EOLDERTABLES' });
  });

  it('are not made of those that a version between has left', async () => {
    const address = await source.make();
    await loadBefore(address);
    await runOn(address, "insert into kysely_migration (name, timestamp) values ('0088-later', '2030-01-01')");
    for (let time = 0; time < 2; time++)
      await expect(openRecords(address)).rejects.toMatchObject({
        message: 'The tables are of a newer version, which has run migration 0088-later',
        code: 'ENEWERTABLES',
      });
  });
});
