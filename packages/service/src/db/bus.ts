/**
 * Short messages between the processes of one installation, each of which hears its own too. Nothing is kept: what
 * must not be lost belongs into a table.
 */
export interface Bus {
  /** @param message anything that JSON can hold */
  publish(topic: string, message: unknown): void;
  /** Hears of every message of a topic from now on; the answer ends it. A listener must not throw. */
  subscribe(topic: string, listener: (message: unknown) => void): () => void;
}

/** Hands messages to the listeners of this process. */
export class LocalBus implements Bus {
  readonly #listeners = new Map<string, Set<(message: unknown) => void>>();

  publish(topic: string, message: unknown): void {
    this.deliver(topic, message);
  }

  subscribe(topic: string, listener: (message: unknown) => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  protected deliver(topic: string, message: unknown): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener(message);
  }
}
