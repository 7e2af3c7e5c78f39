import type { Transaction } from 'kysely';
import type { Db, Expressions } from './expressions.ts';
import { groupReads } from './groups.ts';
import type { Schema } from './schema.ts';

/** What a work has made of a row; one side of it is missing where the work has added or removed it. */
export interface Changed<K, R> {
  readonly key: K;
  /** As it was read, or written last. */
  readonly before: R | undefined;
  readonly after: R | undefined;
}

/** How rows of one kind are read and locked, many at once, and how those that a work has changed are written together. */
export interface RowKind<K, R> {
  /** The rows of some keys; there is none of a key without a row. */
  read(db: Db, keys: readonly K[]): Promise<ReadonlyMap<K, R>>;
  /** The same, locked until the transaction ends. */
  lock?(trx: Db, expressions: Expressions, keys: readonly K[]): Promise<ReadonlyMap<K, R>>;
  write?(trx: Db, changes: readonly Changed<K, R>[]): Promise<void>;
}

/** Where rows are read: in a work, or outside of transactions. */
export interface Reads {
  readonly db: Db;
  get<K, R>(kind: RowKind<K, R>, key: K): Promise<R | undefined>;
  /** Those of several keys, in their order; keys without a row are left out. */
  all<K, R>(kind: RowKind<K, R>, keys: readonly K[]): Promise<R[]>;
  /** Reads at once; in a work, whose transaction has one connection, one after another. */
  together<T extends readonly unknown[]>(...reads: { readonly [I in keyof T]: () => Promise<T[I]> }): Promise<T>;
}

/** Reads that remember nothing: who asks while a statement is under way shares the next one of its kind. */
export function sharedReads(db: Db): Reads {
  const shared = new Map<unknown, unknown>();
  const get: Reads['get'] = <K, R>(kind: RowKind<K, R>, key: K) => {
    const known = shared.get(kind) ?? groupReads((keys: readonly K[]) => kind.read(db, keys));
    shared.set(kind, known);
    // Safe: what is kept under a kind reads rows of that kind.
    return (known as (key: K) => Promise<R | undefined>)(key);
  };
  const all: Reads['all'] = async (kind, keys) =>
    (await Promise.all(keys.map((key) => get(kind, key)))).filter((row) => row !== undefined);
  // Safe here and below: the values are those of the reads, in their order.
  const together: Reads['together'] = <T>(...reads: readonly (() => Promise<unknown>)[]) =>
    Promise.all(reads.map((read) => read())) as Promise<T>;
  return { db, get, all, together };
}

/** Rows of one kind in a work. */
interface Held<K, R> {
  readonly kind: RowKind<K, R>;
  /** As the work has them by now. */
  readonly rows: Map<K, R | undefined>;
  /** Those that are to be written, as they were before. */
  readonly before: Map<K, R | undefined>;
  readonly locked: Set<K>;
}

/** Keys of one statement: both databases limit its parameters. */
const portion = 1_000;

/** What follows, within its transaction, of rows that a work has touched: called with their ids before the commit. */
export type Follower = (work: Work, ids: readonly string[]) => Promise<unknown>;

/** Rows of a table, or a part of what they say: `devices`, `devices.follows`. */
type Touched = keyof Schema | `${keyof Schema}.${string}`;

/** The followers of a storage, by what they follow: one of each. */
export type Followers = Map<Touched, Follower>;

/** Rounds of followers that touch what others follow. */
const roundsLimit = 10;

/**
 * The work of one transaction: the rows that it has read and locked, those that it has changed and writes together at its
 * end, and what follows its commit. A row is read once; from then on it is what the work has made of it.
 */
export class Work implements Reads {
  readonly db: Transaction<Schema>;
  readonly #expressions: Expressions;
  readonly #followers: Followers;
  readonly #held = new Map<unknown, Held<unknown, unknown>>();
  readonly #following: (() => void)[] = [];
  readonly #touched = new Map<Touched, Set<string>>();

  constructor(db: Transaction<Schema>, expressions: Expressions, followers: Followers) {
    this.db = db;
    this.#expressions = expressions;
    this.#followers = followers;
  }

  /** Notes that rows of a table were added or are other than they were, for those who follow it. */
  touch(table: Touched, ids: readonly string[]): void {
    if (ids.length > 0) this.#touched.set(table, new Set([...(this.#touched.get(table) ?? []), ...ids]));
  }

  /**
   * Writes what has changed and lets those follow who follow what was touched: before the commit, and before what goes by what
   * follows.
   */
  async settle(): Promise<void> {
    await this.flush();
    for (let round = 0; this.#touched.size > 0; round++) {
      if (round === roundsLimit) throw new Error('Followers touch rows without an end');
      const touched = [...this.#touched];
      this.#touched.clear();
      for (const [table, ids] of touched) await this.#followers.get(table)?.(this, [...ids]);
      await this.flush();
    }
  }

  #heldOf<K, R>(kind: RowKind<K, R>): Held<K, R> {
    // Safe: what is held under a kind are rows of that kind.
    const known = this.#held.get(kind) as Held<K, R> | undefined;
    const held = known ?? { kind, rows: new Map(), before: new Map(), locked: new Set() };
    this.#held.set(kind, held);
    return held;
  }

  async get<K, R>(kind: RowKind<K, R>, key: K): Promise<R | undefined> {
    return (await this.all(kind, [key]))[0];
  }

  /** Reads at once which of them are not known yet: whoever needs each of many later asks for all of them before. */
  async all<K, R>(kind: RowKind<K, R>, keys: readonly K[]): Promise<R[]> {
    const { rows } = this.#heldOf(kind);
    const missing = [...new Set(keys)].filter((key) => !rows.has(key));
    for (let at = 0; at < missing.length; at += portion) {
      const some = missing.slice(at, at + portion);
      const found = await kind.read(this.db, some);
      for (const key of some) rows.set(key, found.get(key));
    }
    return keys.map((key) => rows.get(key)).filter((row) => row !== undefined);
  }

  async together<T extends readonly unknown[]>(...reads: { readonly [I in keyof T]: () => Promise<T[I]> }): Promise<T> {
    const values: unknown[] = [];
    for (const read of reads) values.push(await read());
    return values as unknown as T;
  }

  /** The same of a kind whose rows can be locked: they are, from now on. */
  async lock<K, R>(kind: Required<RowKind<K, R>>, keys: readonly K[]): Promise<R[]> {
    const { rows, before, locked } = this.#heldOf(kind);
    // It is read anew.
    if (keys.some((key) => before.has(key) && !locked.has(key))) await this.flush();
    const open = [...new Set(keys)].filter((key) => !locked.has(key));
    const found = open.length > 0 ? await kind.lock(this.db, this.#expressions, open) : new Map<K, R>();
    for (const key of open) {
      rows.set(key, found.get(key));
      locked.add(key);
    }
    return this.all(kind, keys);
  }

  /** Holds a row that stands in the records already as it is here. */
  hold<K, R>(kind: RowKind<K, R>, key: K, row: R): void {
    this.#heldOf(kind).rows.set(key, row);
  }

  /** Makes this of a row, which has been read before unless it is new; `undefined` removes it. It is written at the end. */
  put<K, R>(kind: RowKind<K, R>, key: K, row: R | undefined): void {
    const { rows, before } = this.#heldOf(kind);
    if (!before.has(key)) before.set(key, rows.get(key));
    rows.set(key, row);
  }

  /** Changes columns of a row; the row as it is then. Throws where there is none. */
  async change<K, R>(kind: RowKind<K, R>, key: K, change: Partial<R>): Promise<R> {
    const row = await this.get(kind, key);
    if (row === undefined) throw new Error(`There is no row ${key} to change`);
    const changed = { ...row, ...change };
    this.put(kind, key, changed);
    return changed;
  }

  /** Writes what has changed so far: before statements that look for it in the tables. */
  async flush(): Promise<void> {
    for (const { kind, rows, before } of this.#held.values()) {
      const changes = [...before].map(([key, row]) => ({ key, before: row, after: rows.get(key) }));
      before.clear();
      for (let at = 0; at < changes.length; at += portion) {
        await kind.write?.(this.db, changes.slice(at, at + portion));
      }
    }
  }

  /** Writes what has changed so far and reads all anew: before statements that change rows in the tables themselves. */
  async restart(): Promise<void> {
    await this.flush();
    this.#held.clear();
  }

  /** Calls `run` once the transaction is committed, never if it is rolled back. */
  afterCommit(run: () => void): void {
    this.#following.push(run);
  }

  /** The transaction is committed. */
  follow(): void {
    for (const run of this.#following) run();
  }
}

/** The columns that a change has made other. */
export function changedColumns<R extends object>({ before, after }: Changed<unknown, R>): Partial<R> {
  const change: Partial<R> = {};
  for (const name in after) if (after[name] !== before?.[name]) change[name] = after[name];
  return change;
}

/** Of changed lists of rows, the rows that were not in them before. */
export const changedRows = <R>(changes: readonly Changed<unknown, readonly R[]>[]): R[] =>
  changes.flatMap(({ before = [], after = [] }) => after.filter((row) => !before.includes(row)));
