import type { Migration } from 'kysely';
import { index, integer, key, makeIndex, makeTable, optionalText, text, time } from './columns.ts';
import type { Ddl } from './index.ts';

const change = {
  at: time,
  user_id: optionalText,
  user: text,
  token_id: optionalText,
  token: optionalText,
  ip: optionalText,
  action: text,
  object_kind: optionalText,
  object_id: optionalText,
  product_id: optionalText,
  message: optionalText,
  before: optionalText,
  after: optionalText,
};

/** The audit: changes that wait for their place in the chain, the chain, and where it begins and ends. */
export const audit = (ddl: Ddl): Migration => ({
  async up(db) {
    await makeTable(db, ddl, 'audit_queue', { id: { type: 'counter' }, ...change });
    await makeTable(db, ddl, 'audit', { seq: { ...integer, key: true }, ...change, previous: text, hash: text });
    for (const column of ['at', 'user', 'object_id', 'product_id']) {
      await makeIndex(db, index('audit', column, 'seq'));
    }
    const place = { seq: integer, hash: text, dropped_seq: integer, dropped_hash: text };
    await makeTable(db, ddl, 'audit_chain', { id: key, ...place });
    await ddl.guardAudit(db);
  },
});
