import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** Executions that are written without a look at their rollout, device and bundle, on PostgreSQL. */
export const looseExecutions = (ddl: Ddl): Migration => ({ up: (db) => ddl.looseExecutions(db) });
