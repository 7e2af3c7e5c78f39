import { type Refusal, refusal } from '@moorage/api';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Storage } from './storage.ts';
import type { Column, Table, Tables } from './table.ts';

/** Names that a text or a row of the log has; of more it says the number. */
const namedRows = 20;

/** A column of a table that names rows of another one. */
interface Reference {
  readonly table: string;
  readonly named: Table;
  readonly column: string;
  readonly said: Column;
}

/** All columns that name rows of a table: what is refused, loosened or goes when one of them is deleted. */
export const referencesTo = (tables: Tables, target: string): readonly Reference[] =>
  Object.entries(tables).flatMap(([table, named]) =>
    Object.entries(named.columns)
      .filter(([, { references, lists }]) => references?.[0] === `${target}.id` || lists === target)
      .map(([column, said]) => ({ table, named, column, said })),
  );

/** Rows that people know, all of one table. */
interface Known {
  readonly what: string;
  readonly count: number;
  /** Those of the first, where they have names. */
  readonly names: readonly string[];
}

async function known(
  trx: Db,
  table: string,
  [what, name]: NonNullable<Table['known']>,
  where: RawBuilder<unknown>,
): Promise<Known> {
  const named = name === undefined ? sql`null` : sql.ref(name);
  const query = sql<{
    name: string | null;
  }>`select ${named} as name from ${sql.table(table)} where ${where} order by 1`;
  const { rows } = await query.execute(trx);
  return { what, count: rows.length, names: rows.flatMap(({ name }) => name ?? []).slice(0, namedRows) };
}

/** `alert rule "Dark", 3 bundles`. */
const textOf = (rows: readonly Known[]): string =>
  rows
    .map(({ what, count, names: [first] }) =>
      count === 1 ? `${what}${first === undefined ? '' : ` "${first}"`}` : `${count} ${what}s`,
    )
    .join(', ');

/** What holds a row, with all its names: it is not deleted as long as they are there. */
async function holders(trx: Db, tables: Tables, target: string, id: string): Promise<Known[]> {
  const found: Known[] = [];
  for (const { table, named, column, said } of referencesTo(tables, target)) {
    if (!named.known || !(said.holds || said.lists)) continue;
    // An id has no character that a pattern would take for another.
    const where = said.lists ? sql`${sql.ref(column)} like ${`%"${id}"%`}` : sql`${sql.ref(column)} = ${id}`;
    const rows = await known(trx, table, named.known, where);
    if (rows.count > 0) found.push(rows);
  }
  return found;
}

/** Refusal: IN_USE with the names of what holds the row. */
export async function refuseHeld(
  { tables }: Pick<Storage, 'tables'>,
  trx: Db,
  target: string,
  { id, named }: { readonly id: string; readonly named: string },
): Promise<Refusal | undefined> {
  const found = await holders(trx, tables, target, id);
  if (found.length === 0) return undefined;
  const names = found.flatMap(({ what, names }) => names.map((name) => `${what} "${name}"`));
  return refusal('IN_USE', { named, by: names.join(', ') });
}

/** What goes with a row: for the message of the log, which it completes, and for its data. */
export interface GoesWith {
  readonly text: string;
  readonly data: { readonly with?: Readonly<Record<string, readonly string[] | number>> };
}

export const nothingGoes: GoesWith = { text: '', data: {} };

/** What people know that is deleted together with a row, by what it is part of. To be asked before the row is deleted. */
export async function goesWith(
  { tables }: Pick<Storage, 'tables'>,
  trx: Db,
  target: string,
  id: string,
): Promise<GoesWith> {
  const wheres = new Map<string, RawBuilder<unknown>[]>();
  const visit = (of: string, ids: RawBuilder<unknown>, above: readonly string[]): void => {
    for (const { table, named, column, said } of referencesTo(tables, of)) {
      if (said.references?.[1] !== 'cascade' || above.includes(table)) continue;
      const where = sql`${sql.ref(column)} in (${ids})`;
      wheres.set(table, [...(wheres.get(table) ?? []), where]);
      if (named.columns.id) visit(table, sql`select id from ${sql.table(table)} where ${where}`, [...above, table]);
    }
  };
  visit(target, sql`${id}`, [target]);
  const found: Known[] = [];
  for (const [table, conditions] of wheres) {
    const what = tables[table]?.known;
    if (what) found.push(await known(trx, table, what, sql.join(conditions, sql` or `)));
  }
  const gone = found.filter(({ count }) => count > 0);
  if (gone.length === 0) return nothingGoes;
  const withIt = gone.map(({ what, count, names }) => [what, names.length > 0 ? names : count] as const);
  return { text: `; with it ${textOf(gone)}`, data: { with: Object.fromEntries(withIt) } };
}
