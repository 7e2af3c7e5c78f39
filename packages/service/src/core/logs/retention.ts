import type { LogType } from '@moorage/api';
import { dayMs } from '@moorage/base';
import { removeInBatches } from '../../engine/db/batches.ts';
import type { Deps } from '../../engine/http/types.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import { deleteLogsBefore } from './queries.ts';

/** What devices do all day, and what is worth less for that: it goes after `--log-days-frequent`. */
export const frequentTypes: readonly LogType[] = ['device.online', 'device.offline', 'device.message'];

/** How long logs are kept, in ms; frequent ones for a time of their own. Reference: events 1.3. Spec: API-RULE-log-3. */
export const logRetentionMs = ({ logDays }: Pick<Settings, 'logDays'>): number => logDays * dayMs;

/** Removes logs that are older than they are kept. */
export async function removeOldLogs({
  storage,
  clock,
  settings,
}: Pick<Deps, 'storage' | 'clock' | 'settings'>): Promise<void> {
  const nowMs = clock.now();
  const beforeMs = nowMs - logRetentionMs(settings);
  const frequentMs = Math.max(beforeMs, nowMs - settings.logDaysFrequent * dayMs);
  for (const type of frequentTypes)
    await removeInBatches(storage, (trx, rows) => deleteLogsBefore(trx, frequentMs, rows, type));
  await removeInBatches(storage, (trx, rows) => deleteLogsBefore(trx, beforeMs, rows));
}
