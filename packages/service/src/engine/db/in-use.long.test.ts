import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { openRecords, records, tables } from '../../tables.ts';
import { databaseSource } from '../../testing/index.ts';
import { migrationNames } from './migrations.ts';
import { openStorage } from './open.ts';
import * as t from './table.ts';

const source = databaseSource('postgres', { holds: 'nothing' });
afterAll(() => source.remove());

const withNote = <C extends Parameters<typeof t.table>[0]>(columns: C, version: number) =>
  t.table({ ...columns, note: t.since(version, t.optional(t.text)) });

it('tables of PostgreSQL that are in use are migrated one migration at a time, and again when requests were in the way', async () => {
  const url = await source.make();
  // Connections of the background: what they wait for here takes as long as the server takes to find it out.
  const { background: old, close } = await openRecords(url);
  const trx = await old.db.startTransaction().execute();
  // The server ends the migration and not this transaction when both wait for each other.
  await sql`set local deadlock_timeout = '1h'`.execute(trx);
  await sql`lock table devices in row exclusive mode`.execute(trx);
  const now = migrationNames(records);
  const users = withNote(tables.users.columns, now.length + 1);
  const devices = withNote(tables.devices.columns, now.length + 2);
  const later = { ...records, tables: { ...tables, users, devices } };
  const names = migrationNames(later);
  const opening = openStorage(url, later);
  const waiting = async () => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from pg_locks
      where relation = 'devices'::regclass and not granted`.execute(old.db);
    return rows[0]?.n;
  };
  await expect.poll(waiting).toBe(1);
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(old.db);
  expect(rows.map(({ name }) => name)).toEqual(names.slice(0, -1));
  await sql`lock table kysely_migration in access exclusive mode`.execute(trx);
  await trx.commit().execute();
  const storage = await opening;
  expect(storage.migrated).toEqual(names.slice(now.length));
  await storage.close();
  await close();
});
