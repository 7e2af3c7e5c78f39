import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { ReferenceChange } from '../../ddl.ts';
import type { Table } from '../../table.ts';
import { guardAudit } from './audit.ts';
import { countDevices } from './counts.ts';
import { numberLogs } from './logs.ts';
import { forgetWith, rememberWith } from './loose.ts';
import { splitSamples } from './partitions.ts';
import { indexDevices } from './search.ts';

export { forgetWith };

export const types = { text: 'text', name: sql`text collate "C"`, int64: 'bigint', real: 'double precision' } as const;

/** PostgreSQL keeps rows in the order in which they came. */
export const tableEnd = ({ partitionBy }: Table) =>
  partitionBy === undefined ? sql`` : sql`partition by range (${sql.id(partitionBy)})`;

export const counter = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.generatedAlwaysAsIdentity();

/** Drops the constraints of the references that go, and adds those that come; of a loose table its triggers are made anew. */
export async function refer(
  db: Kysely<unknown>,
  name: string,
  { before, after, columns }: ReferenceChange,
): Promise<void> {
  if (before.loose) {
    await rememberWith(db, name, before);
    return forgetWith(db, name, after);
  }
  for (const column of columns) {
    const [was, now] = [before.columns[column], after.columns[column]];
    const constraint = `${name}_${column}_fkey`;
    if (was?.references) await db.schema.alterTable(name).dropConstraint(constraint).execute();
    const altered = db.schema.alterTable(name);
    if (was?.optional !== now?.optional)
      await altered.alterColumn(column, (to) => (now?.optional ? to.dropNotNull() : to.setNotNull())).execute();
    if (!now?.references) continue;
    const [target, onDelete] = now.references;
    const [table = '', key = ''] = target.split('.');
    await altered
      .addForeignKeyConstraint(constraint, [column as never], table, [key as never], (made) => made.onDelete(onDelete))
      .execute();
  }
}

/** Well below the second after which the server looks for those that wait for each other, and ends one of them. */
const lockMs = 300;

/** Gives up on a lock that is not to be had soon: whoever asks for it meanwhile waits behind this transaction. */
export const boundLocks = async (db: Kysely<unknown>): Promise<void> => {
  await sql`set local lock_timeout = ${sql.lit(lockMs)}`.execute(db);
};

export async function addToFirst(db: Kysely<unknown>): Promise<void> {
  for (const make of [splitSamples, indexDevices, countDevices, numberLogs, guardAudit]) await make(db);
}
