import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../error-code.ts';
import type { Allocate, Store, StoreWriter } from '../store/store.ts';
import { makeFolder } from './folder.ts';
import { type DiskLock, lockFolder } from './lock.ts';
import { syncFolder } from './sync-folder.ts';

/** Bytes gathered before they go to the host's file. */
const writeBufferBytes = 64 * 1024;

/** Longest encoded name used as it is; most file systems allow 255 bytes. */
const maxEncodedBytes = 200;

const maxNameBytes = 200;

/** The flash holds private keys and passkeys: they are its owner's alone. */
const folderMode = 0o700;
const fileMode = 0o600;

/**
 * A store in a folder of the host: one file per name. A new content is written to a temporary file, synced, renamed
 * over the old one, and the folder synced; so a killed process leaves the old or the new one.
 *
 * Each file begins with its store name (one byte for the length, then the name): the file's own name is only an
 * encoding of it, cut short when it would get too long.
 */
export class DiskStore implements Store {
  readonly #folder: string;
  readonly #folderHandle: FileHandle;
  readonly #lock: DiskLock;
  readonly #names: Set<string>;
  #drafts = 0;
  /** Drafts that are neither published nor discarded. */
  readonly #open = new Set<Draft>();

  private constructor(folder: string, folderHandle: FileHandle, lock: DiskLock, names: Set<string>) {
    this.#folder = folder;
    this.#folderHandle = folderHandle;
    this.#lock = lock;
    this.#names = names;
  }

  /**
   * Opens a folder, made when it is missing, for this process alone, and clears away what a killed process left.
   *
   * @throws when another process has the folder, or the host refuses
   */
  static async open(folder: string): Promise<DiskStore> {
    makeFolder(folder, folderMode);
    const lock = await lockFolder(folder);
    if (!lock) throw new Error(`Flash folder "${folder}" is in use by another process`);
    try {
      const names = await sweep(folder);
      return new DiskStore(folder, await open(folder, 'r'), lock, names);
    } catch (cause) {
      await lock.release();
      throw cause;
    }
  }

  /** Gives the folder back; what is half written is left for the next start to clear away. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((draft) => draft.close()));
    await this.#folderHandle.close();
    await this.#lock.release();
  }

  async names(): Promise<readonly string[]> {
    return [...this.#names];
  }

  async read(
    name: string,
    start = 0,
    end?: number,
    allocate: Allocate = Buffer.allocUnsafeSlow,
  ): Promise<Uint8Array | undefined> {
    const file = this.#names.has(name) ? await openIfThere(this.#pathOf(name)) : undefined;
    if (!file) return undefined;
    try {
      const offset = envelope(name).length;
      // Who knows where to end needs no size; behind the end nothing is read.
      const to = end ?? (await file.stat()).size - offset;
      if (to <= start) return new Uint8Array();
      const bytes = allocate(to - start);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset + start);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  async create(name: string): Promise<StoreWriter> {
    const header = envelope(name);
    const path = join(this.#folder, `~${++this.#drafts}.tmp`);
    const draft = new Draft(await open(path, 'wx', fileMode));
    this.#open.add(draft);
    await draft.append(header);
    return {
      append: (chunk) => draft.append(chunk),
      publish: async () => {
        this.#open.delete(draft);
        try {
          await draft.finish();
          await rename(path, this.#pathOf(name));
        } catch (cause) {
          await clear(path);
          throw cause;
        }
        this.#names.add(name);
        await syncFolder(this.#folderHandle);
      },
      discard: async () => {
        this.#open.delete(draft);
        await draft.close().catch(() => {});
        await clear(path);
      },
    };
  }

  async remove(name: string): Promise<void> {
    if (!this.#names.has(name)) return;
    // Somebody may have removed it, or the whole folder.
    await rm(this.#pathOf(name), { force: true });
    this.#names.delete(name);
    await syncFolder(this.#folderHandle);
  }

  #pathOf(name: string): string {
    return join(this.#folder, encodeName(name));
  }
}

/** A temporary file on its way; small chunks are gathered. */
class Draft {
  readonly #file: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(writeBufferBytes);
  #buffered = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  append(chunk: Uint8Array): void | Promise<void> {
    if (this.#buffered + chunk.length > writeBufferBytes) return this.#overflow(chunk);
    this.#buffer.set(chunk, this.#buffered);
    this.#buffered += chunk.length;
  }

  async finish(): Promise<void> {
    try {
      await this.#flush();
      await this.#file.sync();
    } finally {
      await this.#file.close();
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #overflow(chunk: Uint8Array): Promise<void> {
    await this.#flush();
    if (chunk.length > writeBufferBytes) await this.#write(chunk);
    else await this.append(chunk);
  }

  async #flush(): Promise<void> {
    const length = this.#buffered;
    this.#buffered = 0;
    await this.#write(this.#buffer.subarray(0, length));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      written += (await this.#file.write(bytes, written)).bytesWritten;
    }
  }
}

/** Removes a draft, whose room others need; if that fails, the next start does it. */
const clear = (path: string): Promise<void> => rm(path, { force: true }).catch(() => {});

/** The file may go while it is asked for. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

/** Removes temporary files and reads the names of the others. */
async function sweep(folder: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (const fileName of await readdir(folder)) {
    if (fileName.startsWith('~')) {
      // Another process that tries for the lock clears its own draft away at the same time.
      if (fileName.endsWith('.tmp')) await rm(join(folder, fileName), { force: true });
      continue;
    }
    const name = await readName(join(folder, fileName));
    // A file that is not one of ours is left alone.
    if (name !== undefined && encodeName(name) === fileName) names.add(name);
  }
  return names;
}

async function readName(path: string): Promise<string | undefined> {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(1 + maxNameBytes);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    const length = bytes[0] ?? 0;
    return bytesRead > length ? bytes.toString('utf8', 1, 1 + length) : undefined;
  } finally {
    await file.close();
  }
}

function envelope(name: string): Uint8Array {
  const bytes = Buffer.from(name, 'utf8');
  if (bytes.length > maxNameBytes) throw new Error(`Store name "${name}" is longer than ${maxNameBytes} bytes`);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

/** Names of devices, which Windows has in every folder, and a dot at the end, which it drops. */
const takenOnWindows = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)|\.$/g;
const encodeLetters = (text: string): string =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');

/**
 * A file name for any text. Capital letters are encoded too: some hosts ignore case. A name that
 * gets too long ends in its hash instead.
 */
export function encodeName(name: string, platform: NodeJS.Platform = process.platform): string {
  if (name === '') return '%';
  const plain = [...Buffer.from(name, 'utf8')].map(encodeByte).join('');
  const encoded = platform === 'win32' ? plain.replace(takenOnWindows, encodeLetters) : plain;
  if (encoded.length <= maxEncodedBytes) return encoded;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 40);
  return `${encoded.slice(0, maxEncodedBytes - 50)}~${hash}`;
}

/** A dot at the beginning would make a hidden file, or name a folder. */
function encodeByte(byte: number, index: number): string {
  const letter = String.fromCharCode(byte);
  const plain = index === 0 ? /[a-z0-9_-]/ : /[a-z0-9_.-]/;
  return plain.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
}
