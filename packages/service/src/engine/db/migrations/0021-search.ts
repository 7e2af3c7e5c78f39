import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** An index by which a search finds devices without a walk through all of them. */
export const search = (ddl: Ddl): Migration => ({ up: (db) => ddl.indexDevices(db) });
