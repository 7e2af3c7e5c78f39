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

/**
 * A store that lives as long as its process.
 *
 * A content that comes in one piece with a buffer of its own is kept as it is, so boards that write the same bytes
 * share them. For tests of cuts it loses its power at a chosen operation: every call from there on rejects, and
 * `survivor` has what a restarted board would find.
 */
export class MemoryStore implements Store {
  readonly #contents: Map<string, Uint8Array>;
  readonly #cut: PowerCut | undefined;
  #operations = 0;

  constructor(options: { readonly cut?: PowerCut; readonly contents?: ReadonlyMap<string, Uint8Array> } = {}) {
    this.#contents = new Map(options.contents);
    this.#cut = options.cut;
  }

  /** Calls so far, those of writers too. */
  get operations(): number {
    return this.#operations;
  }

  /** The store as it is after the power has come back; may lose it again. */
  survivor(cut?: PowerCut): MemoryStore {
    return new MemoryStore({ contents: this.#contents, ...(cut ? { cut } : {}) });
  }

  names(): Promise<readonly string[]> {
    return this.#do(() => [...this.#contents.keys()]);
  }

  read(name: string, start = 0, end?: number): Promise<Uint8Array | undefined> {
    return this.#do(() => this.#contents.get(name)?.subarray(start, end));
  }

  create(name: string): Promise<StoreWriter> {
    return this.#do(() => {
      const content = new ByteCollector();
      return {
        // No promise when nothing is to be waited for: thousands of chunks come this way.
        append: (chunk) => (this.#cut ? this.#do(() => content.add(chunk)) : content.add(chunk)),
        publish: () => this.#do(() => void this.#contents.set(name, content.take())),
        discard: () => this.#do(() => void content.take()),
      };
    });
  }

  remove(name: string): Promise<void> {
    return this.#do(() => void this.#contents.delete(name));
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

/** Joins chunks of any size; room grows by doubling, so a byte at a time costs no more than it must. */
class ByteCollector {
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  add(chunk: Uint8Array): void {
    if (this.#length === 0 && chunk.byteLength === chunk.buffer.byteLength) {
      this.#bytes = chunk;
      this.#length = chunk.length;
      return;
    }
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length || this.#length === this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** The joined bytes, without spare room. */
  take(): Uint8Array {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#length);
  }
}
