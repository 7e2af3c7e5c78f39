import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { databaseSource } from '../../../testing/index.ts';
import { releasedMigration } from '../../../testing/last-release.ts';
import { openStorage } from '../open.ts';
import { migrationNames } from './index.ts';

const source = databaseSource('postgres', { holds: 'nothing' });
afterAll(() => source.remove());

it('tables of PostgreSQL that are in use are migrated one migration at a time, and again when requests were in the way', async () => {
  const url = await source.make();
  // Connections of the background: what they wait for here takes as long as the server takes to find it out.
  const { background: old, close } = await openStorage(url, { upTo: releasedMigration });
  const trx = await old.db.startTransaction().execute();
  // The server ends the migration and not this transaction when both wait for each other.
  await sql`set local deadlock_timeout = '1h'`.execute(trx);
  await sql`lock table devices in row exclusive mode`.execute(trx);
  const opening = openStorage(url);
  const waiting = async () => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from pg_locks
      where relation = 'devices'::regclass and not granted`.execute(old.db);
    return rows[0]?.n;
  };
  await expect.poll(waiting).toBe(1);
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(old.db);
  expect(rows.map(({ name }) => name)).toContain('0019-catalogue-access');
  await sql`lock table kysely_migration in access exclusive mode`.execute(trx);
  await trx.commit().execute();
  const storage = await opening;
  expect(storage.migrated).toEqual(migrationNames.filter((name) => name > releasedMigration));
  await storage.close();
  await close();
});
