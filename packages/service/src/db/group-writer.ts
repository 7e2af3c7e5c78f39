import { StorageError } from '../core/storage-health.ts';

/** Most items committed together, and most that may wait. */
const groupLimit = 1_000;
const waitingLimit = 100_000;

interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects small writes and hands them on in groups, one group at a time: while one is being committed the next one
 * fills up, so a lone write is not delayed and many at once cost one commit.
 *
 * @returns adds an item; resolves when its group is committed
 */
export function groupWriter<T>(commit: (items: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  let waiting: Waiting<T>[] = [];
  let running = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.slice(0, groupLimit);
      waiting = waiting.slice(groupLimit);
      try {
        await commit(group.map(({ item }) => item));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= waitingLimit) {
        reject(
          new StorageError({ kind: 'busy', what: 'database' }, `More than ${waitingLimit} writes wait to be grouped`),
        );
        return;
      }
      waiting.push({ item, resolve, reject });
      if (running) return;
      running = true;
      // The rest of this turn of the event loop still gets on board.
      setImmediate(() => void run());
    });
}

/** The newest item of each key, so that a group updates a row once. Of two at the same time the later one counts. */
export function newestPerKey<T>(items: readonly T[], keyOf: (item: T) => string, timeOf: (item: T) => number): T[] {
  const newest = new Map<string, T>();
  for (const item of items) {
    const known = newest.get(keyOf(item));
    if (!known || timeOf(known) <= timeOf(item)) newest.set(keyOf(item), item);
  }
  return [...newest.values()];
}
