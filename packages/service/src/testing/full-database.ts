import { sql } from 'kysely';
import { isRecordTable } from '../engine/db/snapshot.ts';
import type { Storage } from '../engine/db/storage.ts';

/** Tables in which a service keeps its records. */
async function tablesOf({ db }: Storage): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables.map(({ name }) => name).filter((name) => isRecordTable(name) && name !== 'filler');
}

const events = ['insert', 'update', 'delete'] as const;
const sqliteEnd = '; end';

/** Every write also needs a megabyte, and the file may not grow: SQLite's own error of a full disk. */
async function fillSqlite(storage: Storage): Promise<() => Promise<void>> {
  const run = (text: string) => sql.raw(text).execute(storage.db);
  await run('create table filler (bytes blob)');
  const tables = await tablesOf(storage);
  const each = async (statement: (name: string, table: string, event: string) => string) => {
    for (const table of tables)
      for (const event of events) await run(statement(`full_${table}_${event}`, table, event));
  };
  await each(
    (name, table, event) =>
      `create trigger ${name} before ${event} on ${table} begin insert into filler values (zeroblob(1000000))${sqliteEnd}`,
  );
  await run('pragma max_page_count = 1');
  return async () => {
    await run('pragma max_page_count = 1000000');
    await each((name) => `drop trigger ${name}`);
  };
}

/** Every write fails with the server's own code of a full disk. */
async function fillPostgres(storage: Storage): Promise<() => Promise<void>> {
  const run = (text: string) => sql.raw(text).execute(storage.db);
  await run(`create function fill() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
  for (const table of await tablesOf(storage)) {
    await run(
      `create trigger fill before insert or update or delete on ${table} for each statement execute function fill()`,
    );
  }
  return async () => {
    await run('drop function fill() cascade');
  };
}

/** Leaves a database without room for any write; returns what makes room again. */
export const fillDatabase = (storage: Storage): Promise<() => Promise<void>> =>
  storage.kind === 'sqlite' ? fillSqlite(storage) : fillPostgres(storage);
