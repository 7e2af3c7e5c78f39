import { type Migration, sql } from 'kysely';

/** The role of a user among the people of their customer; those who are there already own what it owns, as before. */
export const customerRoles = (): Migration => ({
  async up(db) {
    await db.schema
      .alterTable('users')
      .addColumn('customer_role', 'text', (column) => column.notNull().defaultTo(sql.lit('owner')))
      .execute();
  },
});
