import type { Allocate, Store, StoreWriter } from '@moorage/base';
import { crc16, crc16Initial, failure, type Result, success } from '@moorage/base';
import {
  type Area,
  type FactoryFile,
  type FileInfo,
  type FileWriter,
  type FlashError,
  type FlashLayout,
  fileFlags,
  fileTypes,
  isFileName,
  isProtectedType,
  type NewFile,
  unitBytes,
} from './flash.ts';
import { writeFactoryFiles } from './flash-factory.ts';
import {
  decodeEntry,
  encodeHeader,
  encodeTrailer,
  entryName,
  fileNameOf,
  headerBytes,
  sizeInHeader,
  trailerBytes,
} from './flash-format.ts';
import { openSpool, type Spool, spoolName } from './flash-spool.ts';
import { firstFit, freeUnits, type UnitRun, unitsFor } from './flash-units.ts';

/** What a file on its way has taken: no other may use its name and its units. */
interface Reservation extends UnitRun {
  readonly name: string;
  readonly area: Area;
}

/**
 * The flash file system: a flat set of named files in areas of 4 KiB units, over the board's store. Every change is
 * durable when its promise resolves, and each file is whole or absent at any time. Spec: MOD-FILE-durable.
 */
export class Flash {
  readonly #store: Store;
  readonly #layout: FlashLayout;
  readonly #files = new Map<string, FileInfo>();
  #hasBulk = true;
  /** Few at a time, mostly none. */
  #reserved: readonly Reservation[] = [];
  /** The last change that was begun; changes of the store and the index run one after another. */
  #changes: Promise<unknown> = Promise.resolve();

  private constructor(store: Store, layout: FlashLayout) {
    this.#store = store;
    this.#layout = layout;
  }

  /**
   * Reads the index. A blank store first gets the factory files; a boot that was cut is taken up again.
   *
   * @throws when the store fails
   */
  static async open(store: Store, layout: FlashLayout, factoryFiles: readonly FactoryFile[] = []): Promise<Flash> {
    const flash = new Flash(store, layout);
    const known = await writeFactoryFiles(store, factoryFiles);
    for (const storeName of await store.names()) {
      // A cut has left it there.
      if (storeName === spoolName) await store.remove(storeName);
      const name = fileNameOf(storeName);
      if (name === undefined) continue;
      const info = known.get(name) ?? (await readInfo(store, name));
      if (info) flash.#files.set(name, info);
      else await store.remove(storeName);
    }
    return flash;
  }

  /** Whether the chip of the bulk flash is selected; without it that area and its files are not there. */
  connectBulk(connected: boolean): void {
    this.#hasBulk = connected;
  }

  /** All valid files, in no order. */
  list(): readonly FileInfo[] {
    const files = [...this.#files.values()];
    return this.#hasBulk ? files : files.filter((file) => file.area !== 'b');
  }

  stat(name: string): FileInfo | undefined {
    const file = this.#files.get(name);
    return file && (this.#hasBulk || file.area !== 'b') ? file : undefined;
  }

  /** Allocation units of an area. */
  areaUnits(area: Area): number {
    return area === 'b' && !this.#hasBulk ? 0 : Math.floor(this.#layout.areaBytes[area] / unitBytes);
  }

  /** Free bytes of an area in whole units; the longest free run may be shorter. */
  free(area: Area): number {
    return freeUnits(this.#runs(area), this.areaUnits(area)) * unitBytes;
  }

  /**
   * Begins a file, in the area it names, that of the file it replaces, or else extended flash; nothing of it shows
   * before `finish`.
   *
   * A file that users make (flag `user`) may not be a program, and only a system file replaces a system file: `protected`.
   * Spec: MOD-FILE-life, MOD-FILE-limits.
   */
  async create(file: NewFile): Promise<Result<FileWriter, FlashError>> {
    const old = file.replace ? this.stat(file.name) : undefined;
    const area = file.area ?? old?.area ?? 'e';
    const refusal = this.#refusal(file, area);
    if (refusal) return failure(refusal);
    const unit = firstFit(this.#runs(area), this.areaUnits(area), file.size);
    if (unit === undefined) return failure('no-space');
    const reservation: Reservation = { name: file.name, area, unit, size: file.size };
    this.#reserved = [...this.#reserved, reservation];
    let writer: StoreWriter | undefined;
    try {
      writer = await this.#store.create(entryName(file.name));
      const info = { ...file, area, unit, flags: file.flags | fileFlags.valid };
      await writer.append(encodeHeader(info));
      return success(this.#writer(writer, info, reservation));
    } catch (cause) {
      this.#release(reservation);
      await writer?.discard();
      throw cause;
    }
  }

  /**
   * Begins a file as `create` does; one that names no area goes into bulk flash when there is no room where it would lie.
   * Every file that a user asks for is placed so. Reference: flash 3.3.
   */
  async place(file: NewFile): Promise<Result<FileWriter, FlashError>> {
    const writer = await this.create(file);
    const full = !writer.ok && writer.error === 'no-space' && file.area === undefined && this.areaUnits('b') > 0;
    return full ? this.create({ ...file, area: 'b' }) : writer;
  }

  /** Whether a file of that size would fit if all that users may write to were empty. */
  couldHold(size: number): boolean {
    return unitsFor(size) <= Math.max(this.areaUnits('e'), this.areaUnits('b'));
  }

  /** Takes content whose size is not known, no more than the emptiest area for users has room for. */
  spool(): Promise<Spool> {
    return openSpool(this.#store, Math.max(this.free('e'), this.free('b')));
  }

  #release(reservation: Reservation): void {
    this.#reserved = this.#reserved.filter((other) => other !== reservation);
  }

  #refusal(file: NewFile, area: Area): FlashError | undefined {
    if (!isFileName(file.name)) return 'bad-name';
    const byUser = (file.flags & fileFlags.user) !== 0;
    if (byUser && isProtectedType(file.type)) return 'protected';
    const old = this.#files.get(file.name);
    if (old && !file.replace) return 'exists';
    if (old && isSystemFile(old) && (byUser || !isSystemFile(file))) return 'protected';
    const begun = this.#reserved.some((reservation) => reservation.name === file.name);
    if (begun) return 'exists';
    // The file that this one replaces keeps its place until the new one is valid.
    if (!old && this.#runs(area).length >= this.#layout.maxFilesPerArea) return 'too-many-files';
    return undefined;
  }

  #writer(
    writer: StoreWriter,
    file: Omit<FileInfo, 'crc'> & { readonly crc?: number | undefined },
    reservation: Reservation,
  ): FileWriter {
    let crc = crc16Initial;
    let remaining = file.size;
    let spoilt = false;
    const release = (): void => this.#release(reservation);
    const abandon = async (): Promise<void> => {
      release();
      await writer.discard();
    };
    return {
      get remaining() {
        return remaining;
      },
      append(chunk) {
        spoilt ||= chunk.length > remaining;
        if (spoilt) return;
        remaining -= chunk.length;
        crc = crc16(chunk, crc);
        return writer.append(chunk);
      },
      finish: async () => {
        const incomplete = remaining > 0 ? 'incomplete' : undefined;
        const wrongCrc = file.crc !== undefined && file.crc !== crc ? 'crc' : undefined;
        const wrong = spoilt ? 'too-long' : (incomplete ?? wrongCrc);
        if (wrong) {
          await abandon();
          return failure(wrong);
        }
        try {
          await writer.append(encodeTrailer(crc));
        } catch (cause) {
          await abandon();
          throw cause;
        }
        const { name, size, version, area, type, flags, unit } = file;
        const info = { name, size, crc, version, area, type, flags, unit };
        return success(await this.#publish(writer, info).finally(release));
      },
      abandon,
    };
  }

  #publish(writer: StoreWriter, info: FileInfo): Promise<FileInfo> {
    return this.#change(async () => {
      await this.#changeEntry(info.name, writer.publish());
      this.#files.set(info.name, info);
      return info;
    });
  }

  /** A change of the store that has failed may have had its effect: the index follows what is there. */
  async #changeEntry(name: string, change: Promise<void>): Promise<void> {
    try {
      await change;
    } catch (cause) {
      // While nothing can be read the index stays as it is.
      const info = await readInfo(this.#store, name).catch(() => this.#files.get(name));
      if (info) this.#files.set(name, info);
      else this.#files.delete(name);
      throw cause;
    }
  }

  /**
   * Bytes `start` to `end` (exclusive) of exactly this file: `missing` once it was deleted or replaced.
   * The bytes may be shared: do not change them. Where they have to be copied, `allocate` gives the buffer.
   */
  async read(info: FileInfo, start: number, end: number, allocate?: Allocate): Promise<Result<Uint8Array, 'missing'>> {
    if (this.#files.get(info.name) !== info) return failure('missing');
    const from = headerBytes + Math.min(start, info.size);
    const bytes = await this.#store.read(entryName(info.name), from, headerBytes + Math.min(end, info.size), allocate);
    return bytes && this.#files.get(info.name) === info ? success(bytes) : failure('missing');
  }

  /** The whole content; `too-large` when it has more than `maxBytes`. The bytes may be shared: do not change them. */
  async readAll(name: string, maxBytes: number): Promise<Result<Uint8Array, 'missing' | 'too-large'>> {
    const info = this.stat(name);
    if (!info) return failure('missing');
    if (info.size > maxBytes) return failure('too-large');
    return this.read(info, 0, info.size);
  }

  /** Deletes a file. Programs and system files are `protected` unless it is forced, as updates may. */
  remove(name: string, options: { readonly force?: boolean } = {}): Promise<Result<void, 'missing' | 'protected'>> {
    return this.#change(async () => {
      const info = this.stat(name);
      if (!info) return failure('missing');
      if (!options.force && isSystemFile(info)) return failure('protected');
      await this.#changeEntry(name, this.#store.remove(entryName(name)));
      this.#files.delete(name);
      return success(undefined);
    });
  }

  /**
   * Deletes all files of an area but the radio firmware, which survives in extended flash. A cut leaves each file
   * whole or absent. Spec: MOD-CMD-format_flash.
   */
  format(area: 'e' | 'b'): Promise<void> {
    return this.#change(async () => {
      for (const info of this.list()) {
        if (info.area !== area || info.type === fileTypes.radioFirmware) continue;
        await this.#changeEntry(info.name, this.#store.remove(entryName(info.name)));
        this.#files.delete(info.name);
      }
    });
  }

  #runs(area: Area): readonly (UnitRun & { readonly name: string })[] {
    return [...this.#files.values(), ...this.#reserved].filter((run) => run.area === area);
  }

  #change<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#changes.then(task, task);
    this.#changes = done;
    return done;
  }
}

/** Files that users may neither delete nor replace. Spec: MOD-FILE-types, MOD-FILE-flag-bits. */
const isSystemFile = (info: Pick<FileInfo, 'type' | 'flags'>): boolean =>
  isProtectedType(info.type) || (info.flags & fileFlags.system) !== 0;

/** The index entry of a stored file; `undefined` when what is there is no complete file. */
async function readInfo(store: Store, name: string): Promise<FileInfo | undefined> {
  const header = await store.read(entryName(name), 0, headerBytes);
  if (!header) return undefined;
  const end = headerBytes + sizeInHeader(header);
  const trailer = await store.read(entryName(name), end, end + trailerBytes);
  return trailer && decodeEntry(name, header, trailer);
}
