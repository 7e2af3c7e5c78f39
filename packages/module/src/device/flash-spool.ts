import type { Store } from '@moorage/base';
import { failure, type Result } from '@moorage/base';
import type { FileInfo, FileWriter, FlashError } from './flash.ts';

/** Where content waits whose size is not known yet. One at a time: commands run one after another. */
export const spoolName = 'spool';

/** How much is copied at a time, in bytes. */
const copyBytes = 64 * 1024;

/** Content on its way into the flash whose size shows only at its end. Exactly one of `finish` and `abandon` ends it. */
export interface Spool {
  /** Takes the next bytes; false when they are more than any area has room for. */
  append(chunk: Uint8Array): Promise<boolean>;
  /** Copies what came into the file that `create` begins. */
  finish(create: (size: number) => Promise<Result<FileWriter, FlashError>>): Promise<Result<FileInfo, FlashError>>;
  abandon(): Promise<void>;
}

/** A place for at most `maxBytes` of content, in the store behind the flash but outside its areas. */
export async function openSpool(store: Store, maxBytes: number): Promise<Spool> {
  const writer = await store.create(spoolName);
  let size = 0;
  return {
    async append(chunk) {
      size += chunk.length;
      if (size > maxBytes) return false;
      await writer.append(chunk);
      return true;
    },
    async finish(create) {
      await writer.publish();
      try {
        const created = await create(size);
        return created.ok ? await copy(store, size, created.value) : failure(created.error);
      } finally {
        await store.remove(spoolName);
      }
    },
    abandon: () => writer.discard(),
  };
}

async function copy(store: Store, size: number, file: FileWriter): Promise<Result<FileInfo, FlashError>> {
  try {
    for (let at = 0; at < size; at += copyBytes) {
      const bytes = await store.read(spoolName, at, Math.min(size, at + copyBytes));
      if (bytes) await file.append(bytes);
    }
  } catch (cause) {
    await file.abandon();
    throw cause;
  }
  return file.finish();
}
