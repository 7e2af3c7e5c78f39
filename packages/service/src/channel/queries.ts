import type { Insertable, Selectable } from 'kysely';
import type { ChannelTable, DeviceTable } from '../db/schema.ts';
import type { Db } from '../db/storage.ts';

/** A process says that it is alive. */
export const touchProcess = (db: Db, id: string, atMs: number) =>
  db
    .insertInto('processes')
    .values({ id, seen_at: atMs })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: atMs }))
    .execute();

export const removeProcess = (db: Db, id: string) => db.deleteFrom('processes').where('id', '=', id).execute();

/** Notes the channels of devices; one that a device had before is over. */
export async function putChannels(db: Db, rows: readonly Insertable<ChannelTable>[]): Promise<void> {
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
export type ChannelDeviceRow = Pick<
  Selectable<DeviceTable>,
  'id' | 'state' | 'certificate_fingerprint' | 'next_fingerprint'
>;

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

/** Channels of processes that have not been alive since a time: those were killed. */
export const abandonedChannels = (db: Db, beforeMs: number) =>
  db
    .selectFrom('channels')
    .innerJoin('devices', 'devices.id', 'channels.device_id')
    .leftJoin('processes', 'processes.id', 'channels.process_id')
    .select(['devices.id', 'devices.title', 'devices.product_id', 'channels.session'])
    .where(({ eb, or }) => or([eb('processes.id', 'is', null), eb('processes.seen_at', '<', beforeMs)]))
    .limit(abandonedLimit)
    .execute();

export const removeDeadProcesses = (db: Db, beforeMs: number) =>
  db.deleteFrom('processes').where('seen_at', '<', beforeMs).execute();

/** The devices that the records have as connected to a process, with their sessions. */
export const channelsOfProcess = (db: Db, processId: string) =>
  db.selectFrom('channels').select(['device_id', 'session']).where('process_id', '=', processId).execute();

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
export async function deleteReported(trx: Db, deviceId: string): Promise<void> {
  await trx.deleteFrom('telemetry').where('device_id', '=', deviceId).execute();
  await trx.deleteFrom('device_nodes').where('device_id', '=', deviceId).execute();
}

export const nodesOf = (db: Db, deviceId: string) =>
  db.selectFrom('device_nodes').select(['id', 'title']).where('device_id', '=', deviceId).orderBy('id').execute();
