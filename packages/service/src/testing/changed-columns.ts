import { isRecordTable } from '../engine/db/snapshot.ts';
import type { Storage } from '../engine/db/storage.ts';

type Row = Readonly<Record<string, unknown>>;

/** All rows of all tables that hold records, by the name of the table. */
export type Rows = ReadonlyMap<string, readonly Row[]>;

/** What reads all rows of all tables that hold records. */
export async function rowReader({ db }: Pick<Storage, 'db'>): Promise<() => Promise<Rows>> {
  const tables = (await db.introspection.getTables()).map(({ name }) => name).filter(isRecordTable);
  const read = async (name: string) =>
    // Safe: the database has named the table; each row is an object of its columns.
    [
      name,
      (await db
        .selectFrom(name as 'users')
        .selectAll()
        .execute()) as readonly unknown[] as Row[],
    ] as const;
  return async () => new Map(await Promise.all(tables.map(read)));
}

const sorted = (rows: readonly Row[], of: (row: Row) => unknown): string =>
  JSON.stringify(rows.map((row) => JSON.stringify(of(row)) ?? '').sort());

/** Names of the columns whose values differ, as `table.column`, and of the tables that have other rows than before. */
export function changedColumns(before: Rows, after: Rows): string[] {
  return [...after].flatMap(([table, rows]) => {
    const old = before.get(table) ?? [];
    if (sorted(old, (row) => row) === sorted(rows, (row) => row)) return [];
    if (old.length !== rows.length) return [table];
    const columns = Object.keys(rows[0] ?? {}).filter(
      (column) => sorted(old, (row) => row[column]) !== sorted(rows, (row) => row[column]),
    );
    // A row that went, and another that came, differ in their keys.
    return columns.map((column) => `${table}.${column}`);
  });
}
