import type { Migration } from 'kysely';
import {
  index,
  integer,
  key,
  makeIndex,
  makeTable,
  optionalInteger,
  optionalText,
  optionalTime,
  part,
  time,
} from './columns.ts';
import type { Ddl } from './index.ts';

/** Apps that show codes, recovery codes, what logins wait for, and how sessions were opened. */
export const secondFactors = (ddl: Ddl): Migration => ({
  async up(db) {
    await db.schema
      .alterTable('users')
      .addColumn('second_factor', ddl.int64, (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('tokens').addColumn('opened_by', 'text').execute();
    await makeTable(db, ddl, 'totp', {
      user_id: { ...part('users'), key: true },
      secret: optionalText,
      pending: optionalText,
      confirmed_at: optionalTime,
      last_step: optionalInteger,
    });
    await makeTable(db, ddl, 'recovery_codes', { user_id: { ...part('users'), key: true }, code_hash: key });
    await makeTable(db, ddl, 'challenges', {
      hash: key,
      user_id: part('users'),
      expires_at: time,
      attempts: integer,
    });
    await makeIndex(db, index('challenges', 'user_id'));
    await makeIndex(db, index('challenges', 'expires_at'));
  },
});
