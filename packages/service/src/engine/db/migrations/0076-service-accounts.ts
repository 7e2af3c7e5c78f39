import type { Migration } from 'kysely';
import { index, makeIndex } from './columns.ts';

/** Accounts that belong to a product. */
export const serviceAccounts = (): Migration => ({
  async up(db) {
    // Without a reference: they go in the transaction that deletes their product, after what they have made.
    await db.schema.alterTable('users').addColumn('service_product_id', 'text').execute();
    await makeIndex(db, { ...index('users', 'service_product_id'), whereSet: 'service_product_id' });
  },
});
