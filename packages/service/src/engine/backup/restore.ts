import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobStore } from '../blobs/blob-store.ts';
import { findFilledTable, loadRecords, type RowBatch } from '../db/load.ts';
import { migrationNames, type Records, renamed } from '../db/migrations.ts';
import { openStorage } from '../db/open.ts';
import type { Cell } from '../db/snapshot.ts';
import type { Storage } from '../db/storage.ts';
import { ArchiveReader, type PlacedEntry } from './archive-file.ts';
import type { Carried } from './backup.ts';
import { BackupError, blobOf, type End, endName, formatVersion, type Head, headName, tableOf } from './format.ts';

export interface RestoreOptions {
  /** Address of the records: of a database that is empty or not there yet. */
  readonly database: string;
  readonly records: Records;
  /** Opens the blobs; called once the archive was found whole and the records empty. */
  readonly openBlobs: () => Promise<BlobStore>;
  readonly file: string;
}

/**
 * Brings an archive into an empty storage, of either database. The whole archive is checked before anything is
 * written, then the blobs are stored, then all records in one transaction: until that is durable the storage stays
 * empty, and a restore that was cut can be run again.
 *
 * @throws {BackupError} when the archive is damaged or of another version, or the storage is in use
 */
export async function restore({ database, records, openBlobs, file }: RestoreOptions): Promise<Carried> {
  const archive = await ArchiveReader.open(file);
  try {
    const { end, bytes } = await verify(archive);
    const upTo = lastMigration(end, records);
    // All of it is one transaction, whose references are checked by one statement.
    const storage = await openStorage(database, records, { upTo, statementMs: 0 });
    let blobs: number;
    try {
      const filled = await findFilledTable(storage.db);
      if (filled !== undefined) throw inUse(filled);
      blobs = await putBlobs(archive, await openBlobs());
      await load(archive, storage, end);
    } finally {
      await storage.close();
    }
    // What an older version wrote is brought up to date as it would have been at the next start.
    await (await openStorage(database, records)).close();
    return { rows: end.rows, blobs, bytes };
  } finally {
    await archive.close();
  }
}

/** When a backup was made, epoch ms. @throws {BackupError} when it does not begin as one */
export async function timeOfBackup(file: string): Promise<number> {
  const archive = await ArchiveReader.open(file);
  try {
    for await (const entry of archive.entries()) {
      if (entry.name === headName) return (JSON.parse(await archive.text(entry)) as Head).created_at;
      break;
    }
    throw archive.damaged('it does not begin as one');
  } finally {
    await archive.close();
  }
}

const inUse = (table: string): BackupError =>
  new BackupError(`The database is in use: table "${table}" has rows. A backup is restored into an empty one only`);

/** Reads the whole archive once: it is complete, and every byte is the one that was written. */
async function verify(archive: ArchiveReader): Promise<{ readonly end: End; readonly bytes: number }> {
  let first: PlacedEntry | undefined;
  let last: PlacedEntry | undefined;
  for await (const entry of archive.entries()) {
    first ??= entry;
    last = entry;
  }
  if (first?.name !== headName) throw archive.damaged('it does not begin as one');
  const { format } = JSON.parse(await archive.text(first)) as Head;
  if (format !== formatVersion) throw new BackupError(`Backups of format ${format} are not known to this version`);
  if (last?.name !== endName) throw archive.damaged('its end is missing');
  const end = JSON.parse(await archive.text(last)) as End;
  const hash = createHash('sha256');
  for await (const chunk of archive.bytes(0, last.header)) hash.update(chunk);
  if (hash.digest('hex') !== end.sha256) throw archive.damaged('its checksum is wrong');
  return { end, bytes: last.content + last.size };
}

/** The last migration of an archive that this version can read: it has run the same ones, and perhaps more. */
function lastMigration({ migrations }: End, records: Records): string {
  const ran = renamed(migrations);
  const names = migrationNames(records);
  const last = ran.at(-1);
  const known = ran.every((name, at) => name === names[at]);
  if (last === undefined || !known) {
    throw new BackupError(`The backup is of another version, which has run the migrations ${migrations.join(', ')}`);
  }
  return last;
}

async function putBlobs(archive: ArchiveReader, blobs: BlobStore): Promise<number> {
  let count = 0;
  for await (const entry of archive.entries()) {
    const sha256 = blobOf(entry.name);
    if (sha256 === undefined) continue;
    const source = Readable.from(archive.bytes(entry.content, entry.content + entry.size), { objectMode: false });
    const info = await blobs.put(source, entry.size);
    if (info?.sha256 !== sha256) throw archive.damaged(`blob ${sha256} has other bytes`);
    count += 1;
  }
  return count;
}

async function load(archive: ArchiveReader, storage: Storage, { tables, rows }: End): Promise<void> {
  let read = 0;
  async function* batches(): AsyncGenerator<RowBatch> {
    read = 0;
    for await (const entry of archive.entries()) {
      const table = tables.find(({ name }) => name === tableOf(entry.name));
      if (!table) continue;
      const lines = (await archive.text(entry)).split('\n').slice(0, -1);
      read += lines.length;
      // Safe: the checksum has shown that these are the bytes which a backup wrote.
      yield { table, rows: lines.map((line) => JSON.parse(line) as Cell[]) };
    }
    if (read !== rows) throw archive.damaged(`it has ${read} of ${rows} rows`);
  }
  const loaded = await loadRecords(storage, tables, batches);
  if (!loaded.ok) throw inUse(loaded.error);
}
