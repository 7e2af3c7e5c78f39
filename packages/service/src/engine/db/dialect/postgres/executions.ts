import { type Kysely, sql } from 'kysely';

/** What executions go with, and by which column. */
const parents = { rollouts: 'rollout_id', devices: 'device_id', bundles: 'bundle_id' } as const;

/** Drops the references of each execution; triggers take executions along with what they refer to. */
export async function looseExecutions(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint where conrelid = 'executions'::regclass and contype = 'f'`.execute(db);
  for (const { name } of rows) await sql`alter table executions drop constraint ${sql.id(name)}`.execute(db);
  for (const [parent, column] of Object.entries(parents)) {
    const name = sql.id(`forget_executions_of_${parent}`);
    await sql`create function ${name}() returns trigger language plpgsql as
      $$ begin delete from executions where ${sql.id(column)} in (select id from gone); return null; end $$`.execute(
      db,
    );
    await sql`create trigger ${name} after delete on ${sql.table(parent)} referencing old table as gone
      for each statement execute function ${name}()`.execute(db);
  }
}
