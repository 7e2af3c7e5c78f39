import { type ExecutionState, type FailureKind, failureKinds, type RolloutSettings } from '@moorage/api';
import type { Insertable, Selectable, Updateable } from 'kysely';
import { type PageOf, paging } from '../db/paging.ts';
import type { ExecutionTable, FreezeTable, PinTable, RolloutTable } from '../db/schema.ts';
import type { Db, Expressions } from '../db/storage.ts';
import type { Filter } from '../filters/parse.ts';
import { filterCondition } from '../filters/queries.ts';
import { noCounts, type StageCounts } from './rules.ts';

export type RolloutRow = Selectable<RolloutTable> & { readonly version: string };
export type ExecutionRow = Selectable<ExecutionTable>;

/** The settings of a row; what is kept has been checked. */
export const settingsOf = ({ settings }: Pick<RolloutRow, 'settings'>): RolloutSettings => JSON.parse(settings);

const rollouts = (db: Db) =>
  db.selectFrom('rollouts as r').innerJoin('bundles as b', 'b.id', 'r.bundle_id').selectAll('r').select('b.version');

export const rolloutById = (db: Db, id: string): Promise<RolloutRow | undefined> =>
  rollouts(db).where('r.id', '=', id).executeTakeFirst();

/** The same, locked until the transaction ends. */
export async function lockRollout(trx: Db, expressions: Expressions, id: string): Promise<RolloutRow | undefined> {
  const row = trx.selectFrom('rollouts').select('id').where('id', '=', id);
  if ((await expressions.lockRows(row).execute()).length === 0) return undefined;
  return rolloutById(trx, id);
}

/** One page of the rollouts of a product. */
export async function listRollouts(
  db: Db,
  productId: string,
  query: PageOf<'created_at' | '-created_at'>,
): Promise<{ items: RolloutRow[]; total: number }> {
  const page = paging(query, '-created_at');
  const items = await rollouts(db)
    .where('r.product_id', '=', productId)
    .orderBy('r.created_at', page.direction)
    .orderBy('r.id', page.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const { total } = await db
    .selectFrom('rollouts')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('product_id', '=', productId)
    .executeTakeFirstOrThrow();
  return { items, total };
}

export const insertRollout = (trx: Db, row: Insertable<RolloutTable>) =>
  trx.insertInto('rollouts').values(row).execute();

export const changeRollout = (trx: Db, id: string, change: Updateable<RolloutTable>) =>
  trx.updateTable('rollouts').set(change).where('id', '=', id).execute();

/** Running rollouts of a product, or of all. */
export const runningRollouts = (db: Db, productId: string) =>
  rollouts(db).where('r.state', '=', 'running').where('r.product_id', '=', productId).execute();

/** Running rollouts whose soak time is over, oldest first. */
export const dueRollouts = (db: Db, nowMs: number) =>
  db
    .selectFrom('rollouts')
    .select('id')
    .where('gate_at', '<=', nowMs)
    .where('state', '=', 'running')
    .orderBy('gate_at')
    .limit(100)
    .execute();

/** The next time at which a soak time is over, epoch ms. */
export async function nextGate(db: Db, afterMs: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('rollouts')
    .select('gate_at')
    .where('gate_at', '>', afterMs)
    .where('state', '=', 'running')
    .orderBy('gate_at')
    .limit(1)
    .executeTakeFirst();
  return row?.gate_at ?? undefined;
}

/** Ends the say of rollouts of a product that are over: a tag of it has been moved since. */
export const releaseEnded = (trx: Db, productId: string) =>
  trx
    .updateTable('rollouts')
    .set({ holds: 0 })
    .where('product_id', '=', productId)
    .where('holds', '=', 1)
    .where('state', 'in', ['finished', 'aborted'])
    .execute();

/** The counts of a rollout, by stage. */
export async function countsOf(db: Db, rolloutId: string, stages: number): Promise<StageCounts[]> {
  const rows = await db.selectFrom('rollout_counts').selectAll().where('rollout_id', '=', rolloutId).execute();
  return Array.from({ length: stages }, (_, stage) => {
    const states: Record<ExecutionState, number> = { ...noCounts.states };
    const failures: Partial<Record<FailureKind, number>> = {};
    for (const row of rows) {
      if (row.stage !== stage) continue;
      states[row.state] += row.n;
      const kind = failureKinds.find((known) => known === row.kind);
      if (kind && row.n > 0) failures[kind] = row.n;
    }
    return { states, failures };
  });
}

interface Counted {
  readonly rollout_id: string;
  readonly stage: number;
  readonly state: ExecutionState;
  readonly kind: string | null;
}

/** Adds to a count of a rollout. Failed ones are counted by kind. */
export const addCount = (trx: Db, { rollout_id, stage, state, kind }: Counted, n: number) =>
  trx
    .insertInto('rollout_counts')
    .values({ rollout_id, stage, state, kind: state === 'failed' ? (kind ?? '') : '', n })
    .onConflict((conflict) =>
      conflict
        .columns(['rollout_id', 'stage', 'state', 'kind'])
        .doUpdateSet((to) => ({ n: to('rollout_counts.n', '+', n) })),
    )
    .execute();

/** What the counts of a rollout would be if they were counted now. */
export const recount = (db: Db, rolloutId: string) =>
  db
    .selectFrom('executions')
    .select(['stage', 'state', 'kind'])
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('rollout_id', '=', rolloutId)
    .groupBy(['stage', 'state', 'kind'])
    .execute();

/** Rows of one statement: both databases limit its parameters. */
const statementRows = 1_000;

/** Adds devices to a rollout. */
export async function insertExecutions(trx: Db, rows: readonly ExecutionRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += statementRows) {
    await trx
      .insertInto('executions')
      .values(rows.slice(at, at + statementRows))
      .execute();
  }
}

export const executionOf = (db: Db, rolloutId: string, deviceId: string): Promise<ExecutionRow | undefined> =>
  db
    .selectFrom('executions')
    .selectAll()
    .where('rollout_id', '=', rolloutId)
    .where('device_id', '=', deviceId)
    .executeTakeFirst();

export const executionByUpdate = (db: Db, updateId: number): Promise<ExecutionRow | undefined> =>
  db.selectFrom('executions').selectAll().where('update_id', '=', updateId).executeTakeFirst();

export const executionsOfDevice = (db: Db, deviceId: string): Promise<ExecutionRow[]> =>
  db.selectFrom('executions').selectAll().where('device_id', '=', deviceId).execute();

export const failedExecutions = (db: Db, rolloutId: string): Promise<ExecutionRow[]> =>
  db.selectFrom('executions').selectAll().where('rollout_id', '=', rolloutId).where('state', '=', 'failed').execute();

export const changeExecution = (trx: Db, { rollout_id, device_id, ...row }: ExecutionRow) =>
  trx
    .updateTable('executions')
    .set(row)
    .where('rollout_id', '=', rollout_id)
    .where('device_id', '=', device_id)
    .execute();

/** One page of the devices of a rollout. */
export async function listExecutions(
  db: Db,
  rolloutId: string,
  query: PageOf<'changed_at' | '-changed_at'> & { readonly state?: ExecutionState; readonly kind?: string },
) {
  const page = paging(query, '-changed_at');
  const { state, kind } = query;
  const matching = db
    .selectFrom('executions as e')
    .where('e.rollout_id', '=', rolloutId)
    .$if(state !== undefined, (rows) => rows.where('e.state', '=', state ?? 'waiting'))
    .$if(kind !== undefined, (rows) => rows.where('e.kind', '=', kind ?? ''));
  const items = await matching
    .innerJoin('devices as d', 'd.id', 'e.device_id')
    .selectAll('e')
    .select('d.title as device')
    .orderBy('e.changed_at', page.direction)
    .orderBy('e.device_id', page.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const { total } = await matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { items, total };
}

/** Devices that some of a rollout's channels may wake: those that wait in its open stage, some of them. */
export const waitingDevices = (db: Db, rolloutId: string, stage: number, limit: number) =>
  db
    .selectFrom('executions')
    .innerJoin('channels', 'channels.device_id', 'executions.device_id')
    .select('executions.device_id')
    .where('rollout_id', '=', rolloutId)
    .where('state', '=', 'waiting')
    .where('stage', '<=', stage)
    .limit(limit)
    .execute();

/** The devices of a product that fit a filter, with what keeps some of them out. */
export async function fittingDevices(
  db: Db,
  expressions: Expressions,
  { productId, filter, nowMs }: { productId: string; filter: Filter | undefined; nowMs: number },
) {
  return db
    .selectFrom('devices')
    .leftJoin('pins', (join) =>
      join
        .onRef('pins.device_id', '=', 'devices.id')
        .on((on) => on.or([on('pins.until', 'is', null), on('pins.until', '>', nowMs)])),
    )
    .select(['devices.id', 'devices.state', 'pins.bundle_id as pinned'])
    .where('devices.product_id', '=', productId)
    .$if(filter !== undefined, (rows) =>
      rows.where((where) => (filter ? filterCondition(filter, expressions, nowMs)(where as never) : where.val(true))),
    )
    .execute();
}

export const pinOf = (db: Db, deviceId: string): Promise<Selectable<PinTable> | undefined> =>
  db.selectFrom('pins').selectAll().where('device_id', '=', deviceId).executeTakeFirst();

export const putPin = (trx: Db, { device_id, ...row }: Selectable<PinTable>) =>
  trx
    .insertInto('pins')
    .values({ device_id, ...row })
    .onConflict((conflict) => conflict.column('device_id').doUpdateSet(row))
    .execute();

export const deletePin = (trx: Db, deviceId: string) =>
  trx.deleteFrom('pins').where('device_id', '=', deviceId).execute();

export const freezeOf = (db: Db, productId: string): Promise<Selectable<FreezeTable> | undefined> =>
  db.selectFrom('freezes').selectAll().where('product_id', '=', productId).executeTakeFirst();

export const putFreeze = (trx: Db, { product_id, ...row }: Selectable<FreezeTable>) =>
  trx
    .insertInto('freezes')
    .values({ product_id, ...row })
    .onConflict((conflict) => conflict.column('product_id').doUpdateSet(row))
    .execute();

export const deleteFreeze = (trx: Db, productId: string) =>
  trx.deleteFrom('freezes').where('product_id', '=', productId).execute();

/** What of pins, freezes and rollouts there is for the devices of a product. */
export interface Marks {
  readonly pins: boolean;
  readonly freeze: { readonly reason: string; readonly until: number | null } | undefined;
  readonly rollouts: readonly RolloutRow[];
}

/** The rollouts of a product that have a say, the one with the highest priority first, then the youngest. */
export async function marksOf(db: Db, productId: string): Promise<Marks> {
  const row = await db
    .selectFrom('products as p')
    .leftJoin('freezes as f', 'f.product_id', 'p.id')
    .select((eb) => [
      'f.reason',
      'f.until',
      eb.exists(eb.selectFrom('pins').select('pins.device_id')).as('pins'),
      eb
        .exists(
          eb
            .selectFrom('rollouts')
            .select('rollouts.id')
            .whereRef('rollouts.product_id', '=', 'p.id')
            .where('rollouts.holds', '=', 1),
        )
        .as('rollouts'),
    ])
    .where('p.id', '=', productId)
    .executeTakeFirst();
  const held = row?.rollouts
    ? await rollouts(db)
        .where('r.product_id', '=', productId)
        .where('r.holds', '=', 1)
        .orderBy('r.priority', 'desc')
        .orderBy('r.created_at', 'desc')
        .orderBy('r.id')
        .execute()
    : [];
  const freeze = row?.reason == null ? undefined : { reason: row.reason, until: row.until };
  return { pins: Boolean(row?.pins), freeze, rollouts: held };
}
