import type { Migration } from 'kysely';
import { index, key, makeIndex, makeTable, part, text, time } from './columns.ts';
import type { Ddl } from './index.ts';

/** What users have saved of pages under names. */
export const savedViews = (ddl: Ddl): Migration => ({
  async up(db) {
    await makeTable(db, ddl, 'saved_views', {
      id: key,
      user_id: part('users'),
      page: text,
      title: text,
      state: text,
      created_at: time,
      updated_at: time,
    });
    await makeIndex(db, index('saved_views', 'user_id', 'page'));
  },
});
