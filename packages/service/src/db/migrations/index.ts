import { type ColumnDefinitionBuilder, type Kysely, type Migration, Migrator, type RawBuilder } from 'kysely';
import type { Schema } from '../schema.ts';
import { initial } from './0001-initial.ts';
import { files } from './0002-files.ts';

/** What tables need that the two databases spell differently. */
export interface Ddl {
  readonly int64: 'integer' | 'bigint';
  /** Column type of a text that compares and sorts by its bytes. */
  readonly name: 'text' | RawBuilder<unknown>;
  readonly tableEnd: RawBuilder<unknown>;
  counter(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
}

/** All migrations in their order. A released one is never changed. */
const migrations: Readonly<Record<string, (ddl: Ddl) => Migration>> = {
  '0001-initial': initial,
  '0002-files': files,
};

/** Runs the migrations that are due, each once, under the database's lock. Throws with the cause when one fails. */
export async function migrate(db: Kysely<Schema>, ddl: Ddl): Promise<void> {
  const made = Object.fromEntries(Object.entries(migrations).map(([name, make]) => [name, make(ddl)]));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => made } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find(({ status }) => status === 'Error')?.migrationName ?? 'none';
  throw new Error(`The database could not be brought up to date (migration ${failed})`, { cause: error });
}
