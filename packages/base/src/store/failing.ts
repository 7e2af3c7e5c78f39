import type { Allocate, Store, StoreWriter } from './store.ts';

/** Which calls of a store fail: from the one with this number on, counted from 0, so many, before or after their effect. */
export interface StoreFault {
  readonly at: number;
  readonly calls: number;
  readonly code: string;
  readonly effect: 'lost' | 'kept';
}

/** A store over another, which fails as a host's disk does; for tests. */
export class FailingStore implements Store {
  readonly #inner: Store;
  #fault: StoreFault | undefined;
  #calls = 0;

  constructor(inner: Store) {
    this.#inner = inner;
  }

  /** Calls since the last `fail`, those of writers too. */
  get calls(): number {
    return this.#calls;
  }

  /** From now on these calls fail; without a fault none does. */
  fail(fault?: StoreFault): void {
    this.#fault = fault;
    this.#calls = 0;
  }

  names(): Promise<readonly string[]> {
    return this.#do(() => this.#inner.names());
  }

  read(name: string, start?: number, end?: number, allocate?: Allocate): Promise<Uint8Array | undefined> {
    return this.#do(() => this.#inner.read(name, start, end, allocate));
  }

  create(name: string): Promise<StoreWriter> {
    return this.#do(async () => {
      const writer = await this.#inner.create(name);
      return {
        append: (chunk) => this.#do(() => writer.append(chunk)),
        publish: () => this.#do(() => writer.publish()),
        discard: () => writer.discard(),
      };
    });
  }

  remove(name: string): Promise<void> {
    return this.#do(() => this.#inner.remove(name));
  }

  async #do<T>(operation: () => T | Promise<T>): Promise<T> {
    const number = this.#calls++;
    const fault = this.#fault;
    if (!fault || number < fault.at || number >= fault.at + fault.calls) return operation();
    if (fault.effect === 'kept') await operation();
    throw Object.assign(new Error(`${fault.code}: the disk fails`), { code: fault.code });
  }
}
