import { crc16, crc16Initial, failure, type Result, type Store, success, Turns, writeEntry } from '@moorage/base';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import type { DeviceFile, DeviceFiles, FileWriter, NewFile } from './ports.ts';

/** Most files of a device. */
const maxFiles = 1_000;

const part = Type.Integer({ minimum: 0, maximum: 65_535 });

const Entry = Type.Object({
  name: Type.String(),
  /** Bytes. */
  size: Type.Integer({ minimum: 0 }),
  crc: part,
  version: Type.Tuple([part, part, part, part]),
  isSecret: Type.Boolean(),
  /** Number of the content in the store. */
  content: Type.Integer({ minimum: 0 }),
});
type Entry = Static<typeof Entry>;

const Index = Type.Array(Entry, { maxItems: maxFiles });

const indexName = 'files';
const contentPrefix = 'content/';
const contentName = (content: number): string => contentPrefix + content;

/**
 * Files over a store, for a program that has no flash of its own: an index in one entry, each content in another. A
 * content is written first and named by the index afterwards, so a cut leaves each file whole or absent; what no index
 * names is removed at the next `open`.
 */
export class StoreFiles implements DeviceFiles {
  readonly #store: Store;
  #entries: ReadonlyMap<string, Entry>;
  #contents: number;
  readonly #turns = new Turns();

  private constructor(store: Store, entries: readonly Entry[]) {
    this.#store = store;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    this.#contents = Math.max(0, ...entries.map(({ content }) => content));
  }

  /** @throws when the store fails */
  static async open(store: Store): Promise<StoreFiles> {
    const entries = parseIndex(await store.read(indexName));
    const named = new Set(entries.map(({ content }) => contentName(content)));
    for (const name of await store.names()) {
      if (name.startsWith(contentPrefix) && !named.has(name)) await store.remove(name);
    }
    return new StoreFiles(store, entries);
  }

  list(): readonly DeviceFile[] {
    return [...this.#entries.values()];
  }

  stat(name: string): DeviceFile | undefined {
    return this.#entries.get(name);
  }

  async create(file: NewFile): Promise<Result<FileWriter, string>> {
    if (this.#entries.size >= maxFiles && !this.#entries.has(file.name)) return failure('too-many-files');
    const content = ++this.#contents;
    const writer = await this.#store.create(contentName(content));
    let crc = crc16Initial;
    let size = 0;
    return success({
      append(chunk) {
        size += chunk.length;
        crc = crc16(chunk, crc);
        return size > file.size ? undefined : writer.append(chunk);
      },
      finish: async () => {
        const wrong =
          size !== file.size ? 'incomplete' : file.crc !== undefined && file.crc !== crc ? 'crc' : undefined;
        if (wrong) {
          await writer.discard();
          return failure(wrong);
        }
        await writer.publish();
        const { name, version, purpose } = file;
        const isSecret = purpose === 'identity';
        return success(await this.#put(name, { name, size, crc, version: [...version], isSecret, content }));
      },
      abandon: () => writer.discard(),
    });
  }

  async readAll(name: string, maxBytes: number): Promise<Result<Uint8Array, 'missing' | 'too-large'>> {
    const entry = this.#entries.get(name);
    if (entry && entry.size > maxBytes) return failure('too-large');
    const bytes = entry && (await this.#store.read(contentName(entry.content)));
    return bytes ? success(bytes) : failure('missing');
  }

  /** Bytes `start` to `end` (exclusive) of a file, fewer where it ends before; empty when it is missing. */
  async read(name: string, start: number, end: number): Promise<Uint8Array> {
    const entry = this.#entries.get(name);
    return (entry && (await this.#store.read(contentName(entry.content), start, end))) ?? new Uint8Array();
  }

  async remove(name: string): Promise<void> {
    if (this.#entries.has(name)) await this.#put(name, undefined);
  }

  /** Names a content in the index, or takes a name out of it; the older content goes then. */
  #put(name: string, entry: Entry | undefined): Promise<void> {
    return this.#turns.run(async () => {
      const old = this.#entries.get(name);
      const entries = new Map(this.#entries);
      if (entry) entries.set(name, entry);
      else entries.delete(name);
      await writeEntry(this.#store, indexName, Buffer.from(JSON.stringify([...entries.values()])));
      this.#entries = entries;
      if (old) await this.#store.remove(contentName(old.content));
    });
  }
}

/** Empty for what this code has not written: a device boots whatever its memory holds. */
function parseIndex(bytes: Uint8Array | undefined): readonly Entry[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes ?? []).toString());
    return Value.Check(Index, value) ? value : [];
  } catch {
    return [];
  }
}
