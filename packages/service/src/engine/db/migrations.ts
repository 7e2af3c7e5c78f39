import { type Kysely, type Migration, type MigrationResult, type MigrationResultSet, Migrator, sql } from 'kysely';
import { add, changedReferences, changeReferences, type Ddl, firstVersion, takeAway } from './ddl.ts';
import { isLockedOut } from './errors.ts';
import type { Schema } from './schema.ts';
import type { Span, Tables } from './table.ts';

/** The tables of a program, and what its versions of them do that columns, tables and indexes do not say. */
export interface Records {
  readonly tables: Tables;
  /**
   * By its version: rows that are moved or mended, once what is new is there and before anything goes or references change.
   * Nothing goes with a row that it deletes: whether references are looked after is not the same everywhere.
   */
  readonly steps?: Readonly<Record<number, (db: Kysely<Schema>) => Promise<unknown>>>;
}

/** Names sort as versions do. */
const nameOf = (version: number): string => String(version).padStart(4, '0');

/** The last migration of 0.1.0, whose tables are those of version 1. */
const lastOfBefore = '0087-alert-addresses';

/** The names that this program would have recorded for tables as 0.1.0 leaves them; others are as they are. */
export const renamed = (recorded: readonly string[]): readonly string[] =>
  recorded.at(-1) === lastOfBefore ? [nameOf(firstVersion)] : recorded;

/** The names of the migrations, one for each version of the tables, in their order. */
export function migrationNames({ tables, steps = {} }: Records): readonly string[] {
  const spans: Span[] = Object.values(tables).flatMap((table) => [
    table,
    ...Object.values(table.columns).flatMap((column) => [column, column.former ?? {}]),
    ...table.indexes,
  ]);
  const versions = spans.flatMap(({ since = firstVersion, until = firstVersion }) => [since, until]);
  const last = Math.max(...versions, ...Object.keys(steps).map(Number));
  return Array.from({ length: last }, (_, at) => nameOf(firstVersion + at));
}

const migrationTo = (version: number, { tables, steps }: Records, ddl: Ddl): Migration => ({
  async up(db) {
    await ddl.boundLocks?.(db);
    await add(db, ddl, tables, version);
    if (version === firstVersion) await ddl.addToFirst(db);
    await steps?.[version]?.(db);
    await changeReferences(db, ddl, tables, version);
    await takeAway(db, tables, version);
  },
});

/** The tables are not those of this program. Its code is one of trouble that is not the program's. */
class OtherTablesError extends Error {
  readonly code: 'ENEWERTABLES' | 'EOLDERTABLES';

  constructor(age: 'NEWER' | 'OLDER', text: string, options?: ErrorOptions) {
    super(text, options);
    this.code = `E${age}TABLES`;
  }
}

const newer = (name: string, options?: ErrorOptions): OtherTablesError =>
  new OtherTablesError('NEWER', `The tables are of a newer version, which has run migration ${name}`, options);

/** The names of the migrations that have run. */
async function recorded(db: Kysely<Schema>): Promise<readonly string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
    return rows.map(({ name }) => name);
  } catch {
    // There are no tables yet; what else is wrong, the migrations meet as well.
    return [];
  }
}

/** Takes tables that 0.1.0 has left for those of version 1, which they are. Of several processes at once one finds them. */
async function adopt(db: Kysely<Schema>, ran: readonly string[]): Promise<void> {
  const last = ran.at(-1);
  // Names of that time say what a migration was about.
  if (last === undefined || !ran[0]?.includes('-')) return;
  if (last > lastOfBefore) throw newer(last);
  if (last < lastOfBefore) {
    const text = `The tables are of an older version, which has run migration ${last}: 0.1.0 has to open them once before this one`;
    throw new OtherTablesError('OLDER', text);
  }
  await db.transaction().execute(async (trx) => {
    await sql`update kysely_migration set name = ${nameOf(firstVersion)} where name = ${last}`.execute(trx);
    await sql`delete from kysely_migration where name < ${last} and name like '%-%'`.execute(trx);
  });
}

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
  if (unknown !== undefined) return newer(unknown, { cause: error });
  const failed = results.find(({ status }) => status === 'Error')?.migrationName ?? 'none';
  return new Error(`The database could not be brought up to date (migration ${failed})`, { cause: error });
}

/**
 * Runs the migrations that are due, each once, under the database's lock. Tables that are in use are changed by one
 * migration at a time, since others wait for what it changes until it is committed. Throws with the cause when one fails,
 * and when the tables are of a version before the first or of a newer one.
 *
 * @param upTo the last one to run, for tables as an older version has them; all of them without it
 * @returns the names of those that ran
 */
export async function migrate(
  db: Kysely<Schema>,
  ddl: Ddl,
  records: Records,
  upTo?: string,
): Promise<readonly string[]> {
  const names = migrationNames(records);
  const ran = await recorded(db);
  if (upTo === undefined && ran.join() === names.join()) return [];
  await adopt(db, ran);
  const due = names.slice(renamed(ran).length).map(Number);
  const changes = due.some((version) =>
    Object.values(records.tables).some((table) => changedReferences(table, version).length > 0),
  );
  const run = () => runDue(db, ddl, records, { names, ran, upTo });
  return changes && ddl.freely ? ddl.freely(run) : run();
}

interface Due {
  readonly names: readonly string[];
  /** The migrations that have run. */
  readonly ran: readonly string[];
  readonly upTo: string | undefined;
}

async function runDue(db: Kysely<Schema>, ddl: Ddl, records: Records, { names, ran, upTo }: Due) {
  const made = Object.fromEntries(names.map((name, at) => [name, migrationTo(firstVersion + at, records, ddl)]));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => made } });
  if (upTo !== undefined) {
    // The migrator would go back from there without a word.
    const later = renamed(ran).find((name) => name > upTo);
    if (later !== undefined)
      throw new OtherTablesError('NEWER', `The tables are newer than migration ${upTo}: they have ${later}`);
    return overRequests(() => migrator.migrateTo(upTo));
  }
  if (ran.length === 0) return overRequests(() => migrator.migrateToLatest());
  const done: string[] = [];
  for (;;) {
    const one = await overRequests(() => migrator.migrateUp());
    if (one.length === 0) return done;
    done.push(...one);
  }
}
