import { type MessageBox, messagesPerBox } from '@moorage/api';
import { builtForMany } from '../../engine/db/compiled.ts';
import { onePage, type PageOf, paging } from '../../engine/db/paging.ts';
import type { NewRow, Row } from '../../engine/db/schema.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import type { RowKind } from '../../engine/db/work.ts';

export type Activation = Row<'activations'>;
export type ControlRow = Row<'controls'>;
export type MessageRow = Row<'messages'>;

const findActivations = builtForMany((db, deviceIds: readonly string[]) =>
  db.selectFrom('activations').selectAll().where('device_id', 'in', deviceIds),
);

/** Activations by their devices. */
export const activationRows: RowKind<string, Activation> = {
  read: async (db, ids) => new Map((await findActivations(db, ids)).map((row) => [row.device_id, row])),
};

export const activationOf = (db: Db, deviceId: string): Promise<Activation | undefined> =>
  db.selectFrom('activations').selectAll().where('device_id', '=', deviceId).executeTakeFirst();

/** The activation and the name of the user who made it. */
export const activationWithUser = (db: Db, deviceId: string) =>
  db
    .selectFrom('activations')
    .innerJoin('users', 'users.id', 'activations.user_id')
    .selectAll('activations')
    .select('users.username')
    .where('device_id', '=', deviceId)
    .executeTakeFirst();

export const insertActivation = (trx: Db, row: NewRow<'activations'>) =>
  trx.insertInto('activations').values(row).execute();

export const deleteActivation = (trx: Db, deviceId: string) =>
  trx.deleteFrom('activations').where('device_id', '=', deviceId).execute();

/** Forgets all that a device has at the data cloud, activation and all. */
export async function deleteDeviceData(trx: Db, { samples }: Storage, deviceIds: readonly string[]): Promise<void> {
  await samples.forget(trx, deviceIds);
  for (const table of ['activations', 'sample_batches', 'controls', 'control_values', 'messages'] as const) {
    await trx.deleteFrom(table).where('device_id', 'in', deviceIds).execute();
  }
}

export const controlsOf = (db: Db, deviceId: string): Promise<ControlRow[]> =>
  db.selectFrom('controls').selectAll().where('device_id', '=', deviceId).orderBy('name').execute();

/** Notes a value of a control; it becomes the last one unless a newer one is there. Tells whether it did. */
export async function putControl(
  trx: Db,
  { user_id, ...row }: NewRow<'controls'> & { readonly user_id: string | null },
): Promise<boolean> {
  const { device_id, name, value, at, source } = row;
  const history: NewRow<'control_values'> = { device_id, name, value, at, source, user_id };
  await trx.insertInto('control_values').values(history).execute();
  const put = await trx
    .insertInto('controls')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['device_id', 'name'])
        .doUpdateSet({ value, at, source, delivered: row.delivered })
        .where('controls.at', '<=', at),
    )
    .executeTakeFirst();
  return (put.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** The device has these values. One that was set again meanwhile stays as it is. */
export async function markDelivered(trx: Db, rows: readonly ControlRow[]): Promise<void> {
  for (const { device_id, name, at, delivered } of rows) {
    if (delivered) continue;
    await trx
      .updateTable('controls')
      .set({ delivered: 1 })
      .where('device_id', '=', device_id)
      .where('name', '=', name)
      .where('at', '=', at)
      .execute();
  }
}

/** One page of the values that a control has had, and how many there are in all. */
export function controlHistory(db: Db, deviceId: string, name: string, query: PageOf<'at' | '-at'>) {
  const values = db.selectFrom('control_values').where('device_id', '=', deviceId).where('name', '=', name);
  const page = paging(query, '-at');
  const items = values
    .leftJoin('users', 'users.id', 'control_values.user_id')
    .select(['at', 'value', 'source', 'users.username'])
    .orderBy('at', page.direction)
    .orderBy('control_values.id', page.direction);
  return onePage(items, values, page);
}

/** Puts a message into a box and takes out what is over its limit. Spec: API-DATA-boxes. */
export async function insertMessage(trx: Db, row: NewRow<'messages'>): Promise<MessageRow> {
  const inserted = await trx.insertInto('messages').values(row).returningAll().executeTakeFirstOrThrow();
  const box = trx.selectFrom('messages').where('device_id', '=', row.device_id).where('box', '=', row.box);
  const last = await box.select('seq').orderBy('seq', 'desc').offset(messagesPerBox).limit(1).executeTakeFirst();
  if (last) {
    await trx
      .deleteFrom('messages')
      .where('device_id', '=', row.device_id)
      .where('box', '=', row.box)
      .where('seq', '<=', last.seq)
      .execute();
  }
  return inserted;
}

/** One page of the messages of a device. */
export function listMessages(
  db: Db,
  deviceId: string,
  query: PageOf<'created_at' | '-created_at'> & { readonly box?: MessageBox },
) {
  let messages = db.selectFrom('messages').where('device_id', '=', deviceId);
  if (query.box) messages = messages.where('box', '=', query.box);
  const page = paging(query, '-created_at');
  const items = messages.selectAll().orderBy('seq', page.direction);
  return onePage(items, messages, page);
}

/** Messages to a device, oldest first: the newest `count` of those after `since` (epoch milliseconds). */
export async function waitingMessages(db: Db, deviceId: string, count: number, sinceMs: number): Promise<MessageRow[]> {
  const rows = await db
    .selectFrom('messages')
    .selectAll()
    .where('device_id', '=', deviceId)
    .where('box', '=', 'to-device')
    .where('created_at', '>=', sinceMs)
    .orderBy('seq', 'desc')
    .limit(count)
    .execute();
  return rows.reverse();
}

/** A message of a device, in this box or in either. */
export const messageById = (
  db: Db,
  deviceId: string,
  id: string,
  box?: MessageBox,
): Promise<MessageRow | undefined> => {
  let messages = db.selectFrom('messages').selectAll().where('device_id', '=', deviceId).where('id', '=', id);
  if (box) messages = messages.where('box', '=', box);
  return messages.executeTakeFirst();
};

/** Tells whether it was there. */
export async function deleteMessage(db: Db, deviceId: string, id: string, box?: MessageBox): Promise<boolean> {
  let messages = db.deleteFrom('messages').where('device_id', '=', deviceId).where('id', '=', id);
  if (box) messages = messages.where('box', '=', box);
  return (await messages.executeTakeFirstOrThrow()).numDeletedRows > 0n;
}

/** Notes a batch of controls or a message, as `Samples.append` does its own; tells whether it is new. Spec: API-DATA-once. */
export async function noteBatch(trx: Db, deviceId: string, batch: string, atMs: number): Promise<boolean> {
  const noted = await trx
    .insertInto('sample_batches')
    .values({ device_id: deviceId, batch, created_at: atMs })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (noted.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Puts activations at the data cloud under the account of another user. */
export async function handOverActivations(trx: Db, from: string, to: string): Promise<void> {
  await trx.updateTable('activations').set({ user_id: to }).where('user_id', '=', from).execute();
}
