import type { Migration } from 'kysely';
import {
  index,
  integer,
  key,
  makeIndex,
  makeTable,
  mayBePart,
  optionalText,
  optionalTime,
  text,
  time,
} from './columns.ts';
import type { Ddl } from './index.ts';

/** Links that accounts are mailed, and whether an address has been confirmed. */
export const mailLinks = (ddl: Ddl): Migration => ({
  async up(db) {
    await db.schema.alterTable('users').addColumn('email_confirmed_at', ddl.int64).execute();
    await makeTable(db, ddl, 'mail_links', {
      id: key,
      user_id: mayBePart('users'),
      kind: text,
      email: text,
      token_hash: optionalText,
      created_at: time,
      expires_at: time,
      attempts: integer,
      due_at: optionalTime,
      used_at: optionalTime,
    });
    await makeIndex(db, index('mail_links', 'token_hash'));
    await makeIndex(db, index('mail_links', 'user_id'));
    await makeIndex(db, index('mail_links', 'expires_at'));
    await makeIndex(db, { ...index('mail_links', 'due_at'), whereSet: 'due_at' });
  },
});
