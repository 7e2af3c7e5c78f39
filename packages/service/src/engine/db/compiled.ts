import type { CompiledQuery } from 'kysely';
import { padded } from './groups.ts';
import type { Db } from './storage.ts';

/**
 * A statement of busy transactions, built once for each kind of database: building one takes longer than SQLite runs it.
 *
 * @param build the statement with some values; the caller gives those that count in the order of the text
 */
export function builtOnce<R>(
  build: (db: Db) => { compile(): CompiledQuery<R> },
): (db: Db, ...parameters: readonly (string | number | null)[]) => Promise<readonly R[]> {
  const built = new WeakMap<object, CompiledQuery<R>>();
  return async (db, ...parameters) => {
    const { adapter } = db.getExecutor();
    const query = built.get(adapter) ?? build(db).compile();
    built.set(adapter, query);
    return (await db.executeQuery<R>({ ...query, parameters })).rows;
  };
}

/**
 * The same for what is found by one of many keys, built once for each length that a padded list may have.
 *
 * @param build the statement with some keys; other values come before them in the text, and are given in its order
 */
export function builtForMany<K extends string | number, R>(
  build: (db: Db, keys: readonly K[]) => { compile(): CompiledQuery<R> },
): (db: Db, keys: readonly K[], ...before: readonly (string | number | null)[]) => Promise<readonly R[]> {
  const byLength = new Map<number, ReturnType<typeof builtOnce<R>>>();
  return (db, keys, ...before) => {
    const all = padded(keys);
    const find = byLength.get(all.length) ?? builtOnce((of) => build(of, all));
    byLength.set(all.length, find);
    return find(db, ...before, ...all);
  };
}
