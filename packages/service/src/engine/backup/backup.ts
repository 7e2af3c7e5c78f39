import { createHash } from 'node:crypto';
import type { Clock } from '@moorage/base';
import type { BlobStore, OpenBlob } from '../blobs/blob-store.ts';
import { openSnapshot } from '../db/open-snapshot.ts';
import type { Snapshot, TableShape } from '../db/snapshot.ts';
import { ArchiveWriter, partialName } from './archive-file.ts';
import { BackupError, blobName, type End, endName, formatVersion, type Head, headName, recordsName } from './format.ts';

const copyBytes = 256 * 1024;
/** Rows are gathered into entries of about this size. */
const chunkBytes = 1024 * 1024;
/** Snapshots that are taken before it is given up to find all blobs of one. */
const snapshotLimit = 5;

/** What a backup or a restore has carried. */
export interface Carried {
  readonly rows: number;
  readonly blobs: number;
  /** Of the archive. */
  readonly bytes: number;
}

export interface BackupOptions {
  /** Address of the records. */
  readonly database: string;
  readonly blobs: BlobStore;
  /** The archive, where there must be nothing yet. */
  readonly file: string;
  readonly version: string;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Writes one archive of the records as they were at one moment, and of every blob that they know. The service may
 * run and write meanwhile; the archive has its name only once it is whole and durable.
 *
 * @throws {BackupError} when the file exists, a blob is damaged, or the storage cannot be read
 */
export async function backUp({ database, blobs, file, version, clock }: BackupOptions): Promise<Carried> {
  const archive = await ArchiveWriter.create(file, clock.now());
  try {
    await addJson(archive, headName, { format: formatVersion, created_at: clock.now(), version } satisfies Head);
    const kept = new Set<string>();
    const snapshot = await snapshotWithBlobs(database, partialName(file, 'records'), blobs, archive, kept);
    try {
      const rows = await addRecords(archive, snapshot);
      const { kind, migrations, tables } = snapshot;
      const end: End = { database: kind, migrations, tables, rows, blobs: kept.size, sha256: archive.digest() };
      await addJson(archive, endName, end);
      await archive.finish();
      return { rows, blobs: kept.size, bytes: archive.bytes };
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    await archive.abandon();
    throw error;
  }
}

/**
 * A snapshot whose blobs are all in the archive. A blob that has gone since the snapshot was taken was forgotten with
 * its records; a later snapshot does without it, and what is in the archive already stays there.
 */
async function snapshotWithBlobs(
  database: string,
  scratch: string,
  blobs: BlobStore,
  archive: ArchiveWriter,
  kept: Set<string>,
): Promise<Snapshot> {
  for (let attempt = 1; ; attempt++) {
    const snapshot = await openSnapshot(database, scratch);
    try {
      const gone = await addBlobs(archive, snapshot, blobs, kept);
      if (gone === undefined) return snapshot;
      if (attempt === snapshotLimit) throw new BackupError(`Blob ${gone} is recorded, but not in the blob store`);
    } catch (error) {
      await snapshot.close();
      throw error;
    }
    await snapshot.close();
  }
}

/** Adds the blobs of a snapshot that the archive does not have; returns one that is not there. */
async function addBlobs(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  blobs: BlobStore,
  kept: Set<string>,
): Promise<string | undefined> {
  const table = snapshot.tables.find(({ name }) => name === 'blobs');
  const column = table?.columns.indexOf('sha256') ?? -1;
  if (!table || column < 0) throw new BackupError('The records have no table of blobs');
  for await (const batch of snapshot.rows(table)) {
    for (const row of batch) {
      const sha256 = String(row[column]);
      if (kept.has(sha256)) continue;
      const blob = await blobs.open(sha256);
      if (!blob) return sha256;
      try {
        await archive.add({ name: blobName(sha256), size: blob.size }, checkedBytes(blob, sha256));
      } finally {
        await blob.close();
      }
      kept.add(sha256);
    }
  }
  return undefined;
}

/** The bytes of a blob; throws at their end when they are not those of its name. */
async function* checkedBytes(blob: OpenBlob, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(copyBytes, Math.max(1, blob.size)));
  for (let at = 0; at < blob.size; ) {
    const count = await blob.read(buffer, at);
    if (count === 0) break;
    at += count;
    const chunk = buffer.subarray(0, count);
    hash.update(chunk);
    // The writer is done with a chunk before it asks for the next.
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw new BackupError(`Blob ${sha256} is damaged in the blob store`);
}

/** Adds all rows, table by table; returns how many. */
async function addRecords(archive: ArchiveWriter, snapshot: Snapshot): Promise<number> {
  let rows = 0;
  for (const table of snapshot.tables) {
    let number = 0;
    for await (const { text, count } of chunksOfRows(snapshot, table)) {
      const bytes = Buffer.from(text);
      await archive.add({ name: recordsName(table.name, number++), size: bytes.length }, [bytes]);
      rows += count;
    }
  }
  return rows;
}

async function* chunksOfRows(
  snapshot: Snapshot,
  table: TableShape,
): AsyncGenerator<{ readonly text: string; readonly count: number }> {
  let text = '';
  let count = 0;
  for await (const batch of snapshot.rows(table)) {
    for (const row of batch) text += `${JSON.stringify(row)}\n`;
    count += batch.length;
    if (text.length < chunkBytes) continue;
    yield { text, count };
    text = '';
    count = 0;
  }
  if (count > 0) yield { text, count };
}

function addJson(archive: ArchiveWriter, name: string, value: Head | End): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
  return archive.add({ name, size: bytes.length }, [bytes]);
}
