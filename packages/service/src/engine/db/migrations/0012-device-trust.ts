import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** Whether the owner of a device lets its vendor at the files, and whether the device has reported its address itself. */
export const deviceTrust = (ddl: Ddl): Migration => ({
  async up(db) {
    // Which addresses were reported before is not known: those that are there keep them.
    for (const name of ['vendor_files', 'mac_reported']) {
      await db.schema
        .alterTable('devices')
        .addColumn(name, ddl.int64, (column) => column.notNull().defaultTo(0))
        .execute();
    }
  },
});
