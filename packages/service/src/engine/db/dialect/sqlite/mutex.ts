import { StorageError } from '../../../stores/health.ts';

/** How many writers may wait at once, and for how long, before a waiting one fails. */
const waiterLimit = 10_000;
const waitTimeoutMs = 30_000;

const busy = (message: string) => new StorageError({ kind: 'busy', what: 'database' }, message);

interface Waiter {
  readonly grant: () => void;
  readonly timer: NodeJS.Timeout;
}

/** First come, first served lock over the one connection that writes. */
export class Mutex {
  #held = false;
  readonly #waiters: Waiter[] = [];

  get held(): boolean {
    return this.#held;
  }

  /**
   * Resolves when the caller holds the lock. Rejects after 30 s: the usual cause is a write through `storage.db`
   * inside a transaction, which waits for itself.
   */
  lock(): Promise<void> {
    if (!this.#held) {
      this.#held = true;
      return Promise.resolve();
    }
    if (this.#waiters.length >= waiterLimit) {
      return Promise.reject(busy(`More than ${waiterLimit} writers wait for the database`));
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(busy(`A write waited for over ${waitTimeoutMs} ms; was it made outside of its own transaction?`));
      }, waitTimeoutMs);
      timer.unref();
      const waiter = { grant: resolve, timer };
      this.#waiters.push(waiter);
    });
  }

  unlock(): void {
    const next = this.#waiters.shift();
    if (!next) {
      this.#held = false;
      return;
    }
    clearTimeout(next.timer);
    next.grant();
  }
}
