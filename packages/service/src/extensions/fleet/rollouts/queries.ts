import {
  type ExecutionState,
  type FailureKind,
  failureKinds,
  type RolloutSettings,
  type RolloutState,
  type Tag,
} from '@moorage/api';
import { watchedProductIds } from '../../../core/access/logs.ts';
import type { Viewer } from '../../../core/access/viewer.ts';
import { builtForMany } from '../../../engine/db/compiled.ts';
import { padded } from '../../../engine/db/groups.ts';
import { onePage, type PageOf, paging } from '../../../engine/db/paging.ts';
import type { Row } from '../../../engine/db/schema.ts';
import { finds } from '../../../engine/db/statements.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { changedColumns, changedRows, type Reads, type RowKind, type Work } from '../../../engine/db/work.ts';
import { endedStates, goingOnStates, noCounts, type StageCounts } from './rules.ts';

/** A rollout, with the version of its bundle and the full code of its product. */
export type RolloutRow = Omit<Row<'rollouts'>, 'settings' | 'bundle_version'> & {
  readonly settings: RolloutSettings;
  readonly version: string;
  readonly product: string;
};

const rollouts = (db: Db) =>
  db
    .selectFrom('rollouts as r')
    .leftJoin('bundles as b', 'b.id', 'r.bundle_id')
    .innerJoin('products as p', 'p.id', 'r.product_id')
    .selectAll('r')
    .select(['b.version', 'p.product']);

/** What is kept of settings has been checked. */
export const toSettings = (text: string) => JSON.parse(text) as RolloutSettings;

type Found = Row<'rollouts'> & { readonly version: string | null; readonly product: string };

/** The release before has kept no version of its rollouts: theirs is that of their bundle, as long as it is there. */
const toRollout = ({ settings, bundle_version, version, ...row }: Found): RolloutRow => ({
  ...row,
  version: version ?? bundle_version ?? '',
  settings: toSettings(settings),
});

const byId = (rows: Found[]): ReadonlyMap<string, RolloutRow> => new Map(rows.map((row) => [row.id, toRollout(row)]));

const findRollouts = builtForMany((db, ids: readonly string[]) => rollouts(db).where('r.id', 'in', ids));

/** Rollouts by their ids. */
export const rolloutRows: Required<RowKind<string, RolloutRow>> = {
  read: async (db, ids) => byId([...(await findRollouts(db, ids))]),
  lock: async (trx, expressions, ids) => {
    const found = rollouts(trx).where('r.id', 'in', padded(ids)).orderBy('r.id');
    return byId(await expressions.lockRows(found, (rows) => rows.forUpdate('r')).execute());
  },
  async write(trx, changes) {
    for (const change of changes) {
      const { settings: _kept, version, product: _code, ...others } = changedColumns(change);
      const columns = { ...others, ...(version !== undefined && { bundle_version: version }) };
      if (Object.keys(columns).length === 0) continue;
      await trx.updateTable('rollouts').set(columns).where('id', '=', change.key).execute();
    }
  },
};

export const rolloutById = async (db: Db, id: string): Promise<RolloutRow | undefined> =>
  (await rolloutRows.read(db, [id])).get(id);

/** The same, locked until the transaction ends. */
export const lockRollout = async (work: Work, id: string): Promise<RolloutRow | undefined> =>
  (await work.lock(rolloutRows, [id]))[0];

/** Changes a rollout that is locked; it as it is then. */
export const changeRollout = (work: Work, id: string, change: Partial<RolloutRow>): Promise<RolloutRow> =>
  work.change(rolloutRows, id, change);

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
  const { items: rows, total } = await onePage(items, fitting, page);
  return { items: rows.map(toRollout), total };
}

export const insertRollout = (trx: Db, { settings, version, product: _code, ...row }: RolloutRow) =>
  trx
    .insertInto('rollouts')
    .values({ ...row, bundle_version: version, settings: JSON.stringify(settings) })
    .execute();

/** Running rollouts of a product, or of all. */
export const runningRollouts = (db: Db, productId: string | undefined) =>
  db
    .selectFrom('rollouts')
    .select('id')
    .where('state', '=', 'running')
    .$if(productId !== undefined, (rows) => rows.where('product_id', '=', productId ?? ''))
    .execute();

/** Whether a rollout that goes on, or a stage of one, has a filter. */
export const hasFilters = (db: Db): Promise<boolean> =>
  finds(
    db
      .selectFrom('rollouts')
      .select('id')
      .where('state', 'in', [...goingOnStates])
      .where(({ eb, or }) => or([eb('filter', 'is not', null), eb('settings', 'like', '%"filter":%')]))
      .limit(1),
  );

/** The rollouts that bring a bundle and are neither drafts nor over. */
export const rolloutsOfBundle = async (db: Db, bundleId: string): Promise<readonly RolloutRow[]> => {
  const found = rollouts(db).where('r.bundle_id', '=', bundleId);
  const rows = found.where('r.state', 'in', ['awaiting_approval', 'scheduled', 'running', 'paused']);
  return (await rows.orderBy('r.created_at').execute()).map(toRollout);
};

/**
 * Lets go of devices that rollouts of a product which are over hold, where they follow one of these tags: it has moved, and a
 * person means them by it.
 */
export const letGo = (trx: Db, productId: string, tags: readonly Tag[]) =>
  trx
    .updateTable('executions')
    .set({ in_force: 0 })
    .where('in_force', '=', 1)
    .where('rollout_id', 'in', (of) =>
      of
        .selectFrom('rollouts')
        .select('id')
        .where('product_id', '=', productId)
        .where('state', 'in', [...endedStates]),
    )
    .where('device_id', 'in', (of) => {
      const devices = of.selectFrom('devices as d').select('d.id').where('d.product_id', '=', productId);
      // One without a tag that a bundle carries follows the release.
      return devices.where(({ eb, or, not, exists, selectFrom }) => {
        const carried = selectFrom('bundles as b').select('b.id').whereRef('b.tag', '=', 'd.tag');
        const follows = not(exists(carried.where('b.product_id', '=', productId).where('b.state', '=', 'published')));
        return tags.includes('release') ? or([eb('d.tag', 'in', [...tags]), follows]) : eb('d.tag', 'in', [...tags]);
      });
    })
    .execute();

type CountRow = Row<'rollout_counts'>;

const findCounts = builtForMany((db, rolloutIds: readonly string[]) =>
  db.selectFrom('rollout_counts').selectAll().where('rollout_id', 'in', rolloutIds),
);

/** The counts of rollouts. Whoever changes them has locked the rollout. */
const rolloutCounts: RowKind<string, readonly CountRow[]> = {
  read: async (db, ids) => Map.groupBy(await findCounts(db, ids), ({ rollout_id }) => rollout_id),
  async write(trx, changes) {
    await trx
      .insertInto('rollout_counts')
      .values(changedRows(changes))
      .onConflict((conflict) =>
        conflict.columns(['rollout_id', 'stage', 'state', 'kind']).doUpdateSet((to) => ({ n: to.ref('excluded.n') })),
      )
      .execute();
  },
};

/** The counts of a rollout, by stage. */
export async function countsOf(reads: Reads, rolloutId: string, stages: number): Promise<StageCounts[]> {
  const rows = (await reads.get(rolloutCounts, rolloutId)) ?? [];
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

/** Adds to a count of a rollout that is locked. Failed ones are counted by kind. */
export async function addCount(work: Work, { rollout_id, stage, state, kind }: Counted, n: number): Promise<void> {
  const counted = { rollout_id, stage, state, kind: state === 'failed' ? (kind ?? '') : '' };
  const rows = (await work.get(rolloutCounts, rollout_id)) ?? [];
  const known = rows.find((row) => row.stage === stage && row.state === state && row.kind === counted.kind);
  const others = rows.filter((row) => row !== known);
  work.put(rolloutCounts, rollout_id, [...others, { ...counted, n: (known?.n ?? 0) + n }]);
}
