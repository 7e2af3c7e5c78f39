import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** When a device was asked to look for its update at once, and when it has. */
export const askedUpdates = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const name of ['update_asked_at', 'update_looked_at']) {
      await db.schema.alterTable('devices').addColumn(name, ddl.int64).execute();
    }
  },
});
