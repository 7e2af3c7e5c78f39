import type { Db } from '../../../engine/db/storage.ts';

/** An update of a device. */
export const updateOfDevice = (db: Db, deviceId: string, id: number) =>
  db.selectFrom('updates').selectAll().where('id', '=', id).where('device_id', '=', deviceId).executeTakeFirst();

/** Names of the attributes that a device has. */
export async function attributeNames(db: Db, deviceId: string): Promise<string[]> {
  const rows = db.selectFrom('attributes').select('name').where('device_id', '=', deviceId);
  return (await rows.execute()).map(({ name }) => name);
}

/** The artifacts of a bundle. */
export async function artifactsOf(db: Db, bundleId: string) {
  const rows = await db
    .selectFrom('artifact_headers as h')
    .innerJoin('resources as r', 'r.id', 'h.resource_id')
    .select(['r.filename', 'h.name', 'h.device_types'])
    .where('r.bundle_id', '=', bundleId)
    .where('r.filename', 'like', '%.mender')
    .orderBy('r.filename')
    .execute();
  return rows.map(({ filename, name, device_types: types }) => ({
    filename,
    name,
    // Safe: the service has written the list.
    deviceTypes: JSON.parse(types) as readonly string[],
  }));
}
