import { crc16 } from '../crc16.ts';
import type { Store, StoreWriter } from './store.ts';

/** What a call gets after the power has gone. */
export class PowerLost extends Error {
  constructor() {
    super('The store has lost its power');
    this.name = 'PowerLost';
  }
}

/** When the power goes: during the call with this number, counted from 0, before or after its effect. */
export interface PowerCut {
  readonly atOperation: number;
  readonly effect: 'lost' | 'kept';
}

/** A content from here on is worth looking for among those of the other stores, in bytes. */
const sharedFromBytes = 2 * 1024;

/** Contents that many stores have, each kept once: the same firmware on a thousand boards. */
export class SharedContents {
  readonly #known = new Map<string, Uint8Array[]>();

  /** The bytes that others have already, or these. */
  share(bytes: Uint8Array): Uint8Array {
    if (bytes.length < sharedFromBytes) return bytes;
    const key = `${bytes.length} ${crc16(bytes)}`;
    const alike = this.#known.get(key) ?? [];
    const known = alike.find((other) => Buffer.compare(other, bytes) === 0);
    if (known) return known;
    this.#known.set(key, [...alike, bytes]);
    return bytes;
  }
}

/**
 * A store that lives as long as its process.
 *
 * A content that comes in one piece with a buffer of its own is kept as it is, so boards that write the same bytes
 * share them. For tests of cuts it loses its power at a chosen operation: every call from there on rejects, and
 * `survivor` has what a restarted board would find.
 */
export class MemoryStore implements Store {
  readonly #contents: Map<string, Uint8Array | ByteCollector>;
  readonly #cut: PowerCut | undefined;
  readonly #shared: SharedContents | undefined;
  #operations = 0;

  constructor(
    options: {
      readonly cut?: PowerCut;
      readonly contents?: ReadonlyMap<string, Uint8Array | ByteCollector>;
      readonly shared?: SharedContents;
    } = {},
  ) {
    this.#contents = new Map(options.contents);
    this.#cut = options.cut;
    this.#shared = options.shared;
  }

  /** Calls so far, those of writers too. */
  get operations(): number {
    return this.#operations;
  }

  /** The store as it is after the power has come back; may lose it again. */
  survivor(cut?: PowerCut): MemoryStore {
    return new MemoryStore({
      contents: this.#contents,
      ...(cut ? { cut } : {}),
      ...(this.#shared && { shared: this.#shared }),
    });
  }

  names(): Promise<readonly string[]> {
    return this.#do(() => [...this.#contents.keys()]);
  }

  read(name: string, start = 0, end?: number): Promise<Uint8Array | undefined> {
    return this.#do(() => this.#joined(name)?.subarray(start, end));
  }

  create(name: string): Promise<StoreWriter> {
    return this.#do(() => {
      const content = new ByteCollector();
      return {
        // No promise when nothing is to be waited for: thousands of chunks come this way.
        append: (chunk) => (this.#cut ? this.#do(() => content.add(chunk)) : content.add(chunk)),
        publish: () => this.#do(() => void this.#contents.set(name, this.#kept(content))),
        discard: () => this.#do(() => void content.take()),
      };
    });
  }

  remove(name: string): Promise<void> {
    return this.#do(() => void this.#contents.delete(name));
  }

  #kept(content: ByteCollector): Uint8Array | ByteCollector {
    if (this.#shared) return this.#shared.share(content.take());
    return content.isWhole ? content.take() : content;
  }

  #joined(name: string): Uint8Array | undefined {
    const content = this.#contents.get(name);
    if (!(content instanceof ByteCollector)) return content;
    const bytes = content.take();
    this.#contents.set(name, bytes);
    return bytes;
  }

  async #do<T>(operation: () => T): Promise<T> {
    const number = this.#operations++;
    const cut = this.#cut;
    if (cut && (number > cut.atOperation || (number === cut.atOperation && cut.effect === 'lost'))) {
      throw new PowerLost();
    }
    const result = operation();
    if (number === cut?.atOperation) throw new PowerLost();
    return result;
  }
}

/** A chunk from here on is kept as it came, if its buffer holds little else; smaller ones are joined. In bytes. */
const keptChunkBytes = 16 * 1024;

/**
 * A content as it comes. Large chunks stay as they are until they are read, so that taking a file in costs no
 * second copy of it; small ones are joined in room that grows by doubling.
 */
class ByteCollector {
  readonly #whole: Uint8Array[] = [];
  #small: Uint8Array = noBytes;
  #smallBytes = 0;

  add(chunk: Uint8Array): void {
    const fills = 2 * chunk.length >= chunk.buffer.byteLength;
    const alone = chunk.byteLength === chunk.buffer.byteLength && this.#whole.length === 0 && this.#smallBytes === 0;
    if ((fills && chunk.length >= keptChunkBytes) || alone) {
      this.#endSmall();
      this.#whole.push(chunk);
    } else {
      this.#join(chunk);
    }
  }

  /** It is in one piece already. */
  get isWhole(): boolean {
    return this.#whole.length + Math.min(this.#smallBytes, 1) < 2;
  }

  /** The bytes in one piece, without spare room. */
  take(): Uint8Array {
    this.#endSmall();
    const [first = noBytes] = this.#whole;
    const joined = this.#whole.length > 1 ? joinBytes(this.#whole) : first;
    this.#whole.splice(0, this.#whole.length, joined);
    return joined;
  }

  #join(chunk: Uint8Array): void {
    const length = this.#smallBytes + chunk.length;
    if (length > this.#small.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#small.length));
      grown.set(this.#small.subarray(0, this.#smallBytes));
      this.#small = grown;
    }
    this.#small.set(chunk, this.#smallBytes);
    this.#smallBytes = length;
  }

  #endSmall(): void {
    if (this.#smallBytes > 0) this.#whole.push(this.#small.slice(0, this.#smallBytes));
    this.#small = noBytes;
    this.#smallBytes = 0;
  }
}

const noBytes = new Uint8Array();

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
