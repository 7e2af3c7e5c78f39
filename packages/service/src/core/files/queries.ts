import type { FileListQuery } from '@moorage/api';
import type { ExpressionBuilder } from 'kysely';
import { onePage, paging } from '../../engine/db/paging.ts';
import type { NewRow, Row, Schema } from '../../engine/db/schema.ts';
import type { Db, Expressions } from '../../engine/db/storage.ts';
import { type StoreUse, tidyFilter } from './rules.ts';

export type FileRow = Row<'files'>;

/** Whose files: those of a device or those of a product. */
export type StoreOwner = { readonly deviceId: string } | { readonly productId: string };

const owned = (owner: StoreOwner) => (where: ExpressionBuilder<Schema, 'files'>) =>
  'deviceId' in owner ? where('device_id', '=', owner.deviceId) : where('product_id', '=', owner.productId);

/** One page of a store's files, and how many fit in all. Spec: API-RULE-list-1. */
export async function listStoredFiles(
  db: Db,
  { startsWith, matches }: Expressions,
  owner: StoreOwner,
  query: FileListQuery,
): Promise<{ items: FileRow[]; total: number }> {
  const filter = tidyFilter(query.filter);
  let files = db.selectFrom('files').where(owned(owner));
  const { prefix } = query;
  if (prefix) files = files.where(({ ref }) => startsWith(ref('path'), prefix));
  if (filter !== undefined) files = files.where(({ ref }) => matches(ref('path'), filter));
  const page = paging(query, 'path');
  const items = files.selectAll().orderBy(page.field, page.direction).orderBy('path', page.direction);
  return onePage(items, files, page);
}

const atPath = (db: Db, owner: StoreOwner, path: string) =>
  db.selectFrom('files').selectAll().where(owned(owner)).where('path', '=', path);

/** The file of a store that has exactly this path. */
export const fileByPath = (db: Db, owner: StoreOwner, path: string): Promise<FileRow | undefined> =>
  atPath(db, owner, path).executeTakeFirst();

/** The same, for a change: of two that begin at once the later one sees what the first has written. */
export const lockFile = (
  trx: Db,
  { lockRows }: Expressions,
  owner: StoreOwner,
  path: string,
): Promise<FileRow | undefined> => lockRows(atPath(trx, owner, path)).executeTakeFirst();

/** What a store holds beside the file of this path. */
export async function useBeside(db: Db, owner: StoreOwner, path: string): Promise<StoreUse> {
  const { files, bytes } = await db
    .selectFrom('files')
    .where(owned(owner))
    .where('path', '!=', path)
    .select(({ fn }) => [fn.countAll<number>().as('files'), fn.sum<number | null>('size').as('bytes')])
    .executeTakeFirstOrThrow();
  return { files, bytes: bytes ?? 0 };
}

/** Adds a file, whose blob is recorded already. */
export const insertFile = (trx: Db, row: NewRow<'files'>): Promise<FileRow> =>
  trx.insertInto('files').values(row).returningAll().executeTakeFirstOrThrow();

type NewContent = Pick<FileRow, 'version' | 'mime' | 'size' | 'crc' | 'sha256' | 'updated_at'>;

/** Writes other content under the id and path of a file. */
export const replaceFile = (trx: Db, id: string, content: NewContent): Promise<FileRow> =>
  trx.updateTable('files').set(content).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Deletes a file, which the transaction has locked. */
export async function deleteFile(trx: Db, id: string): Promise<void> {
  await trx.deleteFrom('files').where('id', '=', id).execute();
}

/** Empties the store of a device, in the transaction that resets it. Spec: API-RULE-reset-1. */
export async function deleteDeviceFiles(trx: Db, deviceIds: readonly string[]): Promise<void> {
  await trx.deleteFrom('files').where('device_id', 'in', deviceIds).execute();
}

/** The user to whom a store belongs: the owner of its device or product, if there is one. */
export async function userOf(db: Db, owner: StoreOwner): Promise<string | null> {
  const row = await ('deviceId' in owner
    ? db.selectFrom('devices').select('user_id').where('id', '=', owner.deviceId)
    : db.selectFrom('products').select('user_id').where('id', '=', owner.productId)
  ).executeTakeFirst();
  return row?.user_id ?? null;
}
