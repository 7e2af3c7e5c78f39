import type { Migration } from 'kysely';
import { index, integer, key, makeIndex, makeTable, optionalText, optionalTime, part, text, time } from './columns.ts';
import type { Ddl } from './index.ts';

/** Alerts by mail: whom a rule writes to, and the mails that wait or have gone. */
export const alertMails = (ddl: Ddl): Migration => ({
  async up(db) {
    await db.schema.alterTable('alert_rules').addColumn('mail_to', 'text').execute();
    await makeTable(db, ddl, 'alert_mails', {
      id: key,
      product_id: part('products'),
      mail_to: text,
      subject: text,
      body: text,
      attempts: integer,
      due_at: optionalTime,
      error: optionalText,
      created_at: time,
    });
    await makeIndex(db, index('alert_mails', 'product_id', 'created_at'));
    await makeIndex(db, index('alert_mails', 'created_at'));
    await makeIndex(db, { ...index('alert_mails', 'due_at'), whereSet: 'due_at' });
  },
});
