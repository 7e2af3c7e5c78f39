import { type Kysely, sql } from 'kysely';
import type { ReferenceChange } from '../../ddl.ts';

/**
 * Makes a table anew, since SQLite cannot change a reference of one that is there: its rows, its indexes, its triggers and
 * what its counter has given out stay. Rows that are part of its rows would go with the old table, so the connection must
 * not look after references meanwhile.
 */
export async function refer(db: Kysely<unknown>, name: string, { after, make }: ReferenceChange): Promise<void> {
  const { rows } = await sql<{ foreign_keys: number }>`pragma foreign_keys`.execute(db);
  if (rows[0]?.foreign_keys !== 0) throw new Error(`The rows of "${name}" would be lost with it`);
  const made = `${name}_made_anew`;
  const around = await sql<{ sql: string }>`select sql from sqlite_schema
    where tbl_name = ${name} and type in ('index', 'trigger') and sql is not null`.execute(db);
  await make(made);
  const columns = sql.join(Object.keys(after.columns).map((column) => sql.id(column)));
  await sql`insert into ${sql.table(made)} (${columns}) select ${columns} from ${sql.table(name)}`.execute(db);
  if (Object.values(after.columns).some(({ type }) => type === 'counter')) {
    await sql`delete from sqlite_sequence where name = ${made}`.execute(db);
    await sql`update sqlite_sequence set name = ${made} where name = ${name}`.execute(db);
  }
  await sql`drop table ${sql.table(name)}`.execute(db);
  await sql`alter table ${sql.table(made)} rename to ${sql.table(name)}`.execute(db);
  for (const { sql: text } of around.rows) await sql.raw(text).execute(db);
  const dangling = await sql`select 1 from pragma_foreign_key_check(${name}) limit 1`.execute(db);
  if (dangling.rows.length > 0) throw new Error(`Rows of "${name}" name rows that are not there`);
}
