import type { Duplex } from 'node:stream';
import type { Store, StoreWriter } from '@moorage/base';

const never = new Promise<never>(() => {});

/** A write that the flash did not take. */
class BadWrite extends Error {
  constructor(name: string) {
    super(`The flash has not taken "${name}"`);
    this.name = 'BadWrite';
  }
}

/**
 * The power of one board, from when it is switched on until it goes. Then its connections break off, and whatever the
 * board was waiting for never comes: nothing in it runs on, as nothing would in a real one.
 */
export class Power {
  /** Resolves when the power goes. */
  readonly gone: Promise<void>;
  readonly #streams = new Set<Duplex>();
  #isOn = true;
  #resolve = (): void => {};

  constructor() {
    this.gone = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  cut(): void {
    this.#isOn = false;
    for (const stream of this.#streams) stream.destroy();
    this.#resolve();
  }

  /** A connection of the board. */
  carry(stream: Duplex): void {
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    if (!this.#isOn) stream.destroy();
  }

  /** What the board waits for. */
  async run<T>(operation: () => Promise<T> | T): Promise<T> {
    if (!this.#isOn) return never;
    try {
      const value = await operation();
      return this.#isOn ? value : never;
    } catch (error) {
      if (this.#isOn) throw error;
      return never;
    }
  }

  /** A store as the board has it. @param isBad whether the next content that is published is one that the flash does not take */
  store(store: Store, isBad: () => boolean): Store {
    const writerOf = (name: string, writer: StoreWriter): StoreWriter => ({
      append: (chunk) => this.run(() => writer.append(chunk)),
      discard: () => this.run(() => writer.discard()),
      publish: () =>
        this.run(async () => {
          if (!isBad()) return writer.publish();
          await writer.discard();
          throw new BadWrite(name);
        }),
    });
    return {
      names: () => this.run(() => store.names()),
      read: (...place) => this.run(() => store.read(...place)),
      create: (name) => this.run(async () => writerOf(name, await store.create(name))),
      remove: (name) => this.run(() => store.remove(name)),
    };
  }
}
