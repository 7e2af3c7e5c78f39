import { dayMs } from '@moorage/base';
import { removeInBatches } from '../../engine/db/batches.ts';
import type { Deps } from '../../engine/http/types.ts';
import { deleteLogsBefore } from './queries.ts';

/** Logs are kept for 90 days. Reference: events 1.3. Spec: API-RULE-log-3. */
export const logRetentionMs = 90 * dayMs;

/** Removes logs that are older than they are kept. */
export async function removeOldLogs({ storage, clock }: Pick<Deps, 'storage' | 'clock'>): Promise<void> {
  const beforeMs = clock.now() - logRetentionMs;
  await removeInBatches(storage, (trx, rows) => deleteLogsBefore(trx, beforeMs, rows));
}
