import type { CompiledQuery, Selectable } from 'kysely';
import { groupReads, padded } from './groups.ts';
import type { Schema } from './schema.ts';
import type { Db } from './storage.ts';

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

/** Tables that have rows of a device. */
type OfDevice = 'attributes' | 'executions' | 'labels';

/**
 * The read of the rows that a table has of a device, built once. Outside of transactions those who ask together share
 * one statement.
 */
export function rowsByDevice<T extends OfDevice>(
  of: Db,
  table: T,
): (db: Db, deviceId: string) => Promise<readonly Selectable<Schema[T]>[]> {
  type Row = Selectable<Schema[T]> & { readonly device_id: string };
  // Safe: all of these tables have the column, which the types of the builder do not see through a parameter.
  const rowsOf = (db: Db) => db.selectFrom(table as 'executions').selectAll();
  const ofMany = groupReads(async (ids: readonly string[]) => {
    const found = (await rowsOf(of).where('device_id', 'in', padded(ids)).execute()) as unknown as readonly Row[];
    return Map.groupBy(found, ({ device_id }) => device_id);
  });
  const ofOne = builtOnce((db) => rowsOf(db).where('device_id', '=', ''));
  return async (db, deviceId) =>
    db === of ? ((await ofMany(deviceId)) ?? []) : ((await ofOne(db, deviceId)) as unknown as readonly Row[]);
}
