import { type RawBuilder, sql } from 'kysely';

/** SQLite numbers all rows by itself. */
export const numberLogs = async (): Promise<void> => {};

/** What grows with each row of the log. */
export const logNumber: RawBuilder<number> = sql<number>`logs.rowid`;
