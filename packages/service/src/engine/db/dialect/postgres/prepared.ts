import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { isStalePlan } from '../../errors.ts';
import { type PostgresPool as Connections, givenUpText, isGivenUp } from './pool.ts';

/** A statement that has come this often is worth preparing. */
const oftenEnough = 3;
/** Prepared statements that each connection may come to hold, here and at the server. */
const preparedLimit = 300;
/** Texts whose uses are counted; lists make them of many lengths. */
const countedLimit = 3_000;
/** A longer text is made of a long list, and hardly comes twice. */
const longestText = 8_000;

/** Stands in statements whose best plan depends on their values: the server would settle on one plan for all. */
export const plannedForValues = '/* planned for its values */';

/** Gives names to the statements that come often: to plan one can take longer than to run it. */
export class StatementNames {
  #uses = new Map<string, number>();
  #names = new Map<string, string>();
  #count = 0;

  /** The name of a statement, if it shall be prepared. */
  of(text: string, parameters: readonly unknown[]): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= preparedLimit) return known;
    if (parameters.length === 0 || text.length > longestText || text.includes(plannedForValues)) return undefined;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses < oftenEnough) {
      if (this.#uses.size >= countedLimit) this.#uses.clear();
      this.#uses.set(text, uses);
      return undefined;
    }
    this.#uses.delete(text);
    const name = `often-${++this.#count}`;
    this.#names.set(text, name);
    return name;
  }

  /** Forgets all names: what is prepared under them is not to be used again. */
  forget(): void {
    this.#names = new Map();
  }
}

/** A connection of the pool, as the query builder wants it. */
class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #pool: Connections;
  readonly #names: StatementNames;
  #inTransaction = false;
  #isSpent = false;

  constructor(client: pg.PoolClient, pool: Connections, names: StatementNames) {
    this.#client = client;
    this.#pool = pool;
    this.#names = names;
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  // The builder streams with cursors through this form; nothing here does.
  query(cursor: never): never;
  async query<R>(text: string, parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    if (this.#isSpent) throw new Error(givenUpText);
    if (parameters.length === 0) this.#inTransaction = /^(begin|start transaction)/.test(text) || this.#inTransaction;
    if (text === 'commit' || text === 'rollback') this.#inTransaction = false;
    const run = async (): Promise<PostgresQueryResult<R>> => {
      const name = this.#pool.keepsStatements ? this.#names.of(text, parameters) : undefined;
      const config = { text, values: [...parameters], ...(name !== undefined && { name }) };
      const result = await this.#pool.call(() => this.#client.query(config));
      // Safe: the builder knows the rows by its own types, and sends no command without a result.
      return result as unknown as PostgresQueryResult<R>;
    };
    try {
      return await run();
    } catch (error) {
      this.#isSpent ||= isGivenUp(error);
      if (!isStalePlan(error)) throw error;
      this.#names.forget();
      // A transaction has failed with it: that is tried again as a whole.
      if (this.#inTransaction) throw error;
      return run();
    }
  }

  release(): void {
    this.#client.release(this.#isSpent);
  }
}

/** The pool as the query builder wants it, preparing what comes often. */
export function preparingPool(pool: Connections): PostgresPool {
  const names = new StatementNames();
  const clients = new WeakMap<pg.PoolClient, PreparingClient>();
  return {
    async connect() {
      const client = await pool.connect();
      const known = clients.get(client) ?? new PreparingClient(client, pool, names);
      clients.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}
