import { type MessageBox, messagesPerBox } from '@moorage/api';
import type { Insertable, Selectable } from 'kysely';
import { bothOf, type PageOf, paging } from '../db/paging.ts';
import type { ActivationTable, ControlTable, ControlValueTable, MessageTable, SampleTable } from '../db/schema.ts';
import type { Db } from '../db/storage.ts';

export type Activation = Selectable<ActivationTable>;
export type ControlRow = Selectable<ControlTable>;
export type MessageRow = Selectable<MessageTable>;
type SampleRow = Pick<Selectable<SampleTable>, 'at' | 'number' | 'text'>;

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

export const insertActivation = (trx: Db, row: Insertable<ActivationTable>) =>
  trx.insertInto('activations').values(row).execute();

export const deleteActivation = (trx: Db, deviceId: string) =>
  trx.deleteFrom('activations').where('device_id', '=', deviceId).execute();

/**
 * Forgets all that a device has at the data cloud, activation and all. The names of its streams stay: a process that
 * knows them does not ask again whether they are there.
 */
export async function deleteDeviceData(trx: Db, deviceId: string): Promise<void> {
  await trx
    .deleteFrom('samples')
    .where('stream_id', 'in', (of) => of.selectFrom('streams').select('id').where('device_id', '=', deviceId))
    .execute();
  for (const table of ['activations', 'sample_batches', 'controls', 'control_values', 'messages'] as const) {
    await trx.deleteFrom(table).where('device_id', '=', deviceId).execute();
  }
}

/** The last sample of each stream of a device, by name. */
export async function lastSamples(db: Db, deviceId: string): Promise<ReadonlyMap<string, SampleRow>> {
  const streams = await db.selectFrom('streams').select(['id', 'name']).where('device_id', '=', deviceId).execute();
  const found = await Promise.all(
    streams.map(async ({ id, name }) => {
      const row = await db
        .selectFrom('samples')
        .select(['at', 'number', 'text'])
        .where('stream_id', '=', id)
        .orderBy('at', 'desc')
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && ([name, row] as const);
    }),
  );
  return new Map(found.filter((entry) => entry !== undefined));
}

/** Part of a stream. */
export interface SampleRange {
  readonly deviceId: string;
  readonly name: string;
  /** Epoch milliseconds: from this on, and up to but not including that. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit: number;
}

/** The samples of a range. */
export const samplesIn = (db: Db, { deviceId, name, from, to }: SampleRange) => {
  let samples = db
    .selectFrom('samples')
    .where('stream_id', '=', (where) =>
      where.selectFrom('streams').select('id').where('device_id', '=', deviceId).where('name', '=', name),
    );
  if (from !== undefined) samples = samples.where('at', '>=', from);
  if (to !== undefined) samples = samples.where('at', '<', to);
  return samples;
};

/** The newest samples of a range, oldest first. */
export async function samplesOf(db: Db, range: SampleRange): Promise<SampleRow[]> {
  const rows = await samplesIn(db, range)
    .select(['at', 'number', 'text'])
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(range.limit)
    .execute();
  return rows.reverse();
}

export const controlsOf = (db: Db, deviceId: string): Promise<ControlRow[]> =>
  db.selectFrom('controls').selectAll().where('device_id', '=', deviceId).orderBy('name').execute();

/** Notes a value of a control; it becomes the last one unless a newer one is there. Tells whether it did. */
export async function putControl(
  trx: Db,
  { user_id, ...row }: Insertable<ControlTable> & { readonly user_id: string | null },
): Promise<boolean> {
  const { device_id, name, value, at, source } = row;
  const history: Insertable<ControlValueTable> = { device_id, name, value, at, source, user_id };
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
  return bothOf(
    values
      .leftJoin('users', 'users.id', 'control_values.user_id')
      .select(['at', 'value', 'source', 'users.username'])
      .orderBy('at', page.direction)
      .orderBy('control_values.id', page.direction)
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    values.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  );
}

/** Puts a message into a box and takes out what is over its limit. Spec: API-DATA-boxes. */
export async function insertMessage(trx: Db, row: Insertable<MessageTable>): Promise<MessageRow> {
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
  return bothOf(
    messages.selectAll().orderBy('seq', page.direction).limit(page.limit).offset(page.offset).execute(),
    messages.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  );
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

/** Notes a batch of controls or a message, as `writeSamples` does its own; tells whether it is new. Spec: API-DATA-once. */
export async function noteBatch(trx: Db, deviceId: string, batch: string, atMs: number): Promise<boolean> {
  const noted = await trx
    .insertInto('sample_batches')
    .values({ device_id: deviceId, batch, created_at: atMs })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (noted.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
