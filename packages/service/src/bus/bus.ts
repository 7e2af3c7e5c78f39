import type { Topic } from './topics.ts';

/**
 * Short messages between the processes of one installation, each of which hears its own too. Nothing is kept: what
 * must not be lost belongs into a table.
 */
export interface Bus {
  /** @param message of the topic's type, which JSON has to be able to hold */
  publish<M>(topic: Topic<M>, message: NoInfer<M>): void;
  /**
   * Calls the listener with every message of a topic from now on. A listener must not throw.
   *
   * @returns unsubscribes
   */
  subscribe<M>(topic: Topic<M>, listener: (message: M) => void): () => void;
}

/** Hands messages to the listeners of this process. */
export class LocalBus implements Bus {
  readonly #listeners = new Map<string, Set<(message: unknown) => void>>();

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

  protected deliver(name: string, message: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(message);
  }
}
