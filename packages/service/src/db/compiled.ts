import type { CompiledQuery, Selectable } from 'kysely';
import { groupReads, padded } from './groups.ts';
import type { Schema } from './schema.ts';
import type { Db } from './storage.ts';

/** A query that was compiled with some parameters, for other values of them. */
export const withKey = <R>(query: CompiledQuery<R>, ...key: readonly (string | number)[]): CompiledQuery<R> => ({
  ...query,
  parameters: key,
});

/** Tables that have rows of a device. */
type OfDevice = 'attributes' | 'executions' | 'labels';

/**
 * Compiles the read of the rows that a table has of a device once. Outside of transactions those who ask together share
 * one statement.
 */
export function rowsByDevice<T extends OfDevice>(
  of: Db,
  table: T,
): (db: Db, deviceId: string) => Promise<readonly Selectable<Schema[T]>[]> {
  type Row = Selectable<Schema[T]> & { readonly device_id: string };
  // Safe: all of these tables have the column, which the types of the builder do not see through a parameter.
  const rows = of.selectFrom(table as 'executions').selectAll();
  const ofMany = groupReads(async (ids: readonly string[]) => {
    const found = (await rows.where('device_id', 'in', padded(ids)).execute()) as unknown as readonly Row[];
    return Map.groupBy(found, ({ device_id }) => device_id);
  });
  const ofOne = rows.where('device_id', '=', '').compile() as unknown as CompiledQuery<Row>;
  return async (db, deviceId) =>
    db === of ? ((await ofMany(deviceId)) ?? []) : (await db.executeQuery(withKey(ofOne, deviceId))).rows;
}
