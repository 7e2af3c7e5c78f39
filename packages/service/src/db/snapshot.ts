import { openPostgresSnapshot } from './dialect/postgres/snapshot.ts';
import { openSqliteSnapshot } from './dialect/sqlite/snapshot.ts';

/** A value as both databases have it: whole numbers stay below 2^53. */
export type Cell = string | number | null;

/** A table as it is, whatever version made it. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** The column that the database counts up, and the number that it gave out last; 0 before the first. */
  readonly counter?: { readonly column: string; readonly last: number };
}

/** All records as they were at one moment, however long the reading takes. */
export interface Snapshot {
  readonly kind: 'sqlite' | 'postgres';
  /** Names of the migrations that made the tables. */
  readonly migrations: readonly string[];
  readonly tables: readonly TableShape[];
  /** The rows of a table in small batches, with the values in the order of its columns. */
  rows(table: TableShape): AsyncIterable<readonly (readonly Cell[])[]>;
  close(): Promise<void>;
}

/**
 * Takes a snapshot of the records named by `sqlite:PATH` or `postgres://…`, beside whoever else uses them and without
 * changing anything: migrations that are due stay so.
 *
 * @param scratch path of a file that SQLite's copy may have until the snapshot is closed
 * @throws when there is no such database, or it has no tables of the service
 */
export async function openSnapshot(url: string, scratch: string): Promise<Snapshot> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  return path === undefined ? openPostgresSnapshot(url) : openSqliteSnapshot(path, scratch);
}

/** Tables that the migrator keeps for itself are made again by it. */
export const isRecordTable = (name: string): boolean => !/^(sqlite|kysely)_/.test(name);

/** The table in which the migrator keeps what it has run. */
export const migrationTable = 'kysely_migration';

/** Refuses a value that only one of the databases has. */
export function asCell(value: unknown): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`A value of type ${typeof value} has no place in a backup`);
}
