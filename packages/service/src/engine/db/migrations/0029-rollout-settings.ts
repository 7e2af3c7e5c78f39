import { type Migration, sql } from 'kysely';
import { index, makeIndex, makeTable, optionalInteger, optionalText, part, time } from './columns.ts';
import type { Ddl } from './index.ts';

/** More that can be said of a rollout, times at which something is due by itself, and what holds for a whole fleet. */
export const rolloutSettings = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const name of ['author_id', 'approver_id']) {
      await db.schema
        .alterTable('rollouts')
        .addColumn(name, 'text', (column) => column.references('users.id').onDelete('set null'))
        .execute();
    }
    await db.schema
      .alterTable('rollouts')
      .addColumn('signalled', ddl.int64, (column) => column.notNull().defaultTo(0))
      .execute();
    for (const name of ['signal_until', 'due_at', 'wake_at']) {
      await db.schema.alterTable('rollouts').addColumn(name, ddl.int64).execute();
    }
    await db.schema.alterTable('rollouts').addColumn('wake_after', 'text').execute();
    await db.schema.alterTable('executions').addColumn('expires_at', ddl.int64).execute();
    await db.schema
      .alterTable('freezes')
      .addColumn('everywhere', ddl.int64, (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`update rollouts set due_at = gate_at`.execute(db);
    await makeTable(db, ddl, 'fleet_settings', {
      product_id: { ...part('products'), key: true },
      zone: optionalText,
      wake_per_minute: optionalInteger,
      poll_interval_s: optionalInteger,
      template: optionalText,
      settings: optionalText,
      updated_at: time,
    });
    for (const column of ['due_at', 'wake_at']) await makeIndex(db, { ...index('rollouts', column), whereSet: column });
    await makeIndex(db, { ...index('executions', 'expires_at'), whereSet: 'expires_at' });
    // Pages of the devices of a rollout, all or of one state: those of one stage were written at the same time.
    await makeIndex(db, index('executions', 'rollout_id', 'changed_at', 'device_id'));
    await makeIndex(db, index('executions', 'rollout_id', 'state', 'changed_at', 'device_id'));
  },
});
