import {
  type ExecutionState,
  type FailureKind,
  failureKinds,
  type RolloutSettings,
  type RolloutState,
} from '@moorage/api';
import type { Insertable, Selectable, Updateable } from 'kysely';
import { watchedProductIds } from '../access/logs.ts';
import type { Viewer } from '../access/viewer.ts';
import { type PageOf, paging } from '../db/paging.ts';
import type { ExecutionTable, RolloutTable } from '../db/schema.ts';
import type { Db, Expressions } from '../db/storage.ts';
import { noCounts, type StageCounts } from './rules.ts';

/** A rollout, with the version of its bundle and the full code of its product. */
export type RolloutRow = Selectable<RolloutTable> & { readonly version: string; readonly product: string };
export type ExecutionRow = Selectable<ExecutionTable>;

const parsed = new Map<string, RolloutSettings>();
const parsedLimit = 1_000;

/** The settings of a row; what is kept has been checked. The same text is not parsed again. */
export function settingsOf({ settings: text }: Pick<RolloutRow, 'settings'>): RolloutSettings {
  const settings: RolloutSettings = parsed.get(text) ?? JSON.parse(text);
  if (parsed.size >= parsedLimit) parsed.clear();
  parsed.set(text, settings);
  return settings;
}

const rollouts = (db: Db) =>
  db
    .selectFrom('rollouts as r')
    .innerJoin('bundles as b', 'b.id', 'r.bundle_id')
    .innerJoin('products as p', 'p.id', 'r.product_id')
    .selectAll('r')
    .select(['b.version', 'p.product']);

export const rolloutById = (db: Db, id: string): Promise<RolloutRow | undefined> =>
  rollouts(db).where('r.id', '=', id).executeTakeFirst();

/** The same, locked until the transaction ends. */
export const lockRollout = (trx: Db, expressions: Expressions, id: string): Promise<RolloutRow | undefined> =>
  expressions.lockRows(rollouts(trx).where('r.id', '=', id), (rows) => rows.forUpdate('r')).executeTakeFirst();

/** Which rollouts a list has: those of one product, or of all that the viewer watches. */
export interface RolloutFilter {
  readonly of: { readonly productId: string } | Viewer;
  readonly state?: RolloutState | undefined;
}

/** One page of rollouts, and how many there are in all. */
export async function listRollouts(
  db: Db,
  { of, state }: RolloutFilter,
  query: PageOf<'created_at' | '-created_at'>,
): Promise<{ items: RolloutRow[]; total: number }> {
  const page = paging(query, '-created_at');
  let fitting = rollouts(db);
  if (of !== 'everyone') {
    const productIds = 'productId' in of ? [of.productId] : watchedProductIds(db, of);
    fitting = fitting.where('r.product_id', 'in', productIds);
  }
  if (state !== undefined) fitting = fitting.where('r.state', '=', state);
  const items = await fitting
    .orderBy('r.created_at', page.direction)
    .orderBy('r.id', page.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const { total } = await fitting
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { items, total };
}

export const insertRollout = (trx: Db, row: Insertable<RolloutTable>) =>
  trx.insertInto('rollouts').values(row).execute();

export const changeRollout = (trx: Db, id: string, change: Updateable<RolloutTable>) =>
  trx.updateTable('rollouts').set(change).where('id', '=', id).execute();

/** Running rollouts of a product, or of all. */
export const runningRollouts = (db: Db, productId: string | undefined) =>
  rollouts(db)
    .where('r.state', '=', 'running')
    .$if(productId !== undefined, (rows) => rows.where('r.product_id', '=', productId ?? ''))
    .execute();

/** Ends the say of rollouts of a product that are over: a tag of it has been moved since. */
export const releaseEnded = (trx: Db, productId: string) =>
  trx
    .updateTable('rollouts')
    .set({ holds: 0 })
    .where('product_id', '=', productId)
    .where('holds', '=', 1)
    .where('state', 'in', ['finished', 'aborted', 'rolled_back'])
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

/** Adds to counts of rollouts, each of which is named once. Failed ones are counted by kind. */
export const addCounts = (trx: Db, changes: readonly (readonly [of: Counted, n: number])[]) =>
  trx
    .insertInto('rollout_counts')
    .values(
      changes.map(([{ rollout_id, stage, state, kind }, n]) => ({
        rollout_id,
        stage,
        state,
        kind: state === 'failed' ? (kind ?? '') : '',
        n,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['rollout_id', 'stage', 'state', 'kind'])
        .doUpdateSet((to) => ({ n: to('rollout_counts.n', '+', to.ref('excluded.n')) })),
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
});

/** Adds a device to a rollout. */
export const insertExecution = (trx: Db, row: ExecutionRow) => trx.insertInto('executions').values(row).execute();

export const executionOf = (db: Db, rolloutId: string, deviceId: string): Promise<ExecutionRow | undefined> =>
  db
    .selectFrom('executions')
    .selectAll()
    .where('rollout_id', '=', rolloutId)
    .where('device_id', '=', deviceId)
    .executeTakeFirst();

export const executionByUpdate = (db: Db, updateId: number): Promise<ExecutionRow | undefined> =>
  db.selectFrom('executions').selectAll().where('update_id', '=', updateId).executeTakeFirst();

/** What all rollouts have of a device. */
export const executionsOf = (trx: Db, deviceId: string): Promise<ExecutionRow[]> =>
  trx.selectFrom('executions').selectAll().where('device_id', '=', deviceId).execute();

export const failedExecutions = (db: Db, rolloutId: string): Promise<ExecutionRow[]> =>
  db.selectFrom('executions').selectAll().where('rollout_id', '=', rolloutId).where('state', '=', 'failed').execute();

export const changeExecution = (trx: Db, { rollout_id, device_id, ...row }: ExecutionRow) =>
  trx
    .updateTable('executions')
    .set(row)
    .where('rollout_id', '=', rollout_id)
    .where('device_id', '=', device_id)
    .execute();

export const deleteExecution = (trx: Db, { rollout_id, device_id }: Pick<ExecutionRow, 'rollout_id' | 'device_id'>) =>
  trx.deleteFrom('executions').where('rollout_id', '=', rollout_id).where('device_id', '=', device_id).execute();

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

/** What of pins, freezes and rollouts there is for the devices of a product. */
export interface Marks {
  readonly pins: boolean;
  readonly freeze: { readonly reason: string; readonly until: number | null } | undefined;
  readonly rollouts: readonly RolloutRow[];
  readonly zone: string | null;
  readonly pollIntervalS: number | null;
}

/** The rollouts of a product that have a say, the one with the highest priority first, then the youngest. */
export async function marksOf(db: Db, productId: string): Promise<Marks> {
  const row = await db
    .selectFrom('products as p')
    .leftJoin('freezes as f', 'f.product_id', 'p.id')
    .leftJoin('fleet_settings as s', 's.product_id', 'p.id')
    .select((eb) => [
      'f.reason',
      'f.until',
      's.zone',
      's.poll_interval_s',
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
  const { zone = null, poll_interval_s: pollIntervalS = null } = row ?? {};
  return { pins: Boolean(row?.pins), freeze, rollouts: held, zone, pollIntervalS };
}
