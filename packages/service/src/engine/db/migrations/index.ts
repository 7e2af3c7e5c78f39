import {
  type ColumnDefinitionBuilder,
  type Kysely,
  type Migration,
  type MigrationResult,
  type MigrationResultSet,
  Migrator,
  type RawBuilder,
  sql,
} from 'kysely';
import { isLockedOut } from '../errors.ts';
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
import { catalogueAccess } from './0019-catalogue-access.ts';
import { search } from './0021-search.ts';
import { partitions } from './0023-partitions.ts';
import { looseSamples } from './0024-loose-samples.ts';
import { askedUpdates } from './0027-asked-updates.ts';
import { alerts } from './0028-alerts.ts';
import { rolloutSettings } from './0029-rollout-settings.ts';
import { blobObjects } from './0030-blob-objects.ts';
import { deviceCounts } from './0031-device-counts.ts';
import { savedViews } from './0032-saved-views.ts';
import { executionIndexes } from './0035-execution-indexes.ts';
import { doors } from './0040-doors.ts';
import { artifactHeaders } from './0041-artifact-headers.ts';
import { announcements } from './0052-announcements.ts';
import { doorRules } from './0054-door-rules.ts';
import { alertMails } from './0058-alert-mails.ts';
import { disabledUsers } from './0062-disabled-users.ts';
import { foundModules } from './0063-found-modules.ts';
import { tokenScopes } from './0064-token-scopes.ts';
import { secondFactors } from './0065-second-factors.ts';
import { mailLinks } from './0066-mail-links.ts';
import { customerRoles } from './0073-customer-roles.ts';
import { singleSignOn } from './0074-single-sign-on.ts';
import { passkeys } from './0075-passkeys.ts';
import { serviceAccounts } from './0076-service-accounts.ts';
import { audit } from './0077-audit.ts';
import { rehearsals } from './0078-rehearsals.ts';
import { looseExecutions } from './0079-loose-executions.ts';
import { rehearsalTurns } from './0080-rehearsal-turns.ts';
import { countedStatements } from './0081-counted-statements.ts';
import { numberedLogs } from './0082-numbered-logs.ts';
import { waitingNetworks } from './0084-waiting-networks.ts';
import { proofs } from './0085-proofs.ts';
import { customerInvitations } from './0086-customer-invitations.ts';
import { alertAddresses } from './0087-alert-addresses.ts';

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
  /**
   * Ends what a transaction waits for before others that wait for it are ended: a request that meets a migration waits for
   * a moment. Only of databases with more than one writer.
   */
  boundLocks?(db: Kysely<unknown>): Promise<void>;
  /** Splits the samples by time, where the database can do that. */
  splitSamples(db: Kysely<unknown>): Promise<void>;
  /** Lets samples go without a reference to their stream, where a check of each costs much; they still go with it. */
  looseSamples(db: Kysely<unknown>): Promise<void>;
  /** The same for executions: a rollout that begins writes one for each of its devices. */
  looseExecutions(db: Kysely<unknown>): Promise<void>;
  /** Makes what a search of devices goes by. */
  indexDevices(db: Kysely<unknown>): Promise<void>;
  /** Makes the counts of devices by product and owner, and what keeps them true, whoever writes devices. */
  countDevices(db: Kysely<unknown>): Promise<void>;
  /** Devices of one statement are counted together, where each made a row of its own. */
  countStatements(db: Kysely<unknown>): Promise<void>;
  /** Gives each row of the log a number from here on, and finds rows by it. */
  numberLogs(db: Kysely<unknown>): Promise<void>;
  /** Keeps the rows of the audit from being changed, whoever tries. */
  guardAudit(db: Kysely<unknown>): Promise<void>;
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
  '0019-catalogue-access': catalogueAccess,
  '0021-search': search,
  '0023-partitions': partitions,
  '0024-loose-samples': looseSamples,
  '0027-asked-updates': askedUpdates,
  '0028-alerts': alerts,
  '0029-rollout-settings': rolloutSettings,
  '0030-blob-objects': blobObjects,
  '0031-device-counts': deviceCounts,
  '0032-saved-views': savedViews,
  '0035-execution-indexes': executionIndexes,
  '0040-doors': doors,
  '0041-artifact-headers': artifactHeaders,
  '0052-announcements': announcements,
  '0054-door-rules': doorRules,
  '0058-alert-mails': alertMails,
  '0062-disabled-users': disabledUsers,
  '0063-found-modules': foundModules,
  '0064-token-scopes': tokenScopes,
  '0065-second-factors': secondFactors,
  '0066-mail-links': mailLinks,
  '0073-customer-roles': customerRoles,
  '0074-single-sign-on': singleSignOn,
  '0075-passkeys': passkeys,
  '0076-service-accounts': serviceAccounts,
  '0077-audit': audit,
  '0078-rehearsals': rehearsals,
  '0079-loose-executions': looseExecutions,
  '0080-rehearsal-turns': rehearsalTurns,
  '0081-counted-statements': countedStatements,
  '0082-numbered-logs': numberedLogs,
  '0084-waiting-networks': waitingNetworks,
  '0085-proofs': proofs,
  '0086-customer-invitations': customerInvitations,
  '0087-alert-addresses': alertAddresses,
};

/** Their names, in their order. */
export const migrationNames: readonly string[] = Object.keys(migrations);

/** The tables are those of a version after this one. Its code is one of trouble that is not the program's. */
class NewerTablesError extends Error {
  readonly code = 'ENEWERTABLES';
}

/** Whether all of them have run, and no others: then neither the lock is needed nor what tables there are. */
async function isUpToDate(db: Kysely<Schema>): Promise<boolean> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
    return rows.map(({ name }) => name).join() === migrationNames.join();
  } catch {
    // There are no tables yet; what else is wrong, the migrations meet as well.
    return false;
  }
}

const bounded = ({ up }: Migration, ddl: Ddl): Migration => ({
  async up(db) {
    await ddl.boundLocks?.(db);
    await up(db);
  },
});

/** How often a migration is tried that others keep from its tables: for some minutes. */
const migrationAttempts = 1_000;

/** Runs migrations; what requests of other nodes made impossible is tried again. */
async function overRequests(run: () => Promise<MigrationResultSet>): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt++) {
    const { error, results = [] } = await run();
    if (error === undefined) return results.map(({ migrationName }) => migrationName);
    if (!isLockedOut(error) || attempt === migrationAttempts) throw failureOf(error, results);
  }
}

function failureOf(error: unknown, results: readonly MigrationResult[]): Error {
  const unknown = /previously executed migration (\S+) is missing/.exec(String(error))?.[1];
  if (unknown !== undefined) {
    const text = `The tables are of a newer version, which has run migration ${unknown}`;
    return new NewerTablesError(text, { cause: error });
  }
  const failed = results.find(({ status }) => status === 'Error')?.migrationName ?? 'none';
  return new Error(`The database could not be brought up to date (migration ${failed})`, { cause: error });
}

/**
 * Runs the migrations that are due, each once, under the database's lock. Tables that are in use are changed by one
 * migration at a time, since others wait for what it changes until it is committed. Throws with the cause when one fails,
 * and when a newer version has been there.
 *
 * @param upTo the last one to run, for tables as an older version has them; all of them without it
 * @returns the names of those that ran
 */
export async function migrate(db: Kysely<Schema>, ddl: Ddl, upTo?: string): Promise<readonly string[]> {
  if (upTo === undefined && (await isUpToDate(db))) return [];
  const made = Object.fromEntries(Object.entries(migrations).map(([name, make]) => [name, bounded(make(ddl), ddl)]));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => made } });
  const done = (await migrator.getMigrations()).filter(({ executedAt }) => executedAt !== undefined);
  if (upTo !== undefined) {
    // The migrator would go back from there without a word.
    const later = done.find(({ name }) => name > upTo);
    if (later) throw new Error(`The tables are newer than migration ${upTo}: they have ${later.name}`);
    return overRequests(() => migrator.migrateTo(upTo));
  }
  if (done.length === 0) return overRequests(() => migrator.migrateToLatest());
  const ran: string[] = [];
  for (;;) {
    const names = await overRequests(() => migrator.migrateUp());
    if (names.length === 0) return ran;
    ran.push(...names);
  }
}
