import { type Migration, sql } from 'kysely';
import { type Column, type Index, index, integer, key, makeIndex, makeTable } from './columns.ts';
import type { Ddl } from './index.ts';

/** How often devices have asked for an update, by hour, product and owner: a row for each poll would be too many. */
const polls: Readonly<Record<string, Column>> = {
  product_id: key,
  // Empty for devices without an owner: a key has no place for null.
  owner_id: key,
  at: { type: 'int64', key: true },
  polls: integer,
};

const indexes: readonly Index[] = [
  index('polls', 'owner_id', 'at'),
  index('polls', 'at'),
  index('devices', 'product_id', 'user_id'),
  // What is rare among many, such as failed updates, is found without a walk through all.
  index('updates', 'state'),
];

/** Counts of polls, and indexes for the filters of the device list. */
export const pollsAndFilters = (ddl: Ddl): Migration => ({
  async up(db) {
    await makeTable(db, ddl, 'polls', polls);
    for (const wanted of indexes) await makeIndex(db, wanted);
    // Blocked devices are few. Of all states an index would look narrow to a planner without statistics, and is not.
    await db.schema
      .createIndex('devices_disabled')
      .on('devices')
      .columns(['created_at', 'id'])
      .where(sql.ref('state'), '=', 'disabled')
      .execute();
  },
});
