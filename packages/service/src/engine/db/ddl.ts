import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Column, Index, Span, Table, Tables } from './table.ts';

/** What tables need that the two databases spell differently. */
export interface Ddl {
  readonly types: Readonly<Record<Exclude<Column['type'], 'counter'>, ColumnType>>;
  /** What follows the column list. */
  tableEnd(table: Table): RawBuilder<unknown>;
  /** An integer key that the database counts up and never gives out twice. */
  counter(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** Takes the rows of a loose table along with what they are part of, in the place of references. */
  forgetWith?(db: Kysely<unknown>, name: string, table: Table): Promise<void>;
  /**
   * Ends what a transaction waits for before others that wait for it are ended: a request that meets a migration waits for
   * a moment. Only of databases with more than one writer.
   */
  boundLocks?(db: Kysely<unknown>): Promise<void>;
  /** Gives columns of a table, as it was before a version, the references that they have from then on. Rows stay. */
  refer(db: Kysely<unknown>, name: string, change: ReferenceChange): Promise<void>;
  /** Runs what changes references, outside of transactions, where it takes a connection that does not look after them. */
  freely?<T>(run: () => Promise<T>): Promise<T>;
  /** What version 1 has beside tables and their indexes: partitions, triggers, numbers of rows, the index of a search. */
  addToFirst(db: Kysely<unknown>): Promise<void>;
}

export interface ReferenceChange {
  readonly before: Table;
  readonly after: Table;
  readonly columns: readonly string[];
  /** Makes the table as it is afterwards, by another name. */
  make(name: string): Promise<void>;
}

type ColumnType = 'text' | 'integer' | 'bigint' | 'real' | 'double precision' | RawBuilder<unknown>;

/** The version of the tables in which all is that does not say when it came. */
export const firstVersion = 1;
const sinceOf = ({ since = firstVersion }: Span, { since: from = firstVersion }: Span = {}): number =>
  Math.max(since, from);

function columnAt({ former, ...column }: Column, version: number): Column {
  if (!former || version >= former.until) return column;
  const { references: _later, optional: _too, ...same } = column;
  const { until: _version, ...was } = former;
  return { ...same, ...was };
}

/** A table as a version has it, before what goes with that version has gone. */
function tableAt(table: Table, version: number): Table {
  const columns = Object.entries(table.columns)
    .filter(([, column]) => sinceOf(column, table) <= version && version <= (column.until ?? version))
    .map(([name, column]) => [name, columnAt(column, version)]);
  return { ...table, columns: Object.fromEntries(columns) };
}

/** The columns of a table whose references a version changes. */
export const changedReferences = ({ columns }: Table, version: number): readonly string[] =>
  Object.keys(columns).filter((name) => columns[name]?.former?.until === version);

/** The tables in an order in which each comes after those that it refers to. */
function inOrder(tables: Tables): readonly (readonly [string, Table])[] {
  const found = new Map<string, Table>();
  const seen = new Set<string>();
  const visit = (name: string): void => {
    const table = tables[name];
    if (!table || seen.has(name)) return;
    seen.add(name);
    for (const { references, former } of Object.values(table.columns))
      for (const named of [references, former?.references]) if (named) visit(tableOf(named[0]));
    found.set(name, table);
  };
  for (const name of Object.keys(tables)) visit(name);
  return [...found];
}

const tableOf = (target: string): string => target.slice(0, target.indexOf('.'));

/** How a column is made, once its type is known. */
const finish =
  ({ loose }: Table, { optional, default: value, references }: Column, ddl: Ddl) =>
  (made: ColumnDefinitionBuilder): ColumnDefinitionBuilder => {
    const filled = optional ? made : made.notNull();
    const begun = value === undefined ? filled : filled.defaultTo(sql.lit(value));
    if (!references || (loose && ddl.forgetWith)) return begun;
    return begun.references(references[0]).onDelete(references[1]);
  };

async function makeTable(db: Kysely<unknown>, ddl: Ddl, name: string, table: Table, as = name): Promise<void> {
  const columns = Object.entries(table.columns);
  let made = db.schema.createTable(as).modifyEnd(ddl.tableEnd(table));
  for (const [column, said] of columns) {
    made =
      said.type === 'counter'
        ? made.addColumn(column, ddl.types.int64, (of) => ddl.counter(of.primaryKey()))
        : made.addColumn(column, ddl.types[said.type], finish(table, said, ddl));
  }
  const keys = columns.filter(([, { key }]) => key).map(([column]) => column);
  // The names of the columns are data here, so the builder's own check of them does not apply.
  if (keys.length > 0) made = made.addPrimaryKeyConstraint(`${name}_key`, keys as never[]);
  await made.execute();
  if (table.loose) await ddl.forgetWith?.(db, name, table);
}

const indexName = (table: string, { columns, name }: Index): string => name ?? [table, ...columns].join('_');

async function makeIndex(db: Kysely<unknown>, table: string, index: Index): Promise<void> {
  const { columns, unique, where: [only, value] = [] } = index;
  const made = db.schema
    .createIndex(indexName(table, index))
    .on(table)
    .columns([...columns]);
  const set = value === undefined ? sql`is not null` : sql`= ${sql.lit(value)}`;
  const limited = only === undefined ? made : made.where(sql<boolean>`${sql.ref(only)} ${set}`);
  await (unique ? limited.unique() : limited).execute();
}

/** What a version adds: tables, columns and indexes. */
export async function add(db: Kysely<unknown>, ddl: Ddl, tables: Tables, version: number): Promise<void> {
  for (const [name, table] of inOrder(tables)) {
    if (table.byDialect) continue;
    const now = tableAt(table, version);
    if (sinceOf(table) === version) await makeTable(db, ddl, name, now);
    else
      for (const [column, said] of Object.entries(now.columns)) {
        if (said.type === 'counter' || sinceOf(said, table) !== version) continue;
        await db.schema
          .alterTable(name)
          .addColumn(column, ddl.types[said.type], finish(table, said, ddl))
          .execute();
      }
    for (const index of table.indexes) if (sinceOf(index, table) === version) await makeIndex(db, name, index);
  }
}

/** The references that a version changes. */
export async function changeReferences(db: Kysely<unknown>, ddl: Ddl, tables: Tables, version: number): Promise<void> {
  for (const [name, table] of inOrder(tables)) {
    const columns = changedReferences(table, version);
    if (columns.length === 0) continue;
    const [before, after] = [tableAt(table, version - 1), tableAt(table, version)];
    await ddl.refer(db, name, { before, after, columns, make: (as) => makeTable(db, ddl, name, after, as) });
  }
}

/** What a version takes away. */
export async function takeAway(db: Kysely<unknown>, tables: Tables, version: number): Promise<void> {
  for (const [name, table] of inOrder(tables).toReversed()) {
    for (const index of table.indexes)
      if (index.until === version) await db.schema.dropIndex(indexName(name, index)).execute();
    for (const [column, { until }] of Object.entries(table.columns))
      if (until === version) await db.schema.alterTable(name).dropColumn(column).execute();
    if (table.until === version) await db.schema.dropTable(name).execute();
  }
}
