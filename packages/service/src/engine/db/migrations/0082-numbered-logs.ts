import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** Rows of the log are numbered as they come: who follows it goes by no clock. */
export const numberedLogs = (ddl: Ddl): Migration => ({ up: (db) => ddl.numberLogs(db) });
