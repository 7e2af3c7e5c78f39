import type { ExecutionState } from '@moorage/api';
import { builtForMany } from '../../../engine/db/compiled.ts';
import { type PageOf, paging } from '../../../engine/db/paging.ts';
import type { Row } from '../../../engine/db/schema.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { changedRows, type Reads, type RowKind, type Work } from '../../../engine/db/work.ts';
import type { RolloutRow } from './queries.ts';
import { takenStates } from './rules.ts';

export type ExecutionRow = Row<'executions'>;

/** A device that is new to a rollout. */
export const newExecution = (rollout: RolloutRow, device_id: string, stage: number, nowMs: number): ExecutionRow => ({
  rollout_id: rollout.id,
  device_id,
  bundle_id: rollout.bundle_id,
  stage,
  state: 'waiting',
  kind: null,
  attempt: 1,
  update_id: null,
  due_at: null,
  expires_at: null,
  changed_at: nowMs,
  in_force: 1,
});

const findExecutions = builtForMany((db, deviceIds: readonly string[]) =>
  db.selectFrom('executions').selectAll().where('device_id', 'in', deviceIds),
);

/** What all rollouts have of devices. */
export const executionsByDevice: RowKind<string, readonly ExecutionRow[]> = {
  read: async (db, ids) => Map.groupBy(await findExecutions(db, ids), ({ device_id }) => device_id),
  async write(trx, changes) {
    for (const { before = [], after = [] } of changes) {
      const gone = before.filter((row) => !after.some(({ rollout_id }) => rollout_id === row.rollout_id));
      for (const { rollout_id, device_id } of gone) {
        const of = trx.deleteFrom('executions').where('rollout_id', '=', rollout_id);
        await of.where('device_id', '=', device_id).execute();
      }
    }
    const rows = changedRows(changes);
    if (rows.length > 0) await putExecutions(trx, rows);
  },
};

const putExecutions = (trx: Db, rows: readonly ExecutionRow[]) =>
  trx
    .insertInto('executions')
    .values([...rows])
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
        in_force: to.ref('excluded.in_force'),
      })),
    )
    .execute();

/** What all rollouts have of a device. */
export const executionsOf = async (reads: Reads, deviceId: string): Promise<readonly ExecutionRow[]> =>
  (await reads.get(executionsByDevice, deviceId)) ?? [];

/** What a rollout has of a device. */
export const executionOf = async (
  reads: Reads,
  rolloutId: string,
  deviceId: string,
): Promise<ExecutionRow | undefined> =>
  (await executionsOf(reads, deviceId)).find(({ rollout_id }) => rollout_id === rolloutId);

const othersOf = async (work: Work, { rollout_id, device_id }: Pick<ExecutionRow, 'rollout_id' | 'device_id'>) =>
  (await executionsOf(work, device_id)).filter((row) => row.rollout_id !== rollout_id);

/** Adds a device to a rollout, or makes this of what the rollout has of it. Of those that have taken a device, the last one decides. */
export async function putExecution(work: Work, row: Omit<ExecutionRow, 'in_force'>): Promise<ExecutionRow> {
  const isTaken = takenStates.includes(row.state);
  const next: ExecutionRow = { ...row, in_force: isTaken || row.state === 'waiting' ? 1 : 0 };
  const others = (await othersOf(work, row)).map((other) =>
    isTaken && other.in_force === 1 && takenStates.includes(other.state) ? { ...other, in_force: 0 as const } : other,
  );
  work.put(executionsByDevice, row.device_id, [...others, next]);
  return next;
}

/** Takes the say over a device from a rollout. */
export async function releaseExecution(work: Work, row: ExecutionRow): Promise<void> {
  work.put(executionsByDevice, row.device_id, [...(await othersOf(work, row)), { ...row, in_force: 0 }]);
}

/** Removes a device from a rollout. */
export async function dropExecution(work: Work, row: ExecutionRow): Promise<void> {
  work.put(executionsByDevice, row.device_id, await othersOf(work, row));
}

/** The devices of a rollout that it has failed on, and those that have or get another bundle than it brings now. */
export const executionsToRetry = (db: Db, rolloutId: string, bundleId: string): Promise<ExecutionRow[]> =>
  db
    .selectFrom('executions')
    .selectAll()
    .where('rollout_id', '=', rolloutId)
    .where(({ eb, or, and }) =>
      or([eb('state', '=', 'failed'), and([eb('bundle_id', '!=', bundleId), eb('state', 'in', [...takenStates])])]),
    )
    .execute();

/** Leaves devices out of a rollout that wait, and were not seen since a time if one is named, epoch ms. Returns their numbers by stage. */
export async function leaveOutWaiting(
  work: Work,
  rolloutId: string,
  unseenSinceMs: number | undefined,
  nowMs: number,
): Promise<readonly { readonly stage: number; readonly n: number }[]> {
  await work.restart();
  const { db } = work;
  const meant = db
    .selectFrom('executions as e')
    .innerJoin('devices as d', 'd.id', 'e.device_id')
    .where('e.rollout_id', '=', rolloutId)
    .where('e.state', '=', 'waiting')
    .$if(unseenSinceMs !== undefined, (rows) =>
      rows.where(({ eb, or }) => or([eb('d.last_seen_at', 'is', null), eb('d.last_seen_at', '<', unseenSinceMs ?? 0)])),
    );
  const stages = await meant
    .select(({ fn }) => ['e.stage', fn.countAll<number>().as('n')])
    .groupBy('e.stage')
    .execute();
  await db
    .updateTable('executions')
    .set({ state: 'left', kind: 'left_out', in_force: 0, due_at: null, changed_at: nowMs })
    .where('rollout_id', '=', rolloutId)
    .where('device_id', 'in', meant.select('e.device_id'))
    .execute();
  return stages.map(({ stage, n }) => ({ stage, n: Number(n) }));
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
    .leftJoin('updates as u', 'u.id', 'e.update_id')
    .selectAll('e')
    .select(['d.title as device', 'u.to_version as brought'])
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
