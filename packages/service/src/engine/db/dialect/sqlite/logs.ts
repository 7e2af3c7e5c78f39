import { type RawBuilder, sql } from 'kysely';

/** What grows with each row of the log: SQLite numbers all rows by itself. */
export const logNumber: RawBuilder<number> = sql<number>`logs.rowid`;
