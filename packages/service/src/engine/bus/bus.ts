import { type Topic, topics } from './topics.ts';

/**
 * Messages that a remote bus keeps while it cannot send them; of more, the newest are lost. A node that has lost some
 * says so when it can, and every node compares its channels with the records.
 */
export const unsentLimit = 10_000;
/** A message that could not be sent for so long, in ms, is no news any more. */
export const unsentMs = 10_000;
/** How long a lost connection of a bus waits until it is made anew, in ms. */
export const reconnectMs = 1_000;
/** After this time without a response, in ms, a server counts as away. */
export const responseMs = 5_000;

export type BusKind = 'local' | 'postgres' | 'nats';

/**
 * Short messages between the nodes of one installation, each of which hears its own too. A message is a hint: it may
 * be lost, late or double, and what must not be lost belongs into a table.
 */
export interface Bus {
  readonly kind: BusKind;
  /** Whether messages reach other nodes now. */
  readonly connected: boolean;
  /** @param message of the topic's type, which JSON has to be able to hold */
  publish<M>(topic: Topic<M>, message: NoInfer<M>): void;
  /**
   * Calls the listener with every message of a topic from now on. A listener must not throw.
   *
   * @returns unsubscribes
   */
  subscribe<M>(topic: Topic<M>, listener: (message: M) => void): () => void;
  /** Sends what waits if that is possible at once, and disconnects. */
  close(): Promise<void>;
}

/** Hands messages to the listeners of this process. */
export class LocalBus implements Bus {
  readonly kind: BusKind = 'local';
  readonly #listeners = new Map<string, Set<(message: unknown) => void>>();

  get connected(): boolean {
    return true;
  }

  publish<M>({ name }: Topic<M>, message: NoInfer<M>): void {
    this.deliver(name, message);
  }

  subscribe<M>({ name }: Topic<M>, listener: (message: M) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    // Safe: every message under this name was published with the topic, and so has its type.
    const hear = (message: unknown) => listener(message as M);
    this.#listeners.set(name, listeners.add(hear));
    return () => listeners.delete(hear);
  }

  async close(): Promise<void> {}

  protected deliver(name: string, message: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(message);
  }

  /** Messages may have been lost: every node reads again what it relies on. */
  protected missed(): void {
    this.publish(topics.missed, null);
  }
}
