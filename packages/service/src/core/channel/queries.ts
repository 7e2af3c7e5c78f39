import type { NewRow, Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';

/** A process takes its place among those on the database. */
export const putProcess = (db: Db, id: string, atMs: number) =>
  db.insertInto('processes').values({ id, seen_at: atMs, beats: 0 }).execute();

/** A process says that it is alive; false when others have taken it for gone. */
export async function beat(db: Db, id: string, atMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('processes')
    .set(({ eb }) => ({ seen_at: atMs, beats: eb('beats', '+', 1) }))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export const livingProcesses = (db: Db) => db.selectFrom('processes').select(['id', 'beats']).execute();

/** Removes a process, unless it has given a sign of life meanwhile; tells whether it did. */
export async function removeDeadProcess(db: Db, id: string, beats: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('processes')
    .where('id', '=', id)
    .where('beats', '=', beats)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export const removeProcess = (db: Db, id: string) => db.deleteFrom('processes').where('id', '=', id).execute();

/** Notes the channels of devices; one that a device had before is over. */
export async function putChannels(db: Db, rows: readonly NewRow<'channels'>[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('channels')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.column('device_id').doUpdateSet(({ ref }) => ({
        process_id: ref('excluded.process_id'),
        session: ref('excluded.session'),
        address: ref('excluded.address'),
        connected_at: ref('excluded.connected_at'),
      })),
    )
    .execute();
}

/** Forgets channels, unless others have taken their places; returns the sessions of those that it has forgotten. */
export async function removeChannels(
  db: Db,
  channels: readonly { readonly device_id: string; readonly session: string }[],
): Promise<ReadonlySet<string>> {
  if (channels.length === 0) return new Set();
  const deviceIds = channels.map(({ device_id }) => device_id);
  const sessions = channels.map(({ session }) => session);
  const removed = await db
    .deleteFrom('channels')
    .where('device_id', 'in', deviceIds)
    // A session is one device's alone.
    .where('session', 'in', sessions)
    .returning('session')
    .execute();
  return new Set(removed.map(({ session }) => session));
}

/** What a channel has to know of its device. */
export type ChannelDeviceRow = Pick<Row<'devices'>, 'id' | 'state' | 'certificate_fingerprint' | 'next_fingerprint'>;

/** The devices of these ids that there are, by id. */
export async function devicesOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, ChannelDeviceRow>> {
  const rows = await db
    .selectFrom('devices')
    .select(['id', 'state', 'certificate_fingerprint', 'next_fingerprint'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Most channels of killed processes that are looked at together. */
export const abandonedLimit = 1_000;

/** Channels of processes that have ended without removing them. */
export const abandonedChannels = (db: Db) =>
  db
    .selectFrom('channels')
    .innerJoin('devices', 'devices.id', 'channels.device_id')
    .leftJoin('processes', 'processes.id', 'channels.process_id')
    .select(['devices.id', 'devices.title', 'devices.product_id', 'channels.session'])
    .where('processes.id', 'is', null)
    .limit(abandonedLimit)
    .execute();

/** The devices that the records have as connected to a process. */
export const recordedChannels = (db: Db, processId: string) =>
  db
    .selectFrom('channels')
    .innerJoin('devices', 'devices.id', 'channels.device_id')
    .select(['channels.device_id', 'channels.session'])
    .select(['devices.product_id', 'devices.tag', 'devices.state'])
    .select(['devices.certificate_fingerprint', 'devices.next_fingerprint'])
    .where('channels.process_id', '=', processId)
    .execute();

/** The bundles of products that devices may be offered. */
export async function bundlesOnOffer(db: Db, productIds: readonly string[]) {
  if (productIds.length === 0) return [];
  return db
    .selectFrom('bundles')
    .select(['product_id', 'tag', 'id'])
    .where('product_id', 'in', productIds)
    .where('tag', 'is not', null)
    .orderBy('tag')
    .execute();
}

/** Values that users have set and devices of a process have not taken. */
export const controlsDue = (db: Db, processId: string) =>
  db
    .selectFrom('channels')
    .innerJoin('controls', 'controls.device_id', 'channels.device_id')
    .select(['controls.device_id', 'controls.name', 'controls.value', 'controls.at'])
    .where('channels.process_id', '=', processId)
    .where('controls.source', '=', 'user')
    .where('controls.delivered', '=', 0)
    .execute();

/** The newest message for each device of a process that has one. */
export const messagesDue = (db: Db, processId: string) =>
  db
    .selectFrom('messages')
    .select(['device_id', 'id'])
    .where('seq', 'in', (waiting) =>
      waiting
        .selectFrom('channels')
        .innerJoin('messages as m', 'm.device_id', 'channels.device_id')
        .select(({ fn }) => fn.max('m.seq').as('seq'))
        .where('channels.process_id', '=', processId)
        .where('m.box', '=', 'to-device')
        .groupBy('m.device_id'),
    )
    .execute();

export const channelOf = (db: Db, deviceId: string) =>
  db.selectFrom('channels').selectAll().where('device_id', '=', deviceId).executeTakeFirst();

export const putTelemetry = (db: Db, deviceId: string, atMs: number, data: string) =>
  db
    .insertInto('telemetry')
    .values({ device_id: deviceId, at: atMs, data })
    .onConflict((conflict) => conflict.column('device_id').doUpdateSet({ at: atMs, data }))
    .execute();

export const telemetryOf = (db: Db, deviceId: string) =>
  db.selectFrom('telemetry').selectAll().where('device_id', '=', deviceId).executeTakeFirst();

/** The children of a gateway, which tells all of them each time. */
export async function replaceNodes(
  trx: Db,
  deviceId: string,
  nodes: readonly { readonly id: string; readonly title?: string }[],
  atMs: number,
): Promise<void> {
  await trx.deleteFrom('device_nodes').where('device_id', '=', deviceId).execute();
  const unique = new Map(
    nodes.map(({ id, title }) => [id, { device_id: deviceId, id, title: title ?? null, seen_at: atMs }]),
  );
  if (unique.size > 0)
    await trx
      .insertInto('device_nodes')
      .values([...unique.values()])
      .execute();
}

/** Deletes what a device has reported. */
export async function deleteReported(trx: Db, deviceIds: readonly string[]): Promise<void> {
  await trx.deleteFrom('telemetry').where('device_id', 'in', deviceIds).execute();
  await trx.deleteFrom('device_nodes').where('device_id', 'in', deviceIds).execute();
}

export const nodesOf = (db: Db, deviceId: string) =>
  db.selectFrom('device_nodes').select(['id', 'title']).where('device_id', '=', deviceId).orderBy('id').execute();
