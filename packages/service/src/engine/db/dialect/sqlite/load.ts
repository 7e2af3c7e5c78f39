import { type RawBuilder, sql } from 'kysely';
import type { TableShape } from '../../snapshot.ts';
import type { Db } from '../../storage.ts';

/** References are checked at the end of the transaction: the rows come in any order. */
export async function deferReferences(trx: Db): Promise<void> {
  await sql`pragma defer_foreign_keys = on`.execute(trx);
}

/** The commit checks them. */
export const checkReferences = async (_trx: Db): Promise<void> => {};

/** What lets a row bring the number of its counted column; here any row may. */
export const withOwnNumbers: RawBuilder<unknown> = sql``;

/** The next number of a counted column is above this one. */
export async function setCounter(trx: Db, { name }: TableShape, last: number): Promise<void> {
  await sql`delete from sqlite_sequence where name = ${name}`.execute(trx);
  await sql`insert into sqlite_sequence (name, seq) values (${name}, ${last})`.execute(trx);
}
