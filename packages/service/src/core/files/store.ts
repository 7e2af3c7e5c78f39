import { randomUUID } from 'node:crypto';
import {
  type EndpointShape,
  type FileListQuery,
  type FileRecord,
  fileLimitBytes,
  type Refusal,
  refusal,
  resultOk,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { recordBlob } from '../../engine/db/blob-records.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { type LogEntry, writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import { refuseChanged } from '../../engine/http/conditions.ts';
import type { Call, Deps, FileReply, Page, StoredUpload, Upload, Validators } from '../../engine/http/types.ts';
import { refuseQuota } from '../access/quotas.ts';
import { mimeOfFilename } from './file-types.ts';
import {
  deleteFile,
  type FileRow,
  fileByPath,
  insertFile,
  listStoredFiles,
  lockFile,
  replaceFile,
  type StoreOwner,
  useBeside,
  userOf,
} from './queries.ts';
import { fileReply, formatCrc } from './replies.ts';
import { checkPath, nameOf, readFileVersion, refuseSpace } from './rules.ts';

/** A store that a caller has been allowed to use. */
export interface FileStore {
  readonly owner: StoreOwner;
  /** Who and what a log row of it is about. */
  readonly subject: Omit<LogEntry, 'type' | 'message' | 'atMs'>;
}

/** Finds the store of a request, or the refusal; a change asks again in its transaction. */
export type FindStore = (db: Db) => Promise<Result<FileStore, Refusal>>;

type StoreDeps = Pick<Deps, 'storage' | 'clock'>;
type WriteDeps = Pick<Deps, 'storage' | 'clock' | 'settings'>;

const fileRecord = (row: FileRow): FileRecord => ({
  path: row.path,
  name: nameOf(row.path),
  size: row.size,
  crc: formatCrc(row.crc),
  mime: row.mime,
  version: row.version,
  created_at: String(row.created_at),
  updated_at: String(row.updated_at),
});

const fileNotFound = () => failure(refusal('NOT_FOUND', { what: 'File' }));

/** The index of a store. */
export async function listFiles(
  { storage }: StoreDeps,
  find: FindStore,
  query: FileListQuery,
): Promise<Result<Page<FileRecord>, Refusal>> {
  const store = await find(storage.db);
  if (!store.ok) return store;
  const { items, total } = await listStoredFiles(storage.db, storage.expressions, store.value.owner, query);
  return success({ items: items.map(fileRecord), total });
}

/** The bytes of a file. Spec: API-RULE-files-4. */
export async function readFile(
  { storage }: StoreDeps,
  find: FindStore,
  name: string,
): Promise<Result<FileReply, Refusal>> {
  const store = await find(storage.db);
  if (!store.ok) return store;
  const path = checkPath(name);
  if (!path.ok) return path;
  const row = await fileByPath(storage.db, store.value.owner, path.value);
  return row ? success(fileReply(row, row.updated_at)) : fileNotFound();
}

const validatorsOf = (row: FileRow | undefined): Validators | undefined =>
  row && { sha256: row.sha256, lastModifiedMs: row.updated_at };

/** A request that changes a file; its conditions are those of the file that has the path. */
interface ChangeRequest {
  readonly params: { readonly path: string };
  readonly headers: Call<EndpointShape>['headers'];
}

export interface WriteRequest extends ChangeRequest {
  readonly query: { readonly version?: string };
  readonly upload: Upload;
}

/**
 * Writes a file in place of the one that has its path. The bytes are durable before the record points at them, so a
 * reader gets the old file or the new one, and of two writers the later one wins. Spec: API-RULE-files-3.
 */
export async function writeFile(
  deps: WriteDeps,
  find: FindStore,
  request: WriteRequest,
): Promise<Result<FileRecord & { result: 'ok' }, Refusal>> {
  const { storage, clock } = deps;
  const store = await find(storage.db);
  if (!store.ok) return store;
  const path = checkPath(request.params.path);
  if (!path.ok) return path;
  const version = readFileVersion(request.query.version);
  if (!version.ok) return version;
  // Asked before the bytes come, so that an upload that has no place is refused unread, and again with the record.
  const { owner } = store.value;
  const present = await fileByPath(storage.db, owner, path.value);
  const early =
    refuseChanged(request.headers, validatorsOf(present)) ??
    (await spaceFor(deps, storage.db, owner, present, { path: path.value, size: request.upload.announcedBytes ?? 1 }));
  if (early) return failure(early);
  const stored = await request.upload.store({ maxBytes: fileLimitBytes });
  if (!stored.ok) return stored;
  const content = { path: path.value, version: version.value, stored: stored.value, headers: request.headers };
  const written = await transactionOverConflicts(storage, (trx) => recordFile(deps, trx, find, content, clock.now()));
  if (!written.ok) await recordBlob(storage.db, stored.value.blob, clock.now(), await userOf(storage.db, owner));
  return written;
}

/** Why a file has no place in its store, or its owner no room for it. */
async function spaceFor(
  { settings }: WriteDeps,
  db: Db,
  owner: StoreOwner,
  present: FileRow | undefined,
  { path, size }: { readonly path: string; readonly size: number },
): Promise<Refusal | undefined> {
  const refused = refuseSpace(await useBeside(db, owner, path), size);
  if (refused) return refused;
  return refuseQuota(settings, db, await userOf(db, owner), 'bytes', size - (present?.size ?? 0));
}

interface NewFile extends Pick<ChangeRequest, 'headers'> {
  readonly path: string;
  readonly version: string | null;
  readonly stored: StoredUpload;
}

async function recordFile(
  deps: WriteDeps,
  trx: Db,
  find: FindStore,
  { path, version, stored, headers }: NewFile,
  atMs: number,
): Promise<Result<FileRecord & { result: 'ok' }, Refusal>> {
  const store = await find(trx);
  if (!store.ok) return store;
  const { owner, subject } = store.value;
  const { blob } = stored;
  const earlier = await lockFile(trx, deps.storage.expressions, owner, path);
  const refused =
    refuseChanged(headers, validatorsOf(earlier)) ??
    (await spaceFor(deps, trx, owner, earlier, { path, size: blob.size }));
  if (refused) return failure(refused);
  await recordBlob(trx, blob, atMs, await userOf(trx, owner));
  const mime = stored.mime ?? mimeOfFilename(path);
  const content = { version, mime, size: blob.size, crc: blob.crc, sha256: blob.sha256, updated_at: atMs };
  const ids =
    'deviceId' in owner
      ? { device_id: owner.deviceId, product_id: null }
      : { device_id: null, product_id: owner.productId };
  const row = earlier
    ? await replaceFile(trx, earlier.id, content)
    : await insertFile(trx, { id: randomUUID(), ...ids, path, ...content, created_at: atMs });
  const type = 'deviceId' in owner ? 'device.file_write' : 'asset.write';
  const data = { path, size: blob.size };
  await writeLog(trx, { ...subject, atMs, type, message: `File "${path}" written`, data });
  return success({ result: 'ok' as const, ...fileRecord(row) });
}

/** Deletes a file. A path that others merely begin with is none. */
export async function removeFile(
  { storage, clock }: StoreDeps,
  find: FindStore,
  { params, headers }: ChangeRequest,
): Promise<Result<typeof resultOk, Refusal>> {
  const allowed = await find(storage.db);
  if (!allowed.ok) return allowed;
  const path = checkPath(params.path);
  if (!path.ok) return path;
  const atMs = clock.now();
  return storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const store = await find(trx);
    if (!store.ok) return store;
    const { owner, subject } = store.value;
    const row = await lockFile(trx, storage.expressions, owner, path.value);
    if (!row) return fileNotFound();
    const refused = refuseChanged(headers, validatorsOf(row));
    if (refused) return failure(refused);
    await deleteFile(trx, row.id);
    const type = 'deviceId' in owner ? 'device.file_delete' : 'asset.delete';
    await writeLog(trx, {
      ...subject,
      atMs,
      type,
      message: `File "${path.value}" deleted`,
      data: { path: path.value },
    });
    return success(resultOk);
  });
}
