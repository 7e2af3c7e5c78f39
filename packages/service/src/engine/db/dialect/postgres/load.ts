import { type RawBuilder, sql } from 'kysely';
import type { TableShape } from '../../snapshot.ts';
import type { Db } from '../../storage.ts';

interface ForeignKey {
  readonly table: string;
  readonly name: string;
}

async function setReferences(trx: Db, how: 'deferrable initially deferred' | 'not deferrable'): Promise<void> {
  const { rows } = await sql<ForeignKey>`
    select c.relname as "table", k.conname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and k.conparentid = 0 and k.connamespace = current_schema()::regnamespace`.execute(trx);
  for (const { table, name } of rows) {
    await sql`alter table ${sql.table(table)} alter constraint ${sql.id(name)} ${sql.raw(how)}`.execute(trx);
  }
}

/** References are checked at the end of the load: the rows come in any order. */
export const deferReferences = (trx: Db): Promise<void> => setReferences(trx, 'deferrable initially deferred');

/** Checks all references now, and makes them as strict as they were. */
export async function checkReferences(trx: Db): Promise<void> {
  await sql`set constraints all immediate`.execute(trx);
  await setReferences(trx, 'not deferrable');
}

/** What lets a row bring the number of its counted column. */
export const withOwnNumbers: RawBuilder<unknown> = sql`overriding system value`;

/** The next number of a counted column is above this one. */
export async function setCounter(trx: Db, { name, counter }: TableShape, last: number): Promise<void> {
  if (!counter || last === 0) return;
  await sql`select setval(pg_get_serial_sequence(quote_ident(${name}), ${counter.column}), ${last})`.execute(trx);
}
