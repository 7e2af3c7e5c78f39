import type { ExecutionState } from '@moorage/api';
import { builtOnce } from '../../../engine/db/compiled.ts';
import { padded } from '../../../engine/db/groups.ts';
import { type PageOf, paging } from '../../../engine/db/paging.ts';
import type { Row } from '../../../engine/db/schema.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { beforeCommit } from '../../../engine/db/transaction.ts';
import { beginManySteps, type RolloutRow } from './queries.ts';

export type ExecutionRow = Row<'executions'>;

// What statements that are built once are built with.
const noExecution: ExecutionRow = {
  rollout_id: '',
  device_id: '',
  bundle_id: '',
  stage: 0,
  state: 'waiting',
  kind: null,
  attempt: 1,
  update_id: null,
  due_at: null,
  expires_at: null,
  changed_at: 0,
};

/** A device that is new to a rollout. */
export const newExecution = (rollout: RolloutRow, device_id: string, stage: number, nowMs: number): ExecutionRow => ({
  ...noExecution,
  rollout_id: rollout.id,
  device_id,
  bundle_id: rollout.bundle_id,
  stage,
  changed_at: nowMs,
});

/** What rollouts have of devices, as transactions have read it ahead and changed it since. */
const aheadIn = new WeakMap<Db, Map<string, readonly ExecutionRow[]>>();

/** What such a transaction has not written yet. */
const behindIn = new WeakMap<Db, Map<string, ExecutionRow>>();

/** Writes what a transaction that has read ahead has changed of executions and not written yet. */
export async function writeExecutionsBehind(trx: Db): Promise<void> {
  const behind = behindIn.get(trx);
  const rows = [...(behind?.values() ?? [])];
  behind?.clear();
  if (rows.length === 0) return;
  await trx
    .insertInto('executions')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['rollout_id', 'device_id']).doUpdateSet((to) => ({
        bundle_id: to.ref('excluded.bundle_id'),
        stage: to.ref('excluded.stage'),
        state: to.ref('excluded.state'),
        kind: to.ref('excluded.kind'),
        attempt: to.ref('excluded.attempt'),
        update_id: to.ref('excluded.update_id'),
        due_at: to.ref('excluded.due_at'),
        expires_at: to.ref('excluded.expires_at'),
        changed_at: to.ref('excluded.changed_at'),
      })),
    )
    .execute();
}

/** Begins a transaction of steps of many devices: what rollouts have of them is read at once, and written before the commit. */
export async function beginSteps(trx: Db, deviceIds: readonly string[]): Promise<void> {
  beginManySteps(trx);
  const rows = await trx.selectFrom('executions').selectAll().where('device_id', 'in', padded(deviceIds)).execute();
  const byDevice = Map.groupBy(rows, ({ device_id }) => device_id);
  aheadIn.set(trx, new Map(deviceIds.map((id) => [id, byDevice.get(id) ?? []])));
  behindIn.set(trx, new Map());
  beforeCommit(trx, () => writeExecutionsBehind(trx));
}

/** Notes what a transaction makes of an execution, or that it deletes it, where it has been read ahead. */
function noteExecution(trx: Db, { rollout_id, device_id }: Named, row?: ExecutionRow): void {
  const ahead = aheadIn.get(trx);
  const rows = ahead?.get(device_id);
  if (!rows) return;
  const others = rows.filter((known) => known.rollout_id !== rollout_id);
  ahead?.set(device_id, row ? [...others, row] : others);
}

/**
 * Nothing that a transaction has read of executions holds any more: many are about to be changed. From now on it reads
 * from the database, so it writes there at once.
 */
export async function forgetExecutions(trx: Db): Promise<void> {
  await writeExecutionsBehind(trx);
  aheadIn.delete(trx);
  behindIn.delete(trx);
}

type Named = Pick<ExecutionRow, 'rollout_id' | 'device_id'>;

const findOne = builtOnce((db) =>
  db.selectFrom('executions').selectAll().where('rollout_id', '=', '').where('device_id', '=', ''),
);
const findByUpdate = builtOnce((db) => db.selectFrom('executions').selectAll().where('update_id', '=', 0));
const findOfDevice = builtOnce((db) => db.selectFrom('executions').selectAll().where('device_id', '=', ''));

/** Adds a device to a rollout. */
export async function insertExecution(trx: Db, row: ExecutionRow): Promise<void> {
  noteExecution(trx, row, row);
  await trx.insertInto('executions').values(row).execute();
}

/** What all rollouts have of a device. */
export const executionsOf = async (db: Db, deviceId: string): Promise<readonly ExecutionRow[]> =>
  aheadIn.get(db)?.get(deviceId) ?? findOfDevice(db, deviceId);

/** What a rollout has of a device. */
export async function executionOf(db: Db, rolloutId: string, deviceId: string): Promise<ExecutionRow | undefined> {
  const ahead = aheadIn.get(db)?.get(deviceId);
  return (ahead ?? (await findOne(db, rolloutId, deviceId))).find(({ rollout_id }) => rollout_id === rolloutId);
}

/** What the rollout that has brought an update has of its device. */
export async function executionByUpdate(
  db: Db,
  { id, device_id }: { readonly id: number; readonly device_id: string },
): Promise<ExecutionRow | undefined> {
  const ahead = aheadIn.get(db)?.get(device_id);
  return (ahead ?? (await findByUpdate(db, id))).find(({ update_id }) => update_id === id);
}

export const failedExecutions = (db: Db, rolloutId: string): Promise<ExecutionRow[]> =>
  db.selectFrom('executions').selectAll().where('rollout_id', '=', rolloutId).where('state', '=', 'failed').execute();

const changing = (trx: Db, { rollout_id, device_id, ...row }: ExecutionRow) =>
  trx.updateTable('executions').set(row).where('rollout_id', '=', rollout_id).where('device_id', '=', device_id);
const pattern = { ...noExecution, kind: '', update_id: 0, due_at: 0, expires_at: 0 };
const writeExecution = builtOnce((trx) => changing(trx, pattern));

/** Writes an execution as it is now, or notes that it is to be written with the others of its transaction. */
export async function changeExecution(trx: Db, row: ExecutionRow): Promise<void> {
  noteExecution(trx, row, row);
  const { rollout_id, device_id, ...change } = row;
  const behind = behindIn.get(trx);
  if (behind) {
    behind.set(`${rollout_id} ${device_id}`, row);
    return;
  }
  // The parameters are in the order of the pattern's columns.
  const { bundle_id, stage, state, kind, attempt, update_id, due_at, expires_at, changed_at } = change;
  const values = [bundle_id, stage, state, kind, attempt, update_id, due_at, expires_at, changed_at];
  await writeExecution(trx, ...values, rollout_id, device_id);
}

/** Removes a device from a rollout. */
export async function deleteExecution(trx: Db, named: Named): Promise<void> {
  noteExecution(trx, named);
  behindIn.get(trx)?.delete(`${named.rollout_id} ${named.device_id}`);
  const { rollout_id, device_id } = named;
  await trx.deleteFrom('executions').where('rollout_id', '=', rollout_id).where('device_id', '=', device_id).execute();
}

/** One page of the devices of a rollout. */
export async function listExecutions(
  db: Db,
  rolloutId: string,
  query: PageOf<'changed_at' | '-changed_at'> & {
    readonly state?: ExecutionState;
    readonly kind?: string;
    readonly stage?: number;
  },
) {
  const page = paging(query, '-changed_at');
  const { state, kind, stage } = query;
  const matching = db
    .selectFrom('executions as e')
    .where('e.rollout_id', '=', rolloutId)
    .$if(state !== undefined, (rows) => rows.where('e.state', '=', state ?? 'waiting'))
    .$if(kind !== undefined, (rows) => rows.where('e.kind', '=', kind ?? ''))
    .$if(stage !== undefined, (rows) => rows.where('e.stage', '=', stage ?? 0));
  const items = await matching
    .innerJoin('devices as d', 'd.id', 'e.device_id')
    .selectAll('e')
    .select('d.title as device')
    .orderBy('e.changed_at', page.direction)
    .orderBy('e.device_id', page.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  // Of most lists the number is kept; counting a hundred thousand rows takes longer than a page of them.
  const counting =
    kind === undefined || state === 'failed'
      ? db
          .selectFrom('rollout_counts as e')
          .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('e.n'), eb.lit(0)).as('total'))
          .where('e.rollout_id', '=', rolloutId)
          .$if(state !== undefined, (rows) => rows.where('e.state', '=', state ?? 'waiting'))
          .$if(kind !== undefined, (rows) => rows.where('e.kind', '=', kind ?? ''))
          .$if(stage !== undefined, (rows) => rows.where('e.stage', '=', stage ?? 0))
      : matching.select((eb) => eb.fn.countAll<number>().as('total'));
  const { total } = await counting.executeTakeFirstOrThrow();
  return { items, total: Number(total) };
}
