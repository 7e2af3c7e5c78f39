import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '@moorage/base/disk/sync-folder';
import { isRunning } from '../blobs/running.ts';
import { BackupError } from './format.ts';

/** Readable by its owner alone: a backup holds every secret of the service. */
const fileMode = 0o600;
const copyBytes = 256 * 1024;

/** An archive on its way: it has its name only once it is whole. */
export class ArchiveWriter {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #part: string;
  readonly #atMs: number;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  private constructor(handle: FileHandle, path: string, part: string, atMs: number) {
    this.#handle = handle;
    this.#path = path;
    this.#part = part;
    this.#atMs = atMs;
  }

  /** Begins an archive at `path`, where there must be nothing yet. */
  static async create(path: string, atMs: number): Promise<ArchiveWriter> {
    if (await stat(path).catch(() => undefined)) throw new BackupError(`File "${path}" exists already`);
    await sweepLeftovers(path).catch((error: unknown) => {
      throw new BackupError(`File "${path}" cannot be written: ${(error as Error).message}`, { cause: error });
    });
    const part = partialName(path, 'archive');
    const handle = await open(part, 'w', fileMode).catch((error: unknown) => {
      throw new BackupError(`File "${path}" cannot be written: ${(error as Error).message}`, { cause: error });
    });
    return new ArchiveWriter(handle, path, part, atMs);
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** SHA-256 of the bytes so far, hex. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Writes one entry, whose content must be of the size that it says. */
  async add(entry: TarEntry, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    await this.#write(tarHeader(entry, this.#atMs));
    let left = entry.size;
    for await (const chunk of content) {
      left -= chunk.length;
      await this.#write(chunk);
    }
    if (left !== 0) throw new BackupError(`"${entry.name}" is not of the ${entry.size} bytes that it should have`);
    await this.#write(Buffer.alloc(paddingOf(entry.size)));
  }

  /** Ends the archive; resolves when it is durable under its name. */
  async finish(): Promise<void> {
    await this.#write(tarEnd());
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.#part, this.#path);
    const folder = await open(dirname(this.#path), 'r');
    await syncFolder(folder).finally(() => folder.close());
  }

  /** Gives up, leaving nothing. */
  async abandon(): Promise<void> {
    await this.#handle.close();
    await rm(this.#part, { force: true });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      at += (await this.#handle.write(bytes, at, bytes.length - at)).bytesWritten;
    }
  }
}

/** An entry of an archive, and where its header and content begin. */
export interface PlacedEntry extends TarEntry {
  readonly header: number;
  readonly content: number;
}

/** An archive to read. */
export class ArchiveReader {
  readonly #handle: FileHandle;
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  static async open(path: string): Promise<ArchiveReader> {
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw new BackupError(`File "${path}" cannot be read: ${(error as Error).message}`, { cause: error });
    });
    return new ArchiveReader(handle, path);
  }

  /** All entries in their order. Throws where there is something else, or the file ends early. */
  async *entries(): AsyncGenerator<PlacedEntry> {
    const header = Buffer.alloc(blockBytes);
    for (let at = 0; ; ) {
      const { bytesRead } = await this.#handle.read(header, 0, blockBytes, at);
      if (bytesRead === blockBytes && header.every((byte) => byte === 0)) return;
      const entry = bytesRead === blockBytes ? readTarHeader(header) : undefined;
      if (!entry) throw this.damaged(`there is no entry at byte ${at}`);
      const content = at + blockBytes;
      yield { ...entry, header: at, content };
      at = content + entry.size + paddingOf(entry.size);
    }
  }

  /** The bytes from `start` up to `end`, in chunks. */
  async *bytes(start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end; ) {
      const chunk = Buffer.allocUnsafe(Math.min(copyBytes, end - at));
      const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) throw this.damaged(`it ends at byte ${at}`);
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }

  /** The whole content of an entry that is small. */
  async text({ content, size }: PlacedEntry): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.bytes(content, content + size)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  damaged(detail: string): BackupError {
    return new BackupError(`File "${this.#path}" is not a whole backup: ${detail}`);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

const kinds = ['archive', 'records'] as const;

/** A file beside an archive that is being made: whose it is and what it is for is in its name. */
export const partialName = (path: string, kind: (typeof kinds)[number]): string =>
  join(dirname(path), `.${basename(path)}.${process.pid}.moorage-${kind}`);

/** SQLite puts further files beside the copy of the records. */
const pattern = new RegExp(`^\\..+\\.(\\d+)\\.moorage-(?:${kinds.join('|')})(?:-wal|-shm|-journal)?$`);

/** Removes what backups into this folder have left that were killed. They can be as large as the storage. */
export async function sweepLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    const pid = pattern.exec(name)?.[1];
    if (pid === undefined || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    await rm(join(folder, name), { force: true });
  }
}

/** Every entry begins on a multiple of this, after a header of this size. */
export const blockBytes = 512;

/** What eleven octal digits can say. */
const entryLimitBytes = 8 ** 11 - 1;
const nameLimitBytes = 100;

/** Where the fields of a header are: first byte and length (POSIX ustar). */
const fields = {
  name: [0, nameLimitBytes],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const;

const octal = (value: number, [, length]: readonly [number, number]): string =>
  `${value.toString(8).padStart(length - 1, '0')}\0`;

/** The sum of all bytes of a header, with its own field taken as blanks. */
function checksumOf(header: Uint8Array): number {
  const [start, length] = fields.checksum;
  return header.reduce((sum, byte, at) => sum + (at >= start && at < start + length ? 0x20 : byte), 0);
}

/** Bytes after an entry's content, up to the next header. */
export const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes;

export interface TarEntry {
  readonly name: string;
  /** Bytes of the content. */
  readonly size: number;
}

/** The header of a plain file that only its owner may read. */
export function tarHeader({ name, size }: TarEntry, atMs: number): Uint8Array {
  if (Buffer.byteLength(name) > nameLimitBytes) throw new Error(`Name "${name}" is too long for an archive`);
  if (size > entryLimitBytes) throw new Error(`"${name}" has ${size} bytes, over the limit of ${entryLimitBytes}`);
  const header = Buffer.alloc(blockBytes);
  const put = (text: string, [start]: readonly [number, number]) => header.write(text, start, 'latin1');
  put(name, fields.name);
  put(octal(0o600, fields.mode), fields.mode);
  put(octal(0, fields.uid), fields.uid);
  put(octal(0, fields.gid), fields.gid);
  put(octal(size, fields.size), fields.size);
  put(octal(Math.floor(atMs / 1000), fields.mtime), fields.mtime);
  put('0', fields.type);
  put('ustar\x0000', fields.magic);
  put(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, fields.checksum);
  return header;
}

/** Two empty blocks end an archive. */
export const tarEnd = (): Uint8Array => Buffer.alloc(2 * blockBytes);

/** Reads a header; `undefined` when these bytes are none. */
export function readTarHeader(header: Uint8Array): TarEntry | undefined {
  const text = Buffer.from(header.buffer, header.byteOffset, header.byteLength).toString('latin1');
  const field = ([start, length]: readonly [number, number]): string =>
    text.slice(start, start + length).replace(/[\0 ].*$/s, '');
  const [size, checksum] = [field(fields.size), field(fields.checksum)];
  if (header.length !== blockBytes || !text.startsWith('ustar', fields.magic[0])) return undefined;
  if (!/^[0-7]+$/.test(size) || Number.parseInt(checksum, 8) !== checksumOf(header)) return undefined;
  return { name: field(fields.name), size: Number.parseInt(size, 8) };
}
