import type { Db } from '../db/storage.ts';
import type { RolloutRow } from './queries.ts';

/** Rows looked at in one query of those that are due. */
const dueLimit = 500;

/** Rollouts that are to be looked at: scheduled ones, and running ones that wait for a time, oldest first. */
export const dueRollouts = (db: Db, nowMs: number) =>
  db
    .selectFrom('rollouts')
    .select(['id', 'state'])
    .where('due_at', '<=', nowMs)
    .where('state', 'in', ['running', 'scheduled'])
    .orderBy('due_at')
    .limit(dueLimit)
    .execute();

/** Rollouts of which more devices are to be woken: running ones, and those that bring theirs back. */
export const dueWakes = (db: Db, nowMs: number) =>
  db
    .selectFrom('rollouts')
    .select('id')
    .where('wake_at', '<=', nowMs)
    .where('state', 'in', ['running', 'rolled_back'])
    .orderBy('wake_at')
    .limit(dueLimit)
    .execute();

/** Devices whose state has lasted too long, or their probation long enough, in rollouts that go on. */
export const dueExecutions = (db: Db, nowMs: number) =>
  db
    .selectFrom('executions')
    .innerJoin('rollouts', 'rollouts.id', 'executions.rollout_id')
    .select(['executions.rollout_id', 'executions.device_id'])
    .where('executions.expires_at', '<=', nowMs)
    .where('rollouts.state', 'in', ['running', 'paused'])
    .orderBy('executions.expires_at')
    .limit(dueLimit)
    .execute();

/** The next time, epoch ms, at which something of a rollout is due; `undefined` when nothing is. */
export async function nextDue(db: Db, afterMs: number): Promise<number | undefined> {
  const rollout = db
    .selectFrom('rollouts')
    .select('due_at as at')
    .where('due_at', '>', afterMs)
    .where('state', 'in', ['running', 'scheduled'])
    .orderBy('due_at')
    .limit(1);
  const wake = db
    .selectFrom('rollouts')
    .select('wake_at as at')
    .where('wake_at', '>', afterMs)
    .where('state', 'in', ['running', 'rolled_back'])
    .orderBy('wake_at')
    .limit(1);
  const execution = db
    .selectFrom('executions')
    .innerJoin('rollouts', 'rollouts.id', 'executions.rollout_id')
    .select('executions.expires_at as at')
    .where('executions.expires_at', '>', afterMs)
    .where('rollouts.state', 'in', ['running', 'paused'])
    .orderBy('executions.expires_at')
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
