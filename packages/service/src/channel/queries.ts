import type { Insertable } from 'kysely';
import type { ChannelTable } from '../db/schema.ts';
import type { Db } from '../db/storage.ts';

/** A process says that it is alive. */
export const touchProcess = (db: Db, id: string, atMs: number) =>
  db
    .insertInto('processes')
    .values({ id, seen_at: atMs })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: atMs }))
    .execute();

export const removeProcess = (db: Db, id: string) => db.deleteFrom('processes').where('id', '=', id).execute();

/** Notes the channel of a device; one that it had before is over. */
export const putChannel = ({ ...row }: Insertable<ChannelTable>, db: Db) =>
  db
    .insertInto('channels')
    .values(row)
    .onConflict((conflict) => conflict.column('device_id').doUpdateSet(row))
    .execute();

/** Forgets a channel, unless another has taken its place; tells whether it did. */
export async function removeChannel(db: Db, deviceId: string, session: string): Promise<boolean> {
  const removed = await db
    .deleteFrom('channels')
    .where('device_id', '=', deviceId)
    .where('session', '=', session)
    .executeTakeFirstOrThrow();
  return removed.numDeletedRows > 0n;
}

/** Channels of processes that have not been alive since a time: those were killed. */
export const abandonedChannels = (db: Db, beforeMs: number) =>
  db
    .selectFrom('channels')
    .leftJoin('processes', 'processes.id', 'channels.process_id')
    .select(['channels.device_id', 'channels.session'])
    .where(({ eb, or }) => or([eb('processes.id', 'is', null), eb('processes.seen_at', '<', beforeMs)]))
    .limit(1_000)
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
