import type { Expression, Kysely, RawBuilder, SqlBool, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** What a query runs on: the pool, or the transaction it is part of. */
export type Db = Kysely<Schema> | Transaction<Schema>;

/** What is written differently for the two databases: same-named functions of `db/dialect/*`. */
export interface Expressions {
  /** True when `text` contains `part`, letter case aside; `%` and `_` in `part` mean themselves. */
  contains(text: Expression<string | null>, part: string): RawBuilder<SqlBool>;
  /**
   * What is false only for devices that surely do not have `part` in what a search looks at, letter case aside, by an
   * index; nothing where that would cost more than it saves. It goes beside `contains`, which decides.
   */
  findCandidates(db: Db, part: string): Promise<RawBuilder<SqlBool> | undefined>;
  /** True when all of `text` fits a pattern in which `*` stands for any characters; letter case counts. */
  matches(text: Expression<string>, pattern: string): RawBuilder<SqlBool>;
  /** True when `text` begins with `prefix`; letter case counts. */
  startsWith(text: Expression<string>, prefix: string): RawBuilder<SqlBool>;
  /** Locks the selected rows until the transaction ends, where the database locks single rows; of a join, those that `lock` names. */
  lockRows<Q extends { forUpdate(): Q }>(query: Q, lock?: (query: Q) => Q): Q;
  /** The same condition, for which no index is looked into; only of databases that do not know how many rows fit. */
  rowByRow?(condition: Expression<SqlBool>): Expression<SqlBool>;
  /** The same condition, of a statement that is planned each time; only of databases that settle on one plan for all values. */
  forItsValues?(condition: Expression<SqlBool>): Expression<SqlBool>;
  /**
   * What grows with each row of the log, with an index. It is given before the row is committed: where there are several
   * writers, a row may show later than one with a higher number.
   */
  readonly logNumber: RawBuilder<number>;
  /** A table of texts, in a column `value`: any number in one parameter. */
  rowsOf(texts: readonly string[]): RawBuilder<{ value: string }>;
}
