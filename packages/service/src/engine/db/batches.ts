import type { Transaction } from 'kysely';
import type { Schema } from './schema.ts';
import type { Storage } from './storage.ts';

/** Rows of one transaction: others wait for the database no longer than this takes. */
const batchRows = 1_000;
/** Batches of one round; the next round goes on. */
const batchLimit = 1_000;

/**
 * Removes what is old in many short transactions.
 *
 * @param remove removes up to `rows` rows; returns how many it found
 */
export async function removeInBatches(
  storage: Storage,
  remove: (trx: Transaction<Schema>, rows: number) => Promise<number>,
): Promise<void> {
  for (let batch = 0; batch < batchLimit; batch++) {
    const removed = await storage.transaction((trx) => remove(trx, batchRows));
    if (removed < batchRows) return;
  }
}
