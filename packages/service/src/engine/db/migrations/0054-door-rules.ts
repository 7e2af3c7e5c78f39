import type { Migration } from 'kysely';
import { forgets, index, key, makeIndex, makeTable, part, text, time, unique } from './columns.ts';
import type { Ddl } from './index.ts';

/** What a product asks of the devices behind its doors, what they have consented to, and keys accepted beforehand. */
export const doorRules = (ddl: Ddl): Migration => ({
  async up(db) {
    await db.schema
      .alterTable('product_doors')
      .addColumn('consent', ddl.int64, (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('product_doors').addColumn('version_attribute', 'text').execute();
    await db.schema.alterTable('product_doors').addColumn('probation_s', ddl.int64).execute();
    await db.schema.alterTable('door_devices').addColumn('auto_confirm', 'text').execute();
    await db.schema.alterTable('door_updates').addColumn('consent', 'text').execute();
    await makeTable(db, ddl, 'door_keys', {
      id: key,
      product_id: part('products'),
      name: text,
      key_hash: text,
      user_id: forgets('users'),
      created_at: time,
    });
    await makeIndex(db, unique('door_keys', 'product_id', 'name'));
    for (const column of ['key_hash', 'user_id']) await makeIndex(db, index('door_keys', column));
  },
});
