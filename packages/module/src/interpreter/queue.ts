/** Commands that may wait for their turn; each session has at most one, so this is a limit on sessions. */
export const maxWaitingCommands = 256;

/**
 * Lets the commands of all sources of a board run one at a time, but for those that only wait: they begin in their turn,
 * and then others run. What can run at once does so synchronously, so that a quick command costs no turn of the event
 * loop.
 */
export class CommandQueue {
  #running = false;
  readonly #waiting: (() => void)[] = [];

  /** Runs `task` now or in its turn. `undefined` when too many wait already. The turn of one that `waits` ends with its first wait. */
  run<T>(task: () => T | Promise<T>, waits = false): T | Promise<T> | undefined {
    if (!this.#running) return this.#start(task, waits);
    if (this.#waiting.length >= maxWaitingCommands) return undefined;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(this.#start(task, waits));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #start<T>(task: () => T | Promise<T>, waits: boolean): T | Promise<T> {
    this.#running = true;
    let outcome: T | Promise<T>;
    try {
      outcome = task();
    } catch (error) {
      this.#next();
      throw error;
    }
    if (outcome instanceof Promise && !waits) return outcome.finally(() => this.#next());
    this.#next();
    return outcome;
  }

  #next(): void {
    this.#running = false;
    // Not in the same call stack: a chain of synchronous commands would grow it.
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#running = true;
    queueMicrotask(next);
  }
}
