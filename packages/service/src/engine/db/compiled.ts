import type { CompiledQuery, Selectable } from 'kysely';
import { groupCalls, padded } from './groups.ts';
import { type HotPaths, type OfDevice, ofDevice } from './hot.ts';
import type { Schema } from './schema.ts';
import type { Db, Storage } from './storage.ts';

/**
 * A statement of busy transactions, built once for each kind of database: building one takes longer than SQLite runs it.
 *
 * @param build the statement with some values; the caller gives those that count in the order of the text
 */
export function builtOnce<R>(
  build: (db: Db) => { compile(): CompiledQuery<R> },
): (db: Db, ...parameters: readonly (string | number | null)[]) => Promise<readonly R[]> {
  const built = new WeakMap<object, CompiledQuery<R>>();
  return async (db, ...parameters) => {
    const { adapter } = db.getExecutor();
    const query = built.get(adapter) ?? build(db).compile();
    built.set(adapter, query);
    return (await db.executeQuery<R>({ ...query, parameters })).rows;
  };
}

/**
 * The same for what is found by one of many keys, built once for each length that a padded list may have.
 *
 * @param build the statement with some keys; other values come before them in the text, and are given in its order
 */
export function builtForMany<K extends string | number, R>(
  build: (db: Db, keys: readonly K[]) => { compile(): CompiledQuery<R> },
): (db: Db, keys: readonly K[], ...before: readonly (string | number | null)[]) => Promise<readonly R[]> {
  const byLength = new Map<number, ReturnType<typeof builtOnce<R>>>();
  return (db, keys, ...before) => {
    const all = padded(keys);
    const find = byLength.get(all.length) ?? builtOnce((of) => build(of, all));
    byLength.set(all.length, find);
    return find(db, ...before, ...all);
  };
}

/** Rows that tables have of a device. */
export type RowsOfDevice = { readonly [T in OfDevice]: readonly Selectable<Schema[T]>[] };

const noRows: RowsOfDevice = { activations: [], attributes: [], executions: [], labels: [] };

type ReadShared = (asked: { readonly id: string; readonly tables: readonly OfDevice[] }) => Promise<RowsOfDevice>;

const sharedIn = new WeakMap<HotPaths, ReadShared>();

/** The read of rows of a device, outside of transactions: those who ask together share it. Of tables that are not asked for there may be none. */
export function sharedRows({ hot }: Pick<Storage, 'hot'>): ReadShared {
  const known = sharedIn.get(hot);
  if (known) return known;
  const read: ReadShared = groupCalls(async (asked) => {
    const tables = ofDevice.filter((table) => asked.some((one) => one.tables.includes(table)));
    const ids = new Set(asked.map(({ id }) => id));
    const rows = tables.length > 0 ? await hot.rowsOfDevices(tables, [...ids]) : [];
    const found = new Map<string, RowsOfDevice>();
    for (const { table, row } of rows) {
      const before = found.get(row.device_id) ?? noRows;
      found.set(row.device_id, { ...before, [table]: [...before[table], row] });
    }
    return asked.map(({ id }) => found.get(id) ?? noRows);
  });
  sharedIn.set(hot, read);
  return read;
}
