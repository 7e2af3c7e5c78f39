import type { Deps } from '../http/types.ts';
import { deleteLogsBefore } from './queries.ts';

/** Reference 8: logs are kept for 90 days. Spec: API-RULE-log-3. */
export const logRetentionMs = 90 * 86_400_000;
/** Rows of one transaction: others wait for the database no longer than this takes. */
const batchRows = 1_000;
/** Batches of one round; the next round goes on. */
const batchLimit = 1_000;

/** Removes logs that are older than they are kept. */
export async function removeOldLogs({ storage, clock }: Pick<Deps, 'storage' | 'clock'>): Promise<void> {
  const beforeMs = clock.now() - logRetentionMs;
  for (let batch = 0; batch < batchLimit; batch++) {
    const removed = await storage.transaction((trx) => deleteLogsBefore(trx, beforeMs, batchRows));
    if (removed < batchRows) return;
  }
}
