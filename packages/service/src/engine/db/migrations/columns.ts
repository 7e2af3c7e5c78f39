import type { Kysely, OnModifyForeignAction } from 'kysely';
import { sql } from 'kysely';
import type { Ddl } from './index.ts';

export interface Column {
  /** `name` is a text that compares and sorts by its bytes, whatever language the database is set to. */
  readonly type: 'text' | 'name' | 'int64' | 'real' | 'counter';
  readonly optional?: true;
  readonly key?: true;
  /** `table.column`, and what happens to this row when that one goes. */
  readonly references?: readonly [target: string, onDelete: OnModifyForeignAction];
}

export interface Index {
  readonly table: string;
  readonly columns: readonly string[];
  readonly unique?: true;
  /** Only rows where this column has a value are in the index. */
  readonly whereSet?: string;
}

export const text: Column = { type: 'text' };
export const optionalText: Column = { type: 'text', optional: true };
export const key: Column = { type: 'text', key: true };
export const time: Column = { type: 'int64' };
export const optionalTime: Column = { type: 'int64', optional: true };
export const integer: Column = { type: 'int64' };
export const optionalInteger: Column = { type: 'int64', optional: true };
export const flag: Column = { type: 'int64' };

export const part = (target: string): Column => ({ type: 'text', references: [`${target}.id`, 'cascade'] });
/** Part of that row, when it names one: it goes when that one does. */
export const mayBePart = (target: string): Column => ({ ...part(target), optional: true });
export const needs = (target: string): Column => ({ type: 'text', references: [`${target}.id`, 'restrict'] });
export const mayHave = (target: string): Column => ({ ...needs(target), optional: true });
export const forgets = (target: string): Column => ({
  type: 'text',
  optional: true,
  references: [`${target}.id`, 'set null'],
});
/** A record never points at bytes that are not stored, and bytes in use cannot be forgotten. */
export const blob: Column = { type: 'text', references: ['blobs.sha256', 'restrict'] };

export const unique = (table: string, ...columns: string[]): Index => ({ table, columns, unique: true });
export const index = (table: string, ...columns: string[]): Index => ({ table, columns });

const typeIn = (ddl: Ddl, type: 'text' | 'name' | 'int64' | 'real') => {
  if (type === 'int64') return ddl.int64;
  if (type === 'real') return ddl.real;
  return type === 'name' ? ddl.name : 'text';
};

/**
 * Makes a table. References have to be there already.
 *
 * @param options `ordered`: the rows lie in the order of their key, where the database can do that
 */
export async function makeTable(
  db: Kysely<unknown>,
  ddl: Ddl,
  name: string,
  columns: Readonly<Record<string, Column>>,
  options: { readonly ordered?: boolean } = {},
): Promise<void> {
  let table = db.schema.createTable(name).modifyEnd(options.ordered ? ddl.orderedTableEnd : ddl.tableEnd);
  const keys = Object.keys(columns).filter((column) => columns[column]?.key);
  for (const [column, { type, optional, references }] of Object.entries(columns)) {
    if (type === 'counter') {
      table = table.addColumn(column, ddl.int64, (made) => ddl.counter(made.primaryKey()));
      continue;
    }
    table = table.addColumn(column, typeIn(ddl, type), (made) => {
      const value = optional ? made : made.notNull();
      return references ? value.references(references[0]).onDelete(references[1]) : value;
    });
  }
  // The names of the columns are data here, so the builder's own check of them does not apply.
  if (keys.length > 0) table = table.addPrimaryKeyConstraint(`${name}_key`, keys as never[]);
  await table.execute();
}

/** Makes an index, called `<table>_<columns>`. */
export async function makeIndex(
  db: Kysely<unknown>,
  { table, columns, unique: isUnique, whereSet }: Index,
): Promise<void> {
  const made = db.schema
    .createIndex([table, ...columns].join('_'))
    .on(table)
    .columns([...columns]);
  const limited = whereSet === undefined ? made : made.where(sql.ref(whereSet), 'is not', null);
  await (isUnique ? limited.unique() : limited).execute();
}
