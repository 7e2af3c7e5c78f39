import type { Store, StoreWriter } from '@moorage/base';
import { type MemoryStore, PowerLost } from '@moorage/base/store/memory';
import type { Connection, Net } from '@moorage/net';

const never = new Promise<never>(() => {});

/**
 * The power of one board, from when it is switched on until it goes. Then its connections break off, and whatever the
 * board was waiting for never comes: nothing in it runs on, as nothing would in a real one.
 */
export class BoardPower {
  /** Resolves when the power goes. */
  readonly gone: Promise<void>;
  readonly store: Store;
  readonly net: Net;
  readonly #memory: MemoryStore;
  readonly #connections = new Set<Connection>();
  #isOn = true;
  #resolve = () => {};

  constructor(memory: MemoryStore, net: Net) {
    this.#memory = memory;
    this.gone = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.store = this.#stored();
    this.net = {
      ...net,
      dial: async (options) => {
        if (!this.#isOn) return never;
        const dialled = await net.dial(options);
        if (!dialled.ok) return this.#isOn ? dialled : never;
        const connection = dialled.value;
        this.#connections.add(connection);
        connection.stream.once('close', () => this.#connections.delete(connection));
        if (!this.#isOn) this.#breakOff();
        return this.#isOn ? dialled : never;
      },
    };
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** What the next board finds. */
  get memory(): MemoryStore {
    return this.#memory;
  }

  #breakOff(): void {
    this.#isOn = false;
    for (const { stream } of this.#connections) stream.destroy();
    this.#resolve();
  }

  async #powered<T>(operation: () => Promise<T> | T): Promise<T> {
    if (!this.#isOn) return never;
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof PowerLost)) throw error;
      this.#breakOff();
      return never;
    }
  }

  #stored(): Store {
    const memory = this.#memory;
    const writerOf = (writer: StoreWriter): StoreWriter => ({
      append: (chunk) => this.#powered(() => writer.append(chunk)),
      publish: () => this.#powered(() => writer.publish()),
      discard: () => this.#powered(() => writer.discard()),
    });
    return {
      names: () => this.#powered(() => memory.names()),
      read: (name, start, end) => this.#powered(() => memory.read(name, start, end)),
      create: (name) => this.#powered(async () => writerOf(await memory.create(name))),
      remove: (name) => this.#powered(() => memory.remove(name)),
    };
  }
}
