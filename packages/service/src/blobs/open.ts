import type { BlobStore } from './blob-store.ts';
import { diskBlobs } from './disk-blobs.ts';

/**
 * Opens the blobs named by `file:DIR`.
 *
 * @throws when the address has another form, or the folder cannot be used
 */
export async function openBlobs(url: string): Promise<BlobStore> {
  const folder = /^file:(.+)$/.exec(url)?.[1];
  if (folder === undefined) throw new Error(`Blob store "${url}" is not file:DIR`);
  return diskBlobs(folder);
}
