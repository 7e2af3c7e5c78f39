import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { Table } from '../../table.ts';
import { guardAudit } from './audit.ts';
import { countDevices } from './counts.ts';
import { numberLogs } from './logs.ts';
import { splitSamples } from './partitions.ts';
import { indexDevices } from './search.ts';

export { forgetWith } from './loose.ts';

export const types = { text: 'text', name: sql`text collate "C"`, int64: 'bigint', real: 'double precision' } as const;

/** PostgreSQL keeps rows in the order in which they came. */
export const tableEnd = ({ partitionBy }: Table) =>
  partitionBy === undefined ? sql`` : sql`partition by range (${sql.id(partitionBy)})`;

export const counter = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.generatedAlwaysAsIdentity();

/** Well below the second after which the server looks for those that wait for each other, and ends one of them. */
const lockMs = 300;

/** Gives up on a lock that is not to be had soon: whoever asks for it meanwhile waits behind this transaction. */
export const boundLocks = async (db: Kysely<unknown>): Promise<void> => {
  await sql`set local lock_timeout = ${sql.lit(lockMs)}`.execute(db);
};

export async function addToFirst(db: Kysely<unknown>): Promise<void> {
  for (const make of [splitSamples, indexDevices, countDevices, numberLogs, guardAudit]) await make(db);
}
