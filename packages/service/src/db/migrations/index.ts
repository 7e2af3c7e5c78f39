import { type ColumnDefinitionBuilder, type Kysely, type Migration, Migrator, type RawBuilder } from 'kysely';
import type { Schema } from '../schema.ts';
import { initial } from './0001-initial.ts';
import { files } from './0002-files.ts';
import { connectorsLogs } from './0003-connectors-logs.ts';
import { pollsAndFilters } from './0004-polls-and-filters.ts';
import { dataCloud } from './0005-data-cloud.ts';
import { channels } from './0006-channels.ts';
import { renewalBroadcasts } from './0007-renewal-broadcasts.ts';
import { nodesBlocks } from './0008-nodes-blocks.ts';
import { authoritiesInvitations } from './0011-authorities-invitations.ts';
import { deviceTrust } from './0012-device-trust.ts';
import { bus } from './0015-bus.ts';
import { attributes } from './0016-attributes.ts';
import { segments } from './0017-segments.ts';
import { rollouts } from './0018-rollouts.ts';

/** What tables need that the two databases spell differently. */
export interface Ddl {
  readonly int64: 'integer' | 'bigint';
  /** Column type of a text that compares and sorts by its bytes. */
  readonly name: 'text' | RawBuilder<unknown>;
  /** Column type of a number of double precision. */
  readonly real: 'real' | 'double precision';
  readonly tableEnd: RawBuilder<unknown>;
  /** The same for a table whose rows lie in the order of their key, which is no counter. */
  readonly orderedTableEnd: RawBuilder<unknown>;
  counter(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
}

/** All migrations in their order. A released one is never changed. */
const migrations: Readonly<Record<string, (ddl: Ddl) => Migration>> = {
  '0001-initial': initial,
  '0002-files': files,
  '0003-connectors-logs': connectorsLogs,
  '0004-polls-and-filters': pollsAndFilters,
  '0005-data-cloud': dataCloud,
  '0006-channels': channels,
  '0007-renewal-broadcasts': renewalBroadcasts,
  '0008-nodes-blocks': nodesBlocks,
  '0011-authorities-invitations': authoritiesInvitations,
  '0012-device-trust': deviceTrust,
  '0015-bus': bus,
  '0016-attributes': attributes,
  '0017-segments': segments,
  '0018-rollouts': rollouts,
};

/** Their names, in their order. */
export const migrationNames: readonly string[] = Object.keys(migrations);

/**
 * Runs the migrations that are due, each once, under the database's lock. Throws with the cause when one fails.
 *
 * @param upTo the last one to run, for tables as an older version has them; all of them without it
 * @returns the names of those that ran
 */
export async function migrate(db: Kysely<Schema>, ddl: Ddl, upTo?: string): Promise<readonly string[]> {
  const made = Object.fromEntries(Object.entries(migrations).map(([name, make]) => [name, make(ddl)]));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => made } });
  if (upTo !== undefined) {
    // The migrator would go back from there without a word.
    const done = (await migrator.getMigrations()).filter(({ executedAt }) => executedAt !== undefined);
    const later = done.find(({ name }) => name > upTo);
    if (later) throw new Error(`The tables are newer than migration ${upTo}: they have ${later.name}`);
  }
  const { error, results = [] } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error === undefined) {
    return results.filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName);
  }
  const failed = results.find(({ status }) => status === 'Error')?.migrationName ?? 'none';
  throw new Error(`The database could not be brought up to date (migration ${failed})`, { cause: error });
}
