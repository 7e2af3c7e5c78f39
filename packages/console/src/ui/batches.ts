import { sayError } from './refusals.ts';

/** What went wrong with one of many. */
export interface JobFailure {
  readonly name: string;
  readonly message: string;
}

/** Called with how many of how many are done, and what of that failed. */
export type OnProgress = (done: number, of: number, failures?: readonly JobFailure[]) => void;

/** Batches of one job that are under way at once. */
const atOnce = 2;

/**
 * Does one thing to batches of items, some at once; ends early when `signal` says so, after the batches under way.
 *
 * @param work says to which of the items it could not be done; what it throws is said of all of them
 */
export async function inBatches<T extends { readonly name: string }>(
  items: readonly T[],
  size: number,
  work: (batch: readonly T[]) => Promise<readonly JobFailure[]>,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  let done = 0;
  onProgress(0, items.length);
  const worker = async (): Promise<void> => {
    while (next < items.length && !signal.aborted) {
      const batch = items.slice(next, next + size);
      next += batch.length;
      const failed = await work(batch).catch((error: unknown) => {
        const message = error instanceof Error ? sayError(error) : String(error);
        return batch.map(({ name }) => ({ name, message }));
      });
      done += batch.length;
      onProgress(done, items.length, failed);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
