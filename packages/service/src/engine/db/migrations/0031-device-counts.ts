import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** How many devices there are, so that a list of all of them need not count them. */
export const deviceCounts = (ddl: Ddl): Migration => ({ up: (db) => ddl.countDevices(db) });
