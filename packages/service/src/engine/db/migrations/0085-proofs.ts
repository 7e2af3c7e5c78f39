import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** When users have last proved who they are, for each of their tokens. */
export const proofs = (ddl: Ddl): Migration => ({
  async up(db) {
    await db.schema.alterTable('tokens').addColumn('proven_at', ddl.int64).execute();
  },
});
