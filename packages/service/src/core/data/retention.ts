import { dayMs } from '@moorage/base';
import type { Deps } from '../../engine/http/types.ts';

/** How long each kind of data is kept. Spec: API-DATA-retention. */
export const dataRetention = {
  samplesMs: 365 * dayMs,
  controlValuesMs: 365 * dayMs,
  messagesMs: 90 * dayMs,
  /**
   * A device that has not been answered sends a batch again within seconds. One that is switched off before it can do
   * so does it when it is back: of each device its last notes stay. Spec: API-DATA-once.
   */
  batchesMs: 7 * dayMs,
  /** Notes of a device that are together: a batch has one for its samples and one for its controls. */
  lastNotesMs: 60_000,
} as const;

/** Rows of one transaction, and transactions of one round: others wait no longer than one takes. */
const batchRows = 1_000;
const batchLimit = 1_000;

type DataDeps = Pick<Deps, 'storage' | 'clock'>;

const byAge = [
  { table: 'control_values', column: 'at', key: 'id', keptMs: dataRetention.controlValuesMs },
  { table: 'messages', column: 'created_at', key: 'seq', keptMs: dataRetention.messagesMs },
] as const;

/** Removes data that is older than it is kept, and makes room for what comes. */
export async function removeOldData(deps: DataDeps): Promise<void> {
  const nowMs = deps.clock.now();
  for (const rule of byAge) await removeRows(deps, rule, nowMs - rule.keptMs);
  await removeBatchNotes(deps, nowMs - dataRetention.batchesMs);
  await deps.storage.samples.maintain(nowMs, nowMs - dataRetention.samplesMs);
}

async function removeRows({ storage }: DataDeps, rule: (typeof byAge)[number], beforeMs: number): Promise<void> {
  // Safe: the three names of a rule are of one table; the builder cannot follow a name that varies.
  const { table, column, key } = rule as (typeof byAge)[0];
  for (let batch = 0; batch < batchLimit; batch++) {
    const removed = await storage.db
      .deleteFrom(table)
      .where(key, 'in', (old) => old.selectFrom(table).select(key).where(column, '<', beforeMs).limit(batchRows))
      .executeTakeFirstOrThrow();
    if (removed.numDeletedRows < batchRows) return;
  }
}

/** Notes of batches; the last ones of each device stay, however long it has been silent. */
async function removeBatchNotes({ storage }: DataDeps, beforeMs: number): Promise<void> {
  for (let batch = 0; batch < batchLimit; batch++) {
    const removed = await storage.db
      .deleteFrom('sample_batches')
      .where(({ eb, refTuple }) =>
        eb(refTuple('device_id', 'batch'), 'in', (old) =>
          old
            .selectFrom('sample_batches as note')
            .select(['note.device_id', 'note.batch'])
            .where('note.created_at', '<', beforeMs)
            .where(({ exists, selectFrom, eb: compare }) =>
              exists(
                selectFrom('sample_batches as later')
                  .select('later.batch')
                  .whereRef('later.device_id', '=', 'note.device_id')
                  .where('later.created_at', '>', compare('note.created_at', '+', dataRetention.lastNotesMs)),
              ),
            )
            .limit(batchRows)
            .$asTuple('device_id', 'batch'),
        ),
      )
      .executeTakeFirstOrThrow();
    if (removed.numDeletedRows < batchRows) return;
  }
}
