import { once } from 'node:events';
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const pathOf = (database: string): string | undefined => /^sqlite:(?!:memory:)(.+)$/.exec(database)?.[1];

/** Whether the last process on a database file has not closed it: its log file is still there, and has something. */
export function wasCut(database: string): boolean {
  const path = pathOf(database);
  return path !== undefined && (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Looks through a database file for pages that are malformed, in a thread of its own.
 *
 * @param onDamaged called with what is wrong
 * @returns what ends it early
 */
export function quickCheck(database: string, onDamaged: (error: Error) => void): () => Promise<void> {
  const worker = new Worker(new URL('./quick-check-worker.ts', import.meta.url), { workerData: pathOf(database) });
  worker.once('message', (found: string) => {
    // As SQLite says it of a statement that meets it.
    if (found !== 'ok') onDamaged(Object.assign(new Error(found), { errcode: 11 }));
  });
  // A file that cannot be read even for that.
  worker.once('error', onDamaged);
  const over = once(worker, 'exit');
  return async () => {
    await worker.terminate();
    await over;
  };
}
