import type { CompiledQuery, Selectable } from 'kysely';
import { groupReads, padded } from './groups.ts';
import { type OfDevice, ofDevice } from './hot.ts';
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
 * @param build the statement with some keys, and no other values
 */
export function builtForMany<K extends string | number, R>(
  build: (db: Db, keys: readonly K[]) => { compile(): CompiledQuery<R> },
): (db: Db, keys: readonly K[]) => Promise<readonly R[]> {
  const byLength = new Map<number, ReturnType<typeof builtOnce<R>>>();
  return (db, keys) => {
    const all = padded(keys);
    const find = byLength.get(all.length) ?? builtOnce((of) => build(of, all));
    byLength.set(all.length, find);
    return find(db, ...all);
  };
}

type RowOf<T extends OfDevice> = Selectable<Schema[T]> & { readonly device_id: string };
type ReadShared = (key: string) => Promise<readonly RowOf<OfDevice>[] | undefined>;

/** What is read of devices in one statement, by table and device. */
const sharedIn = new WeakMap<Db, ReadShared>();

/** The read of rows of any tables of any devices at once, where the database has one for that. */
function sharedRows({ db, hot: { rowsOfDevices } }: Pick<Storage, 'db' | 'hot'>): ReadShared | undefined {
  if (!rowsOfDevices) return undefined;
  const read =
    sharedIn.get(db) ??
    groupReads(async (keys: readonly string[]) => {
      const asked = keys.map((key) => key.split(' '));
      const tables = ofDevice.filter((table) => asked.some(([of]) => of === table));
      const rows = await rowsOfDevices(tables, [...new Set(asked.map(([, id = '']) => id))]);
      const byKey = new Map<string, RowOf<OfDevice>[]>();
      for (const { table, row } of rows) {
        const key = `${table} ${row.device_id}`;
        byKey.set(key, [...(byKey.get(key) ?? []), row]);
      }
      return byKey;
    });
  sharedIn.set(db, read);
  return read;
}

/**
 * The read of the rows that a table has of a device, built once. Outside of transactions those who ask together share
 * one statement.
 */
export function rowsByDevice<T extends OfDevice>(
  storage: Pick<Storage, 'db' | 'hot'>,
  table: T,
): (db: Db, deviceId: string) => Promise<readonly Selectable<Schema[T]>[]> {
  // Safe: all of these tables have the column, which the types of the builder do not see through a parameter.
  const rowsOf = (db: Db) => db.selectFrom(table as 'executions').selectAll();
  const findMany = builtForMany((db, ids: readonly string[]) => rowsOf(db).where('device_id', 'in', ids));
  const ofMany = groupReads(async (ids: readonly string[]) =>
    Map.groupBy(await findMany(storage.db, ids), ({ device_id }) => device_id),
  );
  const shared = sharedRows(storage);
  const ofOne = builtOnce((db) => rowsOf(db).where('device_id', '=', ''));
  return async (db, deviceId) => {
    const isShared = db === storage.db;
    const rows = isShared
      ? await (shared ? shared(`${table} ${deviceId}`) : ofMany(deviceId))
      : await ofOne(db, deviceId);
    return (rows ?? []) as unknown as readonly RowOf<T>[];
  };
}
