import type { NewRow, Row } from '../../../engine/db/schema.ts';
import type { Db } from '../../../engine/db/storage.ts';

/** Rows of one statement: both databases limit its parameters. */
const statementRows = 1_000;

function* pieces<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += statementRows) yield all.slice(at, at + statementRows);
}

/** What devices have reported, by name. */
export const attributesOf = (db: Db, deviceIds: readonly string[]): Promise<Row<'attributes'>[]> =>
  db.selectFrom('attributes').selectAll().where('device_id', 'in', deviceIds).orderBy('name').execute();

/** Those of these devices that are there. */
export async function existingDevices(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('devices').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Writes attributes, in the order of their devices, so that processes do not lock crosswise. */
export async function putAttributes(trx: Db, rows: readonly NewRow<'attributes'>[]): Promise<void> {
  const sorted = rows.toSorted((a, b) => (a.device_id < b.device_id ? -1 : 1));
  for (const piece of pieces(sorted)) {
    await trx
      .insertInto('attributes')
      .values([...piece])
      .onConflict((conflict) =>
        conflict.columns(['device_id', 'name']).doUpdateSet((to) => ({
          value: to.ref('excluded.value'),
          number: to.ref('excluded.number'),
          version_key: to.ref('excluded.version_key'),
          since: to.ref('excluded.since'),
        })),
      )
      .execute();
  }
}

export const dropAttributes = (trx: Db, deviceId: string, names: readonly string[]) =>
  trx.deleteFrom('attributes').where('device_id', '=', deviceId).where('name', 'in', names).execute();

/** The labels of devices, by device. */
export async function labelsOf(
  db: Db,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const found = new Map<string, Map<string, string>>(deviceIds.map((id) => [id, new Map()]));
  if (deviceIds.length === 0) return found;
  const rows = await db.selectFrom('labels').selectAll().where('device_id', 'in', deviceIds).orderBy('name').execute();
  for (const { device_id, name, value } of rows) found.get(device_id)?.set(name, value);
  return found;
}

/** Sets and removes labels of devices. */
export async function changeLabels(
  trx: Db,
  deviceIds: readonly string[],
  wanted: Readonly<Record<string, string | null>>,
): Promise<void> {
  const names = Object.keys(wanted);
  await trx.deleteFrom('labels').where('device_id', 'in', deviceIds).where('name', 'in', names).execute();
  const rows = deviceIds.flatMap((device_id) =>
    Object.entries(wanted).flatMap(([name, value]) => (value === null ? [] : [{ device_id, name, value }])),
  );
  for (const piece of pieces(rows)) {
    await trx
      .insertInto('labels')
      .values([...piece])
      .execute();
  }
}

/** Deletes what a device has reported, and its labels. */
export async function deleteAttributes(trx: Db, deviceIds: readonly string[]): Promise<void> {
  await trx.deleteFrom('attributes').where('device_id', 'in', deviceIds).execute();
  await trx.deleteFrom('labels').where('device_id', 'in', deviceIds).execute();
}
