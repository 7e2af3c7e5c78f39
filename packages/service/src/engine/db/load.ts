import { failure, type Result, success } from '@moorage/base';
import { sql } from 'kysely';
import * as postgres from './dialect/postgres/load.ts';
import * as sqlite from './dialect/sqlite/load.ts';
import { type Cell, isRecordTable, type TableShape } from './snapshot.ts';
import type { Db, Storage } from './storage.ts';

const dialects = { sqlite, postgres } as const;

/** Values of one statement; the stricter of the databases takes 32,766. */
const statementValues = 30_000;

export interface RowBatch {
  readonly table: TableShape;
  readonly rows: readonly (readonly Cell[])[];
}

/** A table of the storage that has rows, if there is one. */
export async function findFilledTable(db: Db): Promise<string | undefined> {
  const tables = await db.introspection.getTables();
  for (const { name } of tables.filter((table) => isRecordTable(table.name))) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length > 0) return name;
  }
  return undefined;
}

/**
 * Writes rows into the empty tables of a storage, all or none: they may come in any order, and references are checked
 * at the end. `read` is called again when the transaction has to be.
 * The error is the name of a table that has rows already.
 */
export async function loadRecords(
  storage: Storage,
  tables: readonly TableShape[],
  read: () => AsyncIterable<RowBatch>,
): Promise<Result<undefined, string>> {
  const { checkReferences, deferReferences, setCounter, withOwnNumbers } = dialects[storage.kind];
  return storage.transaction(async (trx) => {
    const filled = await findFilledTable(trx);
    if (filled !== undefined) return failure(filled);
    await deferReferences(trx);
    for await (const { table, rows } of read()) {
      const columns = sql.join(table.columns.map((column) => sql.id(column)));
      const most = Math.max(1, Math.floor(statementValues / table.columns.length));
      for (let at = 0; at < rows.length; at += most) {
        const values = sql.join(rows.slice(at, at + most).map((row) => sql`(${sql.join(row)})`));
        await sql`insert into ${sql.table(table.name)} (${columns}) ${withOwnNumbers} values ${values}`.execute(trx);
      }
    }
    for (const table of tables) if (table.counter) await setCounter(trx, table, table.counter.last);
    await checkReferences(trx);
    return success(undefined);
  });
}
