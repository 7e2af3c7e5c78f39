import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** Samples that are written without a look at their stream, on PostgreSQL. */
export const looseSamples = (ddl: Ddl): Migration => ({ up: (db) => ddl.looseSamples(db) });
