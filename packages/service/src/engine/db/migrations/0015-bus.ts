import type { Migration } from 'kysely';
import { type Column, key, makeTable, text, time } from './columns.ts';
import type { Ddl } from './index.ts';

const number: Column = { type: 'int64', key: true };

const tables: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  bus_position: { id: number, last: { type: 'int64' } },
  bus_messages: { id: number, at: time, sender: text, topic: text, message: text },
  work: { name: key, holder: { type: 'text', optional: true }, fence: { type: 'int64' }, done_at: time },
};

/** Messages between nodes on PostgreSQL, the leases of nodes, and the work that one of them does for all. */
export const bus = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const [name, columns] of Object.entries(tables)) await makeTable(db, ddl, name, columns);
    await db.schema
      .alterTable('processes')
      .addColumn('beats', ddl.int64, (column) => column.notNull().defaultTo(0))
      .execute();
  },
});
