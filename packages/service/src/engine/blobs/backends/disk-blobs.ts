import { randomUUID } from 'node:crypto';
import { close, fstat, open, read } from 'node:fs';
import { mkdir, open as openHandle, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '@moorage/base/disk/folder';
import { syncFolder } from '@moorage/base/disk/sync-folder';
import type { BlobInfo, BlobSource, BlobStore, OpenBlob } from '../blob-store.ts';
import { isRunning } from '../running.ts';
import { receive } from './spool.ts';

const openFile = promisify(open);
const statFile = promisify(fstat);
const closeFile = promisify(close);

/** Names of blobs; anything else in the folders is not ours. */
const namePattern = /^[0-9a-f]{64}$/;

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Makes the names in a folder durable. */
async function syncNames(folder: string): Promise<void> {
  const handle = await openHandle(folder, 'r');
  try {
    await syncFolder(handle);
  } finally {
    await handle.close();
  }
}

class DiskBlob implements OpenBlob {
  readonly size: number;
  readonly #fd: number;
  #closed = false;

  constructor(fd: number, size: number) {
    this.#fd = fd;
    this.size = size;
  }

  read(buffer: Uint8Array, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      read(this.#fd, buffer, 0, buffer.length, position, (error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await closeFile(this.#fd);
  }
}

/** The service says who may read a file, not the host. */
const folderMode = 0o700;
const fileMode = 0o600;

class DiskBlobs implements BlobStore {
  readonly #folder: string;
  /** Uploads on their way in, and files on their way out. */
  readonly #passage: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#passage = join(folder, 'tmp');
  }

  async init(): Promise<void> {
    // Each process has its own passage: what it finds there at its start has no owner any more.
    makeFolder(this.#passage, folderMode);
    await this.#sweep();
  }

  /** Removes what processes that are gone have left on the way. */
  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#passage)) {
      const owner = Number(/^(\d+)-/.exec(name)?.[1]);
      if (owner !== process.pid && isRunning(owner)) continue;
      await rm(join(this.#passage, name), { force: true });
    }
  }

  #parts(sha256: string): { readonly outer: string; readonly inner: string; readonly path: string } {
    if (!namePattern.test(sha256)) throw new Error(`"${sha256}" is not the name of a blob`);
    const outer = join(this.#folder, sha256.slice(0, 2));
    const inner = join(outer, sha256.slice(2, 4));
    return { outer, inner, path: join(inner, sha256) };
  }

  #passageName(): string {
    return join(this.#passage, `${process.pid}-${randomUUID()}`);
  }

  async put(source: BlobSource, maxBytes: number): Promise<BlobInfo | undefined> {
    const name = this.#passageName();
    try {
      const handle = await openHandle(name, 'wx+', fileMode);
      let info: BlobInfo | undefined;
      try {
        info = await receive(handle, source, maxBytes, () => handle.sync());
      } finally {
        await handle.close();
      }
      if (info) await this.#place(name, info.sha256);
      return info;
    } finally {
      await rm(name, { force: true });
    }
  }

  /**
   * Gives a complete file its name. A file that was there already is replaced: the new time stamp keeps the garbage
   * collection away until the blob is recorded.
   */
  async #place(name: string, sha256: string): Promise<void> {
    const { outer, inner, path } = this.#parts(sha256);
    const made = await mkdir(inner, { recursive: true, mode: folderMode });
    await rename(name, path);
    await syncNames(inner);
    if (made === undefined) return;
    await syncNames(outer);
    await syncNames(this.#folder);
  }

  async open(sha256: string): Promise<OpenBlob | undefined> {
    try {
      const fd = await openFile(this.#parts(sha256).path, 'r');
      try {
        return new DiskBlob(fd, (await statFile(fd)).size);
      } catch (error) {
        await closeFile(fd);
        throw error;
      }
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async remove(sha256: string, storedBeforeMs = Number.POSITIVE_INFINITY): Promise<void> {
    const { path } = this.#parts(sha256);
    const aside = this.#passageName();
    try {
      // Looking at the time only after the file was moved aside leaves no gap in which a new one could come.
      await rename(path, aside);
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    if ((await stat(aside)).mtimeMs >= storedBeforeMs) await rename(aside, path);
    else await rm(aside, { force: true });
  }

  async check(): Promise<void> {
    const name = this.#passageName();
    try {
      const handle = await openHandle(name, 'wx');
      try {
        await handle.write(Buffer.from('ready'));
      } finally {
        await handle.close();
      }
    } finally {
      await rm(name, { force: true });
    }
  }

  async *list(): AsyncGenerator<{ sha256: string; storedAtMs: number }> {
    for (const outer of await readdir(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(outer)) continue;
      for (const inner of await readdir(join(this.#folder, outer))) {
        for (const sha256 of await readdir(join(this.#folder, outer, inner))) {
          const found = await stat(join(this.#folder, outer, inner, sha256)).catch(() => undefined);
          if (found && namePattern.test(sha256)) yield { sha256, storedAtMs: found.mtimeMs };
        }
      }
    }
  }
}

/**
 * Opens a store of content-addressed files in `folder`: written under a temporary name, synced, renamed, and the
 * folder synced, so that a blob is either whole or absent after a crash. What earlier processes left half-way is swept.
 */
export async function diskBlobs(folder: string): Promise<BlobStore> {
  const store = new DiskBlobs(resolve(folder));
  await store.init();
  return store;
}
