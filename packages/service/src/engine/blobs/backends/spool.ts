import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc16, crc16Initial } from '@moorage/base';
import { StorageError } from '../../stores/health.ts';
import type { BlobInfo, BlobSource } from '../blob-store.ts';
import { chunksOf } from '../chunks.ts';
import { hashFile } from './hasher.ts';

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at, chunk.length - at)).bytesWritten;
}

/** Up to here a file is hashed on its way; a larger one by a thread, from the system's memory of the file. */
const hashedOnTheWay = 512 * 1024;

/**
 * Writes a source to a file that is open for reading too; `undefined` when it is over the limit. While one chunk is
 * being written the next one comes; a third is not asked for.
 *
 * @param seal makes the file durable, while it is being hashed
 */
export async function receive(
  handle: FileHandle,
  source: BlobSource,
  maxBytes: number,
  seal: () => Promise<void> = async () => {},
): Promise<BlobInfo | undefined> {
  const hash = createHash('sha256');
  let size = 0;
  let crc = crc16Initial;
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const chunk of chunksOf(source)) {
      size += chunk.length;
      if (size > maxBytes) return undefined;
      if (size <= hashedOnTheWay) {
        hash.update(chunk);
        crc = crc16(chunk, crc);
      }
      await writing;
      writing = writeAll(handle, chunk);
      // It is waited for below; until then its failure must not end the process.
      writing.catch(() => {});
    }
  } finally {
    // The file is the caller's again when this returns, whether all went well or not.
    await writing;
  }
  const isHashed = size <= hashedOnTheWay;
  // Neither ends before the other: the file must stay open for both.
  const [sealed, hashed] = await Promise.allSettled([
    seal(),
    isHashed ? { sha256: hash.digest('hex'), crc } : hashFile(handle.fd, size),
  ]);
  for (const end of [sealed, hashed]) if (end.status === 'rejected') throw end.reason;
  return hashed.status === 'fulfilled' ? { ...hashed.value, size } : undefined;
}

/** Writes a source to a spool. Without room it is the folder for temporary files that is full, and not the store. */
export async function receiveIntoSpool(
  ...given: [handle: FileHandle, source: BlobSource, maxBytes: number]
): Promise<BlobInfo | undefined> {
  try {
    return await receive(...given);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOSPC') throw error;
    throw new StorageError({ kind: 'full', what: 'folder for temporary files' }, error.message, error);
  }
}

/** A file for what is on its way elsewhere. It has no name, so that nothing is left when the process is killed. */
export async function openSpool(): Promise<FileHandle> {
  const path = join(tmpdir(), `moorage-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
