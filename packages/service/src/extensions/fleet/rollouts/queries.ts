import {
  type ExecutionState,
  type FailureKind,
  failureKinds,
  type RolloutSettings,
  type RolloutState,
} from '@moorage/api';
import { sql } from 'kysely';
import { watchedProductIds } from '../../../core/access/logs.ts';
import type { Viewer } from '../../../core/access/viewer.ts';
import { builtOnce } from '../../../engine/db/compiled.ts';
import { onePage, type PageOf, paging } from '../../../engine/db/paging.ts';
import type { NewRow, Row } from '../../../engine/db/schema.ts';
import type { Db, Expressions } from '../../../engine/db/storage.ts';
import { beforeCommit } from '../../../engine/db/transaction.ts';
import { noCounts, type StageCounts } from './rules.ts';

/** A rollout, with the version of its bundle and the full code of its product. */
export type RolloutRow = Row<'rollouts'> & { readonly version: string; readonly product: string };

const parsed = new Map<string, RolloutSettings>();
const parsedLimit = 1_000;

/** The settings of a row; what is kept has been checked. The same text is not parsed again. */
export function settingsOf({ settings: text }: Pick<RolloutRow, 'settings'>): RolloutSettings {
  const known = parsed.get(text);
  if (known) return known;
  const settings: RolloutSettings = JSON.parse(text);
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

const findRollout = builtOnce((db) => rollouts(db).where('r.id', '=', ''));

export const rolloutById = async (db: Db, id: string): Promise<RolloutRow | undefined> =>
  (await findRollout(db, id))[0];

/** A rollout that a transaction has locked, and its counts once it has read them: until it ends, only it changes them. */
interface Locked {
  row: RolloutRow;
  counts?: CountRow[];
}

const lockedIn = new WeakMap<Db, Map<string, Locked>>();

/** The same, locked until the transaction ends, which reads it once. */
export async function lockRollout(trx: Db, expressions: Expressions, id: string): Promise<RolloutRow | undefined> {
  const known = lockedIn.get(trx)?.get(id);
  if (known) return known.row;
  const row = await expressions
    .lockRows(rollouts(trx).where('r.id', '=', id), (rows) => rows.forUpdate('r'))
    .executeTakeFirst();
  if (!row) return undefined;
  const locked = lockedIn.get(trx) ?? new Map<string, Locked>();
  lockedIn.set(trx, locked.set(id, { row }));
  return row;
}

/** A rollout that was read as the transaction knows it now. */
export const asLocked = (db: Db, row: RolloutRow): RolloutRow => lockedIn.get(db)?.get(row.id)?.row ?? row;

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
  const items = fitting.orderBy('r.created_at', page.direction).orderBy('r.id', page.direction);
  return onePage(items, fitting, page);
}

export const insertRollout = (trx: Db, row: NewRow<'rollouts'>) => trx.insertInto('rollouts').values(row).execute();

type RolloutChange = Partial<Row<'rollouts'>>;

/** What a transaction of many steps writes of the rollouts that it has locked before its commit. */
interface Behind {
  readonly rollouts: Map<string, RolloutChange>;
  readonly counts: Map<string, CountRow>;
}

const behindIn = new WeakMap<Db, Behind>();

/**
 * From now on a transaction reads the marks of a product once, until it changes what has a say, and writes what changes
 * of rollouts and their counts before its commit.
 */
export function beginManySteps(trx: Db): void {
  const behind: Behind = { rollouts: new Map(), counts: new Map() };
  marksIn.set(trx, new Map());
  behindIn.set(trx, behind);
  beforeCommit(trx, async () => {
    for (const [id, change] of behind.rollouts) await writeRollout(trx, id, change);
    const changed = [...behind.counts.values()].filter(({ n }) => n !== 0);
    if (changed.length > 0) await adding(trx, changed).execute();
  });
}

/** Writes a change of a rollout, or notes that it is to be written with the others of its transaction. */
export async function changeRollout(trx: Db, id: string, change: RolloutChange): Promise<void> {
  const locked = lockedIn.get(trx);
  const known = locked?.get(id);
  if (known) known.row = { ...known.row, ...change };
  if (change.holds !== undefined) marksIn.get(trx)?.clear();
  // Its version is that of another bundle.
  if (change.bundle_id !== undefined) locked?.delete(id);
  const behind = behindIn.get(trx);
  if (behind && known) behind.rollouts.set(id, { ...behind.rollouts.get(id), ...change });
  else await writeRollout(trx, id, change);
}

async function writeRollout(trx: Db, id: string, change: RolloutChange): Promise<void> {
  await trx.updateTable('rollouts').set(change).where('id', '=', id).execute();
}

/** Running rollouts of a product, or of all. */
export const runningRollouts = (db: Db, productId: string | undefined) =>
  rollouts(db)
    .where('r.state', '=', 'running')
    .$if(productId !== undefined, (rows) => rows.where('r.product_id', '=', productId ?? ''))
    .execute();

/** Ends the say of rollouts of a product that are over: a tag of it has been moved since. */
export const releaseEnded = (trx: Db, productId: string) => {
  lockedIn.delete(trx);
  marksIn.get(trx)?.clear();
  return trx
    .updateTable('rollouts')
    .set({ holds: 0 })
    .where('product_id', '=', productId)
    .where('holds', '=', 1)
    .where('state', 'in', ['finished', 'aborted', 'rolled_back'])
    .execute();
};

const findCounts = builtOnce((db) => db.selectFrom('rollout_counts').selectAll().where('rollout_id', '=', ''));

type CountRow = Row<'rollout_counts'>;

/** The rows of counts of a rollout; what a transaction has locked it reads once. */
async function countRows(db: Db, rolloutId: string): Promise<readonly CountRow[]> {
  const locked = lockedIn.get(db)?.get(rolloutId);
  if (locked?.counts) return locked.counts;
  const rows = [...(await findCounts(db, rolloutId))];
  if (!locked) return rows;
  locked.counts = rows;
  // What has been counted before this read may not be written yet.
  for (const change of behindIn.get(db)?.counts.values() ?? []) {
    if (change.rollout_id === rolloutId) noteCount(db, change);
  }
  return locked.counts;
}

/** The counts of a rollout, by stage. */
export async function countsOf(db: Db, rolloutId: string, stages: number): Promise<StageCounts[]> {
  const rows = await countRows(db, rolloutId);
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

/** Adds to what a transaction has read of the counts of a rollout that it has locked. */
function noteCount(trx: Db, change: CountRow): void {
  const counts = lockedIn.get(trx)?.get(change.rollout_id)?.counts;
  const at = counts?.findIndex(
    ({ stage, state, kind }) => stage === change.stage && state === change.state && kind === change.kind,
  );
  const known = counts?.[at ?? -1];
  if (known && at !== undefined) counts[at] = { ...known, n: known.n + change.n };
  else counts?.push(change);
}

const adding = (trx: Db, rows: readonly CountRow[]) =>
  trx
    .insertInto('rollout_counts')
    .values([...rows])
    .onConflict((conflict) =>
      conflict
        .columns(['rollout_id', 'stage', 'state', 'kind'])
        .doUpdateSet((to) => ({ n: to('rollout_counts.n', '+', to.ref('excluded.n')) })),
    );
const noCount: CountRow = { rollout_id: '', stage: 0, state: 'waiting', kind: '', n: 0 };
const countOrder = ['rollout_id', 'stage', 'state', 'kind', 'n'] as const;
// Most changes are moves of one device: one less of what it was, one more of what it is.
const addMove = builtOnce((trx) => adding(trx, [noCount, noCount]));

/** Adds to counts of rollouts, each of which is named once. Failed ones are counted by kind. */
export async function addCounts(trx: Db, changes: readonly (readonly [of: Counted, n: number])[]): Promise<void> {
  const rows = changes.map(([{ rollout_id, stage, state, kind }, n]) => ({
    rollout_id,
    stage,
    state,
    kind: state === 'failed' ? (kind ?? '') : '',
    n,
  }));
  for (const row of rows) noteCount(trx, row);
  const counts = behindIn.get(trx)?.counts;
  if (counts) {
    for (const row of rows) {
      const key = `${row.rollout_id} ${row.stage} ${row.state} ${row.kind}`;
      counts.set(key, { ...row, n: (counts.get(key)?.n ?? 0) + row.n });
    }
    return;
  }
  if (rows.length === 2) await addMove(trx, ...rows.flatMap((row) => countOrder.map((name) => row[name])));
  else await adding(trx, rows).execute();
}

/** What of pins, freezes and rollouts there is for the devices of a product. */
export interface Marks {
  readonly pins: boolean;
  readonly freeze: { readonly reason: string; readonly until: number | null } | undefined;
  readonly rollouts: readonly RolloutRow[];
  readonly zone: string | null;
  readonly pollIntervalS: number | null;
}

// One row for each rollout that has a say, the one with the highest priority first, then the youngest; one without any.
const findMarks = builtOnce((db) =>
  db
    .selectFrom('products as p')
    .leftJoin('freezes as f', 'f.product_id', 'p.id')
    .leftJoin('fleet_settings as s', 's.product_id', 'p.id')
    .leftJoin('rollouts as r', (join) =>
      join.onRef('r.product_id', '=', 'p.id').on(({ eb, lit }) => eb('r.holds', '=', lit(1))),
    )
    .leftJoin('bundles as b', 'b.id', 'r.bundle_id')
    .selectAll('r')
    .select(['b.version', 'p.product', 's.zone', 's.poll_interval_s', 'f.reason as frozen', 'f.until'])
    .select((eb) => eb.exists(eb.selectFrom('pins').select('pins.device_id')).as('pins'))
    .where('p.id', '=', '')
    .orderBy('r.priority', 'desc')
    .orderBy('r.created_at', 'desc')
    .orderBy('r.id'),
);

/** What there is for a product beside its rollouts, and a text that is another one when these are. */
export const compileHead = (rowVersion: NonNullable<Expressions['rowVersion']>) => {
  const find = builtOnce((db) =>
    db
      .selectFrom('products as p')
      .leftJoin('freezes as f', 'f.product_id', 'p.id')
      .leftJoin('fleet_settings as s', 's.product_id', 'p.id')
      .select(['s.zone', 's.poll_interval_s', 'f.reason as frozen', 'f.until'])
      .select((eb) => eb.exists(eb.selectFrom('pins').select('pins.device_id')).as('pins'))
      .select(
        sql<
          string | null
        >`(select string_agg(concat_ws(' ', r.id, ${rowVersion('r')}, ${rowVersion('b')}, ${rowVersion('p')}), ',' order by r.id)
          from rollouts as r join bundles as b on b.id = r.bundle_id where r.product_id = p.id and r.holds = 1)`.as(
          'revision',
        ),
      )
      .where('p.id', '=', ''),
  );
  return async (db: Db, productId: string) => {
    const [row] = await find(db, productId);
    return { ...toHead(row), revision: row?.revision ?? null };
  };
};

interface HeadRow {
  readonly frozen: string | null;
  readonly until: number | null;
  readonly zone: string | null;
  readonly poll_interval_s: number | null;
  readonly pins: unknown;
}

function toHead(row: HeadRow | undefined): Omit<Marks, 'rollouts'> {
  const { frozen = null, until = null, zone = null, poll_interval_s: pollIntervalS = null, pins } = row ?? {};
  const freeze = frozen === null ? undefined : { reason: frozen, until };
  return { pins: Boolean(pins), freeze, zone, pollIntervalS };
}

/** What transactions with many steps have read of products. */
const marksIn = new WeakMap<Db, Map<string, Promise<Marks>>>();

/** The rollouts of a product that have a say, the one with the highest priority first, then the youngest. */
export function marksOf(db: Db, productId: string): Promise<Marks> {
  const known = marksIn.get(db);
  const marks = known?.get(productId) ?? readMarks(db, productId);
  known?.set(productId, marks);
  return marks;
}

async function readMarks(db: Db, productId: string): Promise<Marks> {
  const rows = await findMarks(db, productId);
  // Safe: a row with an id has all columns of a rollout.
  const held = rows.filter(({ id }) => id !== null) as unknown as RolloutRow[];
  return { ...toHead(rows[0]), rollouts: held };
}
