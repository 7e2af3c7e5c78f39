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
 * Tables that the migrator keeps for itself are made again by it, and those of a search and of counts follow from others; messages
 * between nodes are no records.
 */
export const isRecordTable = (name: string): boolean => !/^(sqlite|kysely|bus|search|count)_/.test(name);

/** The table in which the migrator keeps what it has run. */
export const migrationTable = 'kysely_migration';

/** Refuses a value that only one of the databases has. */
export function asCell(value: unknown): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`A value of type ${typeof value} has no place in a backup`);
}
