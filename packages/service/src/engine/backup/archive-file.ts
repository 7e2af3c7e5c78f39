import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '@moorage/base/disk/sync-folder';
import { BackupError } from './format.ts';
import { partialName, sweepLeftovers } from './leftovers.ts';
import { blockBytes, paddingOf, readTarHeader, type TarEntry, tarEnd, tarHeader } from './tar.ts';

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
