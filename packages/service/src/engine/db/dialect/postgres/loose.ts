import { type Kysely, sql } from 'kysely';
import type { Table } from '../../table.ts';

/** The tables that rows of a loose one are part of, and the columns that say of which row. */
const partsOf = ({ columns }: Table) =>
  Object.entries(columns).flatMap(([column, { references }]) =>
    references ? [{ column, parent: references[0].replace(/\.\w+$/, '') }] : [],
  );

/** Takes back what `forgetWith` has made. */
export async function rememberWith(db: Kysely<unknown>, name: string, table: Table): Promise<void> {
  const names = [`forget_${name}`, ...partsOf(table).map(({ parent }) => `forget_${name}_of_${parent}`)];
  for (const trigger of names) await sql`drop function if exists ${sql.id(trigger)}() cascade`.execute(db);
}

/**
 * A trigger for each table that rows of a loose one are part of, which takes them along: what a reference would cost with
 * each row that is written costs nothing until something goes.
 */
export async function forgetWith(db: Kysely<unknown>, name: string, table: Table): Promise<void> {
  const parts = partsOf(table);
  for (const { column, parent } of parts) {
    const trigger = sql.id(`forget_${name}${parts.length > 1 ? `_of_${parent}` : ''}`);
    await sql`create function ${trigger}() returns trigger language plpgsql as $$ begin
      delete from ${sql.table(name)} where ${sql.id(column)} in (select id from gone); return null;
    end $$`.execute(db);
    await sql`create trigger ${trigger} after delete on ${sql.table(parent)} referencing old table as gone
      for each statement execute function ${trigger}()`.execute(db);
  }
}
