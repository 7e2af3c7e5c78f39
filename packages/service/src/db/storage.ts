import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** What a query runs on: the pool, or the transaction it is part of. */
export type Db = Kysely<Schema> | Transaction<Schema>;

/** The records: one interface, SQLite and PostgreSQL behind it. */
export interface Storage {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Kysely<Schema>;
  /**
   * Runs `work` in one transaction: SQLite `begin immediate`, PostgreSQL serializable with retries of serialisation
   * failures. A throw rolls back. Durable when the promise resolves.
   */
  transaction<T>(work: (trx: Transaction<Schema>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
