import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** What a token may do, with which products and until when, and who used it last. */
export const tokenScopes = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const name of ['scopes', 'product_ids', 'last_used_ip', 'user_agent']) {
      await db.schema.alterTable('tokens').addColumn(name, 'text').execute();
    }
    await db.schema.alterTable('tokens').addColumn('expires_at', ddl.int64).execute();
  },
});
