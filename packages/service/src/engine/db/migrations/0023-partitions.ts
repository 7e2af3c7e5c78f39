import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** Samples in partitions by time, on PostgreSQL. */
export const partitions = (ddl: Ddl): Migration => ({ up: (db) => ddl.splitSamples(db) });
