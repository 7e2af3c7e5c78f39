import { hash } from 'node:crypto';
import { type DeviceState, type Refusal, type RolloutSettings, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Db, Expressions } from '../../../engine/db/storage.ts';
import type { Work } from '../../../engine/db/work.ts';
import { keptFilter } from '../filters/parse.ts';
import { fittingDevices, insertExecutions, type OutReason, outAs, takenBefore } from './member-queries.ts';
import { addCount, type RolloutRow } from './queries.ts';
import { skipReason } from './rules.ts';
import { stagesOf } from './settings.ts';

/** The place of a device in a rollout: the same for ever, and another in each rollout. */
const rankOf = (rolloutId: string, deviceId: string): string => hash('sha256', `${rolloutId} ${deviceId}`);

/** Which devices a rollout is for, and how it divides them. */
export type RolloutScope = Pick<RolloutRow, 'id' | 'product_id' | 'product' | 'filter' | 'priority' | 'settings'>;

/** A device that fits, and whether it is pinned. */
interface FittingDevice {
  readonly id: string;
  readonly state: DeviceState;
  readonly pinned: string | null;
}

/** The devices that fit a rollout. */
export const fittingOf = (db: Db, expressions: Expressions, rollout: RolloutScope, nowMs: number) => {
  const filter = rollout.filter === null ? undefined : keptFilter(rollout.filter);
  return fittingDevices(db, expressions, { productId: rollout.product_id, filter, nowMs });
};

/** Says of devices that fit a rollout which begins why they get nothing. */
async function outReasons(
  db: Db,
  rollout: Parameters<typeof takenBefore>[1],
): Promise<(device: FittingDevice) => OutReason | undefined> {
  const taken = await takenBefore(db, rollout);
  return ({ id, state, pinned }) =>
    skipReason({ state, isPinned: pinned !== null }) ?? (taken.has(id) ? 'overtaken' : undefined);
}

/** Who of those that fit is in a rollout, in the order of its stages, and who gets nothing, by reason. */
export async function membersOf<D extends FittingDevice>(
  db: Db,
  expressions: Expressions,
  rollout: RolloutScope,
  fitting: readonly D[],
  nowMs: number,
) {
  const out = new Map<OutReason, D[]>();
  const outReason = await outReasons(db, rollout);
  const members = fitting.filter((device) => {
    const why = outReason(device);
    if (why !== undefined) {
      const skipped = out.get(why) ?? [];
      skipped.push(device);
      out.set(why, skipped);
    }
    return why === undefined;
  });
  const ranked = members.map((device) => ({ device, rank: rankOf(rollout.id, device.id) }));
  ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1));
  const devices = ranked.map(({ device }) => device);
  const { settings } = rollout;
  const byFilter = await firstFilters(db, expressions, rollout.product_id, settings, nowMs);
  const stages = stagesOf(
    settings,
    devices.map(({ id }) => byFilter.get(id)),
  );
  const sizes = settings.stages.map((_, index) => stages.filter((stage) => stage === index).length);
  return { devices, stages, sizes, out };
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
    const filter = keptFilter(text);
    for (const { id } of await fittingDevices(db, expressions, { productId, filter, nowMs })) {
      if (!first.has(id)) first.set(id, index);
    }
  }
  return first;
}

/** Refuses stages that have more devices than the rollout. Refusal: INVALID_REQUEST, with the place. */
export function checkSizes(rollout: RolloutScope, devices: number): Result<undefined, Refusal> {
  const { stages } = rollout.settings;
  const tooLarge = stages.findIndex(({ count }) => count !== undefined && count > devices);
  if (tooLarge < 0) return success(undefined);
  const detail = `Stage ${tooLarge + 1} has more devices than the rollout, which has ${devices}`;
  return failure(
    refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: [`settings.stages.${tooLarge}.count`] }),
  );
}

/** The same of a rollout whose devices are not known yet. Refusal: INVALID_REQUEST, with the place. */
export async function refuseSizes(
  db: Db,
  expressions: Expressions,
  rollout: RolloutScope,
  nowMs: number,
): Promise<Result<undefined, Refusal>> {
  if (rollout.settings.stages.every(({ count }) => count === undefined)) return success(undefined);
  const fitting = await fittingOf(db, expressions, rollout, nowMs);
  const outReason = await outReasons(db, rollout);
  return checkSizes(rollout, fitting.filter((device) => outReason(device) === undefined).length);
}

/** Gives every device of a rollout that begins its stage; those that get nothing are at its end. */
export async function enlist(work: Work, expressions: Expressions, rollout: RolloutRow, nowMs: number): Promise<void> {
  await work.restart();
  const trx = work.db;
  const fitting = await fittingOf(trx, expressions, rollout, nowMs);
  const { devices, stages, sizes, out } = await membersOf(trx, expressions, rollout, fitting, nowMs);
  for (const [stage, n] of sizes.entries()) {
    if (n === 0) continue;
    const deviceIds = devices.filter((_, place) => stages[place] === stage).map(({ id }) => id);
    await insertExecutions(trx, expressions, rollout, { stage, deviceIds, nowMs });
    await addCount(work, { rollout_id: rollout.id, stage, state: 'waiting', kind: null }, n);
  }
  const last = sizes.length - 1;
  for (const [reason, skipped] of out) {
    const deviceIds = skipped.map(({ id }) => id);
    await insertExecutions(trx, expressions, rollout, { stage: last, deviceIds, nowMs, out: reason });
    await addCount(work, { rollout_id: rollout.id, stage: last, ...outAs(reason) }, deviceIds.length);
  }
}
