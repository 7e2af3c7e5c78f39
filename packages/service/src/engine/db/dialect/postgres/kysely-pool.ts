import type { PostgresPool as KyselyPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { givenUpText, isGivenUp, type PostgresPool } from './pool.ts';

/** A connection of the pool, as the query builder wants it. */
class KyselyClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #pool: PostgresPool;
  #inTransaction = false;
  #isSpent = false;

  constructor(client: pg.PoolClient, pool: PostgresPool) {
    this.#client = client;
    this.#pool = pool;
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  // The builder streams with cursors through this form; nothing here does.
  query(cursor: never): never;
  async query<R>(text: string, parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    if (this.#isSpent) throw new Error(givenUpText);
    if (parameters.length === 0) this.#inTransaction = /^(begin|start transaction)/.test(text) || this.#inTransaction;
    if (text === 'commit' || text === 'rollback') this.#inTransaction = false;
    try {
      const result = await this.#pool.run(this.#client, text, parameters, this.#inTransaction);
      // Safe: the builder knows the rows by its own types, and sends no command without a result.
      return result as unknown as PostgresQueryResult<R>;
    } catch (error) {
      this.#isSpent ||= isGivenUp(error);
      throw error;
    }
  }

  release(): void {
    this.#client.release(this.#isSpent);
  }
}

/** The pool as the query builder wants it. */
export const kyselyPool = (pool: PostgresPool): KyselyPool => ({
  connect: async () => new KyselyClient(await pool.connect(), pool),
  end: () => pool.end(),
});
