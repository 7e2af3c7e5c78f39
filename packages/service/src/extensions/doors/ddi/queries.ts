import type { Db } from '../../../engine/db/storage.ts';

/** An update of a device. */
export const updateOfDevice = (db: Db, deviceId: string, id: number) =>
  db.selectFrom('updates').selectAll().where('id', '=', id).where('device_id', '=', deviceId).executeTakeFirst();

/** Names of the attributes that a device has. */
export async function attributeNames(db: Db, deviceId: string): Promise<string[]> {
  const rows = db.selectFrom('attributes').select('name').where('device_id', '=', deviceId);
  return (await rows.execute()).map(({ name }) => name);
}

/** Values of these attributes of a device. */
export async function attributeValues(
  db: Db,
  deviceId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = db.selectFrom('attributes').select(['name', 'value']).where('device_id', '=', deviceId);
  return new Map((await rows.where('name', 'in', names).execute()).map(({ name, value }) => [name, value]));
}
