import type { Migration } from 'kysely';
import { index, key, makeIndex, makeTable, mayBePart, time } from './columns.ts';
import type { Ddl } from './index.ts';

/** Who may use platforms and flavors that are not for everybody. */
export const catalogueAccess = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const table of ['platforms', 'flavors']) {
      await db.schema
        .alterTable(table)
        .addColumn('restricted', ddl.int64, (column) => column.notNull().defaultTo(0))
        .execute();
    }
    await makeTable(db, ddl, 'catalogue_grants', {
      id: key,
      platform_id: mayBePart('platforms'),
      flavor_id: mayBePart('flavors'),
      user_id: mayBePart('users'),
      customer_id: mayBePart('customers'),
      created_at: time,
    });
    for (const column of ['platform_id', 'flavor_id', 'user_id', 'customer_id']) {
      await makeIndex(db, { ...index('catalogue_grants', column), whereSet: column });
    }
  },
});
