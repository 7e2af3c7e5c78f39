import { StorageError } from '../stores/health.ts';

/** Most items committed together, and most that may wait. */
const groupLimit = 1_000;
const waitingLimit = 100_000;

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects small calls and hands them on in groups, one group at a time: while one is being worked on the next one
 * fills up, so a lone call is not delayed and many at once cost one commit.
 *
 * @param run takes a group, and gives a result for each item, in their order
 * @returns adds an item; resolves to its result
 */
export function groupCalls<T, R>(run: (items: readonly T[]) => Promise<readonly R[]>): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = [];
  let running = false;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.slice(0, groupLimit);
      waiting = waiting.slice(groupLimit);
      try {
        const results = await run(group.map(({ item }) => item));
        // Safe: there is one for each.
        for (const [at, { resolve }] of group.entries()) resolve(results[at] as R);
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
      setImmediate(() => void work());
    });
}

/** The same for writes that have no result: resolves when the group of an item is committed. */
export const groupWriter = <T>(commit: (items: readonly T[]) => Promise<void>): ((item: T) => Promise<void>) =>
  groupCalls(async (items) => {
    await commit(items);
    return items.map(() => undefined);
  });

/**
 * The same for reads: those who ask while a read is under way share the next one, which begins after each of them has
 * asked, so what they get is no older than their question.
 *
 * @param read finds the values of some keys, each once; of a key without a value there is none
 */
export const groupReads = <K, V>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): ((key: K) => Promise<V | undefined>) =>
  groupCalls(async (keys: readonly K[]) => {
    const found = await read([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  });

/** Keys of one statement, as many as the next power of two: lists of few lengths are few statements to prepare. */
export function padded<K>(keys: readonly K[]): K[] {
  const length = 2 ** Math.ceil(Math.log2(keys.length));
  return Array.from({ length }, (_, index) => keys[index] ?? (keys[0] as K));
}

/** Changes of rows, each with the keys of all rows that it is made to: they are written by one statement. */
export function alike<K, C>(changes: Iterable<readonly [K, C]>): Iterable<readonly [change: C, keys: K[]]> {
  const found = new Map<string, readonly [C, K[]]>();
  for (const [key, change] of changes) {
    const text = JSON.stringify(change);
    const known = found.get(text) ?? [change, []];
    known[1].push(key);
    found.set(text, known);
  }
  return found.values();
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
