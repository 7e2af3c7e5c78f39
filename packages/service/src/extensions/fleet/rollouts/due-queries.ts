import type { Db } from '../../../engine/db/storage.ts';
import type { RolloutRow } from './queries.ts';
import { goingOnStates, openExecutions } from './rules.ts';

/** Rows looked at in one query of those that are due. */
const dueLimit = 500;

/** Rollouts that wait for a time: scheduled ones, and running ones. */
const startable = (db: Db) =>
  db.selectFrom('rollouts').where('state', 'in', ['running', 'scheduled']).orderBy('due_at');

/** Rollouts that wake devices: running ones, and those that bring theirs back. */
const wakeable = (db: Db) =>
  db.selectFrom('rollouts').where('state', 'in', ['running', 'rolled_back']).orderBy('wake_at');

/** Devices in rollouts that go on. */
const expirable = (db: Db) =>
  db
    .selectFrom('executions')
    .innerJoin('rollouts', 'rollouts.id', 'executions.rollout_id')
    .where('rollouts.state', 'in', [...goingOnStates])
    .orderBy('executions.expires_at');

/** Rollouts that are to be looked at, oldest first. */
export const dueRollouts = (db: Db, nowMs: number) =>
  startable(db).select(['id', 'state']).where('due_at', '<=', nowMs).limit(dueLimit).execute();

/** Rollouts of which more devices are to be woken. */
export const dueWakes = (db: Db, nowMs: number) =>
  wakeable(db).select('id').where('wake_at', '<=', nowMs).limit(dueLimit).execute();

/** Devices whose state has lasted too long, or their probation long enough. */
export const dueExecutions = (db: Db, nowMs: number) =>
  expirable(db)
    .select(['executions.rollout_id', 'executions.device_id'])
    .where('executions.expires_at', '<=', nowMs)
    .limit(dueLimit)
    .execute();

/** The next time, epoch ms, at which something of a rollout is due; `undefined` when nothing is. */
export async function nextDue(db: Db, afterMs: number): Promise<number | undefined> {
  const rollout = startable(db).select('due_at as at').where('due_at', '>', afterMs).limit(1);
  const wake = wakeable(db).select('wake_at as at').where('wake_at', '>', afterMs).limit(1);
  const execution = expirable(db)
    .select('executions.expires_at as at')
    .where('executions.expires_at', '>', afterMs)
    .limit(1);
  const rows = [await rollout.executeTakeFirst(), await wake.executeTakeFirst(), await execution.executeTakeFirst()];
  const found = rows.flatMap((row) => row?.at ?? []);
  return found.length === 0 ? undefined : Math.min(...found);
}

/**
 * Devices of a rollout on the message channel that are to ask, from one on in their order: those that wait in its open
 * stage or before it, or, once it is rolled back, those that run what it has brought.
 */
export const waitingDevices = (
  db: Db,
  { id, state, stage, wake_after }: Pick<RolloutRow, 'id' | 'state' | 'stage' | 'wake_after'>,
  limit: number,
) =>
  db
    .selectFrom('executions')
    .innerJoin('channels', 'channels.device_id', 'executions.device_id')
    .select('executions.device_id')
    .where('rollout_id', '=', id)
    .where('state', 'in', state === 'rolled_back' ? ['installed', 'probation', 'done'] : ['waiting'])
    .where('stage', '<=', stage)
    .where('executions.device_id', '>', wake_after ?? '')
    .orderBy('executions.device_id')
    .limit(limit)
    .execute();

/** The rollouts that go on. */
export const rolloutsGoingOn = (db: Db) =>
  db
    .selectFrom('rollouts')
    .select(['id', 'product_id'])
    .where('state', 'in', [...goingOnStates])
    .execute();

/** Devices of a product, from one on in their order. */
export const devicesAfter = (db: Db, productId: string, after: string, limit: number) =>
  db
    .selectFrom('devices')
    .select('id')
    .where('product_id', '=', productId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** The same of devices that a rollout still counts on although they are on another product. */
export const straysAfter = (db: Db, rolloutId: string, after: string, limit: number) =>
  db
    .selectFrom('executions as e')
    .innerJoin('rollouts as r', 'r.id', 'e.rollout_id')
    .innerJoin('devices as d', 'd.id', 'e.device_id')
    .select('d.id')
    .where('e.rollout_id', '=', rolloutId)
    .where('e.state', 'in', [...openExecutions])
    .whereRef('d.product_id', '!=', 'r.product_id')
    .where('d.id', '>', after)
    .orderBy('d.id')
    .limit(limit)
    .execute();
