import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** Devices that one statement makes or removes are counted together, on PostgreSQL. */
export const countedStatements = (ddl: Ddl): Migration => ({ up: (db) => ddl.countStatements(db) });
