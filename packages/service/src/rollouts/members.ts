import { createHash } from 'node:crypto';
import type { Refusal } from '@moorage/api';
import { type RolloutPreview, refusal } from '@moorage/api';
import { failure, type Result, success, unwrap } from '@moorage/base';
import type { Db, Expressions } from '../db/storage.ts';
import { parseFilter } from '../filters/parse.ts';
import {
  addCount,
  type ExecutionRow,
  fittingDevices,
  insertExecutions,
  type RolloutRow,
  settingsOf,
} from './queries.ts';
import { stageEnds } from './rules.ts';

/** The place of a device in a rollout: the same for ever, and another in each rollout. */
const rankOf = (rolloutId: string, deviceId: string): string =>
  createHash('sha256').update(`${rolloutId} ${deviceId}`).digest('hex');

type Asked = Pick<RolloutRow, 'id' | 'product_id' | 'filter' | 'settings'>;

/** Who is in a rollout, in the order of its stages, and who fits it but gets nothing, by reason. */
async function membersOf(db: Db, expressions: Expressions, rollout: Asked, nowMs: number) {
  // What is kept has been parsed.
  const filter = rollout.filter === null ? undefined : unwrap(parseFilter(rollout.filter));
  const fitting = await fittingDevices(db, expressions, { productId: rollout.product_id, filter, nowMs });
  const out: Record<string, number> = {};
  const members = fitting.filter(({ state, pinned }) => {
    const why = state === 'disabled' ? 'blocked' : pinned === null ? undefined : 'pinned';
    if (why !== undefined) out[why] = (out[why] ?? 0) + 1;
    return why === undefined;
  });
  const ranked = members.map(({ id }) => ({ id, rank: rankOf(rollout.id, id) }));
  ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return { ids: ranked.map(({ id }) => id), out };
}

/** Counts what a rollout would reach. Refusal: INVALID_REQUEST when a stage is larger than the fleet. */
export async function previewOf(
  db: Db,
  expressions: Expressions,
  rollout: Asked,
  bundleBytes: number,
  nowMs: number,
): Promise<Result<RolloutPreview, Refusal>> {
  const { ids, out } = await membersOf(db, expressions, rollout, nowMs);
  const settings = settingsOf(rollout);
  const tooLarge = settings.stages.findIndex(({ count }) => count !== undefined && count > ids.length);
  if (tooLarge >= 0) {
    const detail = `Stage ${tooLarge + 1} has more devices than the rollout, which has ${ids.length}`;
    return failure(
      refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: [`settings.stages.${tooLarge}.count`] }),
    );
  }
  const ends = stageEnds(settings, ids.length);
  const stages = ends.map((end, index) => end - (ends[index - 1] ?? 0));
  return success({ devices: ids.length, stages, out, bytes: ids.length * bundleBytes });
}

/** Gives every device of a rollout that begins its stage. */
export async function enlist(trx: Db, expressions: Expressions, rollout: RolloutRow, nowMs: number): Promise<void> {
  const { ids } = await membersOf(trx, expressions, rollout, nowMs);
  const ends = stageEnds(settingsOf(rollout), ids.length);
  const rows = ids.map(
    (device_id, place): ExecutionRow => ({
      rollout_id: rollout.id,
      device_id,
      bundle_id: rollout.bundle_id,
      stage: ends.findIndex((end) => place < end),
      state: 'waiting',
      kind: null,
      attempt: 1,
      update_id: null,
      due_at: null,
      changed_at: nowMs,
    }),
  );
  await insertExecutions(trx, rows);
  for (const [stage, end] of ends.entries()) {
    const n = end - (ends[stage - 1] ?? 0);
    if (n > 0) await addCount(trx, { rollout_id: rollout.id, stage, state: 'waiting', kind: null }, n);
  }
}
