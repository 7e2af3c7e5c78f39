import type { Kysely, Transaction } from 'kysely';
import type { Bus } from '../bus/bus.ts';
import type { Expressions } from './expressions.ts';
import type { HotPaths } from './hot.ts';
import type { Samples } from './samples.ts';
import type { Schema } from './schema.ts';
import type { Tables } from './table.ts';
import type { Followers, Work } from './work.ts';

export type { Db, Expressions } from './expressions.ts';

/** The records: one interface, SQLite and PostgreSQL behind it. */
export interface Storage {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Kysely<Schema>;
  readonly tables: Tables;
  /** Migrations that opening has run. */
  readonly migrated: readonly string[];
  readonly hot: HotPaths;
  readonly expressions: Expressions;
  /** What follows, within each transaction, of what it has touched. */
  readonly followers: Followers;
  /**
   * A number that grows with every committed write, other processes' included, save those that only mark a device as
   * seen or a token as used. `undefined` where knowing it would cost as much as reading.
   */
  version(): number | undefined;
  readonly samples: Samples;
  /** Wake-ups between the processes that share the database. */
  readonly bus: Bus;
  /**
   * Runs `work` in one transaction: SQLite `begin immediate`, PostgreSQL serializable with retries of serialisation
   * failures. A throw rolls back, and so does a failure that `work` returns. Durable when the promise resolves. `work` may run several times: nothing but
   * queries on `trx` belongs in it; what shall follow the commit is handed to `afterCommit`. The second argument is for work
   * that reads and writes the rows of many together.
   */
  transaction<T>(run: (trx: Transaction<Schema>, work: Work) => Promise<T>): Promise<T>;
  /** Gives the room that deleted rows have left back to the system, a piece at a time. The server does so by itself. */
  shrink?(): Promise<void>;
  /** Refuses every change from now on: the file is damaged, and each would make it worse. */
  stopWrites?(): void;
  /** Asks for something small, on PostgreSQL over a connection that no request can take; throws when nothing replies. */
  check(): Promise<void>;
  /** The same records for periodic work: requests do not wait for it, nor it for them. */
  readonly background: Storage;
  close(): Promise<void>;
}
