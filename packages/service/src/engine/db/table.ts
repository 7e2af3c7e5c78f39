import type { ColumnType, OnModifyForeignAction } from 'kysely';

/** A truth value, stored as an integer in both databases so that one query serves both. */
export type Flag = 0 | 1;

/** Epoch milliseconds. */
export type TimeMs = number;

/** The versions of the tables in which something is there: from the first one without `since`, in all later ones without `until`. */
export interface Span {
  readonly since?: number;
  /** The version that takes it away. */
  readonly until?: number;
}

/** A column: what the databases need to make it, and the types of its values as they are read (`S`) and first written (`I`). */
export interface Column<S = unknown, I = S> extends Span {
  /** `name` is a text that compares and sorts by its bytes, whatever language the database is set to. */
  readonly type: 'text' | 'name' | 'int64' | 'real' | 'counter';
  readonly optional?: true;
  readonly key?: true;
  readonly default?: string | number;
  /** `table.column`, and what happens to this row when that one goes. */
  readonly references?: readonly [target: string, onDelete: OnModifyForeignAction];
  /** That row is not deleted by a request as long as this one is there; with what both are part of it goes. */
  readonly holds?: true;
  /** JSON list of ids of rows of that table, each of which this row holds. */
  readonly lists?: string;
  /** What it was before a version of the tables: the same values, named otherwise. */
  readonly former?: Pick<Column, 'references' | 'optional'> & { readonly until: number };
  /** Never there: it holds the types. */
  readonly values?: readonly [S, I];
}

type Columns = Readonly<Record<string, Column>>;

export interface Index<K extends string = string> extends Span {
  readonly columns: readonly K[];
  readonly unique?: true;
  /** Only rows with this value in the column are in the index; without one those with any. */
  readonly where?: readonly [column: K, value?: string];
  /** `<table>_<columns>` without it. */
  readonly name?: string;
}

interface TableOptions extends Span {
  /** The rows lie in the order of their key, where the database can do that. */
  readonly ordered?: true;
  /** Split by ranges of this column, where the database can do that. */
  readonly partitionBy?: string;
  /** Rows are written without a look at those that they are part of, where that costs much; they still go with them. */
  readonly loose?: true;
  /** What a row is to people, and the column with the name they gave it: when such rows go with another one, that is said. */
  readonly known?: readonly [what: string, name?: string];
  /** The dialects make it, each in a form of its own; the columns are those that both have. */
  readonly byDialect?: true;
}

export interface Table<C extends Columns = Columns> extends TableOptions {
  readonly columns: C;
  readonly indexes: readonly Index[];
}

/** Tables by their names. */
export type Tables = Readonly<Record<string, Table>>;

type Value<S, I> = [I] extends [S] ? S : ColumnType<S, I, S>;
type RowOf<C> = {
  [K in keyof C as C[K] extends { readonly until: number } ? never : K]: C[K] extends Column<infer S, infer I>
    ? Value<S, I>
    : never;
};

/** Tables as the query builder wants them. */
export type SchemaOf<T extends Tables> = { [K in keyof T]: RowOf<T[K]['columns']> };

/** Says a table once: its row type, what makes it on both databases and what a later version adds derive from it. */
export const table = <const C extends Columns>(
  columns: C,
  indexes: readonly Index<NoInfer<keyof C & string>>[] = [],
  options: TableOptions = {},
): Table<C> => ({ columns, indexes, ...options });

export const text: Column<string> = { type: 'text' };
export const name: Column<string> = { type: 'name' };
export const integer: Column<number> = { type: 'int64' };
export const real: Column<number> = { type: 'real' };
export const time: Column<TimeMs> = { type: 'int64' };
export const flag: Column<Flag> = { type: 'int64' };
/** A key that the database counts up. */
export const counter: Column<number, number | undefined> = { type: 'counter' };
/** One of a few words. */
export const word = <S extends string>(): Column<S> => ({ type: 'text' });

/** Part of the key of its table. */
export const keyed = <S>(column: Column<S>): Column<S> => ({ ...column, key: true });
export const key = keyed(text);
/** It may be null. */
export const optional = <S>({ type, references, holds }: Column<S>): Column<S | null> => ({
  type,
  optional: true,
  ...(references && { references }),
  ...(holds && { holds }),
});
/** It has this value in a row that says nothing of it. */
export const withDefault = <S extends string | number>({ type }: Column<S>, value: S): Column<S, S | undefined> => ({
  type,
  default: value,
});
/** A column that came with a later version of the tables, where rows were there already: it may be null, or has a default. */
export const since = <S, I>(
  version: number,
  column: null extends S ? Column<S, I> : undefined extends I ? Column<S, I> : never,
): Column<S, I> => ({ ...column, since: version });
/** A column that a later version of the tables takes away. */
export const until = <S, I>(version: number, column: Column<S, I>) => ({ ...column, until: version });

/** A column whose reference a later version of the tables changes or takes away: the rows stay as they are. */
export const became = <S, N extends S | null>(
  version: number,
  { references, optional: isOptional }: Column<S>,
  now: Column<N>,
): Column<N> => ({
  ...now,
  former: { until: version, ...(references && { references }), ...(isOptional && { optional: isOptional }) },
});

const reference =
  (column: string, onDelete: OnModifyForeignAction) =>
  <S>(of: string, own: Column<S>): Column<S> => ({ ...own, references: [`${of}.${column}`, onDelete] });

const cascades = reference('id', 'cascade');
/** Part of that row: it goes when that one does. */
export const part = (of: string): Column<string> => cascades(of, text);
/** The same where rows are counted. */
export const partOfCounted = (of: string): Column<number> => cascades(of, integer);
/** That row cannot go as long as this one is there. */
export const needs = (of: string): Column<string> => reference('id', 'restrict')(of, text);
/** Part of another row that both are part of, which holds that row. */
export const holds = (of: string): Column<string> => ({ ...part(of), holds: true });
/** A JSON list of the ids of rows, which it holds. */
export const listOf = (of: string): Column<string> => ({ ...text, lists: of });
/** Null once that row has gone. */
export const forgets = (of: string): Column<string | null> => reference('id', 'set null')(of, optional(text));
/** A record never points at bytes that are not stored, and bytes in use cannot be forgotten. */
export const blob: Column<string> = reference('sha256', 'restrict')('blobs', text);

export const index = <K extends string>(...columns: K[]): Index<K> => ({ columns });
export const unique = <K extends string>(...columns: K[]): Index<K> => ({ columns, unique: true });
