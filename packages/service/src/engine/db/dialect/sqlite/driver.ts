import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';
import { inputs, type SqliteConnection } from './connection.ts';
import type { SqliteDatabase } from './database.ts';

/** A select that is written by hand: the query builder does not know that it is one. */
const isSelect = /^\s*select\b/i;

/**
 * A connection as the query builder sees it. Outside of a transaction each statement finds its own place: a select
 * reads at once, anything else takes the mutex for as long as it runs. A transaction holds the mutex to its end.
 */
class KyselyConnection implements DatabaseConnection {
  readonly #database: SqliteDatabase;
  #inTransaction = false;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  async begin(): Promise<void> {
    await this.#database.lock();
    try {
      await this.#database.begin();
      this.#inTransaction = true;
    } catch (error) {
      this.#database.unlock();
      throw error;
    }
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    if (!this.#inTransaction) return;
    const { writer } = this.#database;
    // A commit that fails leaves the transaction open: the rollback that follows ends it.
    if (how === 'commit') writer.db.exec('commit');
    else if (writer.db.isTransaction) writer.db.exec('rollback');
    this.#inTransaction = false;
    this.#database.unlock();
    if (how === 'commit') await this.#database.synced();
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query;
    if (this.#inTransaction) return execute(this.#database.writer, sql, parameters);
    if (query.query.kind === 'SelectQueryNode' || isSelect.test(sql)) {
      return this.#database.read((connection) => execute<R>(connection, sql, parameters));
    }
    return this.#database.write((connection) => execute<R>(connection, sql, parameters));
  }

  // biome-ignore lint/correctness/useYield: the interface demands a generator, which only says no
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming queries are not supported: lists are read in pages');
  }
}

function execute<R>(connection: SqliteConnection, sql: string, parameters: readonly unknown[]): QueryResult<R> {
  const { statement, givesRows } = connection.prepare(sql);
  // Safe: the query builder derived R from the same statement.
  if (givesRows) return { rows: connection.all(sql, parameters) as R[] };
  const { changes, lastInsertRowid } = statement.run(...inputs(parameters));
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

class SqliteDriver implements Driver {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<KyselyConnection> {
    return new KyselyConnection(this.#database);
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(connection: KyselyConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: KyselyConnection): Promise<void> {
    await connection.end('commit');
  }

  async rollbackTransaction(connection: KyselyConnection): Promise<void> {
    await connection.end('rollback');
  }

  async destroy(): Promise<void> {
    await this.#database.close();
  }
}

/** SQLite runs table changes in transactions too, so a migration that fails leaves nothing behind. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * A limit is a part of the text: SQLite plans with its value, so a statement that has it as a parameter is prepared anew
 * each time that it runs, which costs more than to run it.
 */
class LimitingQueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit ');
    if (ValueNode.is(limit) && typeof limit.value === 'number') this.appendImmediateValue(limit.value);
    else this.visitNode(limit);
  }
}

/** The query builder's dialect over node:sqlite. */
export const sqliteDialect = (database: SqliteDatabase): Dialect => ({
  createDriver: () => new SqliteDriver(database),
  createQueryCompiler: () => new LimitingQueryCompiler(),
  createAdapter: () => new TransactionalSqliteAdapter(),
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
});
