import type { Migration } from 'kysely';
import type { Ddl } from './index.ts';

/** When a gateway last reported a node, and who has blocked a device. */
export const nodesBlocks = (ddl: Ddl): Migration => ({
  async up(db) {
    // Unknown for nodes that are there; their gateway reports them again.
    await db.schema
      .alterTable('device_nodes')
      .addColumn('seen_at', ddl.int64, (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('devices').addColumn('blocked_by', 'text').execute();
  },
});
