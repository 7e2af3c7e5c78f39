import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/** How many prepared statements one connection keeps. The service has a few hundred different queries. */
const statementLimit = 500;
/** How long opening waits for another process; nothing else goes on meanwhile. */
const openTimeoutMs = 5_000;
/** How long a statement does. Longer waits go through the event loop, which this would stop. */
const busyTimeoutMs = 20;

/**
 * What a connection keeps of the file in memory, and how much of the file is mapped, which counts as memory of the process
 * too. Reads are no faster with more of either: the system has the file in its own cache.
 */
const cacheKibibytes = 16 * 1024;
const mappedBytes = 32 * 1024 * 1024;

/** Size that the log file keeps between checkpoints. */
const logFileBytes = 64 * 1024 * 1024;

/** A statement and whether it gives rows; asking the driver each time costs more than the query. */
export interface Prepared {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
}

/** A statement that changes tables changes what `*` stands for in others. */
const changesTables = /^\s*(alter|create|drop)\b/i;

/** One connection to a database file, with its prepared statements. */
export class SqliteConnection {
  readonly db: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();

  constructor(path: string, access: 'write' | 'read') {
    this.db = new DatabaseSync(path, {
      timeout: openTimeoutMs,
      enableForeignKeyConstraints: true,
      readOnly: access === 'read',
    });
    if (access === 'write') {
      // Only of a file that is new; what rows have left is given back to the system by `shrink`.
      this.db.exec('pragma auto_vacuum = incremental');
      this.db.exec('pragma journal_mode = wal');
      // Commits are brought to the disk by `LogFile`; without one they have to be by themselves.
      this.db.exec(`pragma synchronous = ${this.hasLog ? 'normal' : 'full'}`);
      // The checkpointer does this on a timer, away from the requests.
      this.db.exec('pragma wal_autocheckpoint = 0');
      // What a rush has made of the log file is given back when the log begins anew.
      this.db.exec(`pragma journal_size_limit = ${logFileBytes}`);
    }
    this.db.exec(
      `pragma cache_size = -${cacheKibibytes}; pragma mmap_size = ${mappedBytes}; pragma temp_store = memory`,
    );
    this.db.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  }

  /** Whether what is committed is written to a log file. */
  get hasLog(): boolean {
    // Safe: the statement answers with one row of this column.
    return (this.get('pragma journal_mode') as { journal_mode: string }).journal_mode === 'wal';
  }

  /** Rows that this connection has changed so far. */
  changes(): number {
    // Safe: the statement answers with one row of this column.
    return (this.get('select total_changes() as changes') as { changes: number }).changes;
  }

  /** The prepared statement of a text, from the cache when it was used lately. */
  prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.db.prepare(sql);
    const prepared = { statement, givesRows: statement.columns().length > 0 };
    if (changesTables.test(sql)) {
      this.#statements.clear();
      return prepared;
    }
    if (this.#statements.size >= statementLimit) {
      const oldest = this.#statements.keys().next();
      if (!oldest.done) this.#statements.delete(oldest.value);
    }
    this.#statements.set(sql, prepared);
    return prepared;
  }

  all(sql: string, parameters: readonly unknown[]): object[] {
    return this.prepare(sql).statement.all(...inputs(parameters));
  }

  get(sql: string, ...parameters: SQLInputValue[]): object | undefined {
    return this.prepare(sql).statement.get(...parameters);
  }

  close(): void {
    this.#statements.clear();
    this.db.close();
  }
}

/** Parameters as the driver takes them; it refuses with a TypeError what SQLite has no type for. */
export const inputs = (parameters: readonly unknown[]): SQLInputValue[] =>
  // Safe: the driver checks each value at run time and throws for other types.
  parameters as SQLInputValue[];
