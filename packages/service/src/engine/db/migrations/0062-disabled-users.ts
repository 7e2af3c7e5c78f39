import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** Since when an account may not come in. */
export const disabledUsers = (ddl: Ddl): Migration => ({
  async up(db) {
    await db.schema.alterTable('users').addColumn('disabled_at', ddl.int64).execute();
  },
});
