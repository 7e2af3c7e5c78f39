import { createHash } from 'node:crypto';
import type { Refusal } from '@moorage/api';
import { type RolloutPreview, type RolloutSettings, refusal } from '@moorage/api';
import { failure, type Result, success, unwrap } from '@moorage/base';
import type { Db, Expressions } from '../db/storage.ts';
import { parseFilter } from '../filters/parse.ts';
import { addCounts, fittingDevices, insertWaiting, type RolloutRow, settingsOf } from './queries.ts';
import { stagesOf } from './settings.ts';

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
  const ids = ranked.map(({ id }) => id);
  const settings = settingsOf(rollout);
  const byFilter = await firstFilters(db, expressions, rollout.product_id, settings, nowMs);
  const stages = stagesOf(
    settings,
    ids.map((id) => byFilter.get(id)),
  );
  const sizes = settings.stages.map((_, index) => stages.filter((stage) => stage === index).length);
  return { ids, stages, sizes, out };
}

/** The first stage with a filter that each device of a product fits. */
async function firstFilters(
  db: Db,
  expressions: Expressions,
  productId: string,
  { stages }: RolloutSettings,
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const first = new Map<string, number>();
  for (const [index, { filter: text }] of stages.entries()) {
    if (text === undefined) continue;
    // What is kept has been parsed.
    const filter = unwrap(parseFilter(text));
    for (const { id } of await fittingDevices(db, expressions, { productId, filter, nowMs })) {
      if (!first.has(id)) first.set(id, index);
    }
  }
  return first;
}

/** Counts what a rollout would reach. Refusal: INVALID_REQUEST when a stage is larger than the fleet. */
export async function previewOf(
  db: Db,
  expressions: Expressions,
  rollout: Asked,
  bundleBytes: number,
  nowMs: number,
): Promise<Result<RolloutPreview, Refusal>> {
  const { ids, sizes, out } = await membersOf(db, expressions, rollout, nowMs);
  const settings = settingsOf(rollout);
  const tooLarge = settings.stages.findIndex(({ count }) => count !== undefined && count > ids.length);
  if (tooLarge >= 0) {
    const detail = `Stage ${tooLarge + 1} has more devices than the rollout, which has ${ids.length}`;
    return failure(
      refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: [`settings.stages.${tooLarge}.count`] }),
    );
  }
  return success({ devices: ids.length, stages: sizes, out, bytes: ids.length * bundleBytes });
}

/** Gives every device of a rollout that begins its stage. */
export async function enlist(trx: Db, expressions: Expressions, rollout: RolloutRow, nowMs: number): Promise<void> {
  const { ids, stages, sizes } = await membersOf(trx, expressions, rollout, nowMs);
  for (const [stage, n] of sizes.entries()) {
    if (n === 0) continue;
    const deviceIds = ids.filter((_, place) => stages[place] === stage);
    await insertWaiting(trx, expressions, rollout, { stage, deviceIds, nowMs });
    await addCounts(trx, [[{ rollout_id: rollout.id, stage, state: 'waiting', kind: null }, n]]);
  }
}
