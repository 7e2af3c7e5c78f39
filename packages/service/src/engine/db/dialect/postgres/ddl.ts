import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';

/** Column type of a whole number of up to 53 bits. */
export const int64 = 'bigint';

/** Column type of a text that compares and sorts by its bytes. */
export const name = sql`text collate "C"`;

/** Column type of a number of double precision. */
export const real = 'double precision';

/** What follows the column list. */
export const tableEnd = sql``;

/** PostgreSQL keeps rows in the order in which they came. */
export const orderedTableEnd = sql``;

/** An integer key that the database counts up and never gives out twice. */
export const counter = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.generatedAlwaysAsIdentity();

/** Well below the second after which the server looks for those that wait for each other, and ends one of them. */
const lockMs = 300;

/** Gives up on a lock that is not to be had soon: whoever asks for it meanwhile waits behind this transaction. */
export const boundLocks = async (db: Kysely<unknown>): Promise<void> => {
  await sql`set local lock_timeout = ${sql.lit(lockMs)}`.execute(db);
};

export { guardAudit } from './audit.ts';
export { countDevices, countStatements } from './counts.ts';
export { looseExecutions } from './executions.ts';
export { numberLogs } from './logs.ts';
export { looseSamples, splitSamples } from './partitions.ts';

export { indexDevices } from './search.ts';
