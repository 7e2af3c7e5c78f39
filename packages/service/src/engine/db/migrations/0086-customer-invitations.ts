import type { Migration } from 'kysely';
import { index, key, makeIndex, makeTable, part, text, time, unique } from './columns.ts';
import type { Ddl } from './index.ts';

/** People become those of a customer once they accept. */
export const customerInvitations = (ddl: Ddl): Migration => ({
  async up(db) {
    await makeTable(db, ddl, 'customer_invitations', {
      id: key,
      customer_id: part('customers'),
      user_id: part('users'),
      role: text,
      name: text,
      created_at: time,
    });
    await makeIndex(db, unique('customer_invitations', 'customer_id', 'user_id'));
    await makeIndex(db, index('customer_invitations', 'user_id'));
  },
});
