import type { Migration } from 'kysely';
import { index, key, makeIndex, makeTable, part, text, time } from './columns.ts';
import type { Ddl } from './index.ts';

/** Filters with names. */
export const segments = (ddl: Ddl): Migration => ({
  async up(db) {
    const product_id = part('products');
    await makeTable(db, ddl, 'segments', {
      id: key,
      product_id,
      title: text,
      filter: text,
      created_at: time,
      updated_at: time,
    });
    await makeIndex(db, index('segments', 'product_id', 'created_at'));
  },
});
