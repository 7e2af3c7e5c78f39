import { executionStates, optionalTimestamp, type RolloutRecord } from '@moorage/api';
import type { Reads } from '../../../engine/db/work.ts';
import { prospectsOf } from './prospects.ts';
import { countsOf, type RolloutRow } from './queries.ts';
import { abortMeters, type StageCounts } from './rules.ts';

const totalOf = ({ states }: StageCounts): number => executionStates.reduce((sum, state) => sum + states[state], 0);

function stageState(row: RolloutRow, index: number): RolloutRecord['stages'][number]['state'] {
  const hasBegun = row.started_at !== null && index <= row.stage;
  if (hasBegun && (index < row.stage || row.state === 'finished')) return 'passed';
  if (row.finished_at !== null) return 'stopped';
  return hasBegun ? 'open' : 'waiting';
}

/** The record of a rollout, with the counts of its stages. */
export async function rolloutRecord(reads: Reads, row: RolloutRow): Promise<RolloutRecord> {
  const { settings } = row;
  const counts = await countsOf(reads, row.id, settings.stages.length);
  return {
    id: row.id,
    product_id: row.product_id,
    product: row.product,
    bundle_id: row.bundle_id,
    bundle: row.version,
    title: row.title,
    filter: row.filter,
    priority: row.priority,
    settings,
    state: row.state,
    reason: row.reason,
    stage: row.stage,
    stages: counts.map((count, index) => ({
      total: totalOf(count),
      state: stageState(row, index),
      counts: count.states,
      failures: { ...count.failures },
    })),
    abort: abortMeters(settings, counts),
    can_still: prospectsOf(row, counts),
    created_by: row.author_id,
    approved_by: row.approver_id,
    due_at: optionalTimestamp(row.due_at),
    created_at: String(row.created_at),
    started_at: optionalTimestamp(row.started_at),
    finished_at: optionalTimestamp(row.finished_at),
  };
}
