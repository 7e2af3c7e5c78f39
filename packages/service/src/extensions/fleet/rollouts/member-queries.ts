import type { SkipReason } from '@moorage/api';
import { expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from '../../../engine/db/schema.ts';
import type { Db, Expressions } from '../../../engine/db/storage.ts';
import type { Work } from '../../../engine/db/work.ts';
import type { Filter } from '../filters/parse.ts';
import { filterCondition } from '../filters/queries.ts';
import { newExecution } from './execution-queries.ts';
import type { RolloutRow } from './queries.ts';
import { goingOnStates, takenStates } from './rules.ts';

/** Why a device that fits gets nothing from a rollout that begins. */
export type OutReason = SkipReason | 'overtaken';

/** What a rollout has of such a device. */
export const outAs = (reason: OutReason) =>
  reason === 'overtaken'
    ? ({ state: 'overtaken', kind: null } as const)
    : ({ state: 'skipped', kind: reason } as const);

/** The devices that rollouts of the product which go on and decide before this one have taken. */
export async function takenBefore(
  db: Db,
  { product_id, priority }: Pick<RolloutRow, 'product_id' | 'priority'>,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('executions as e')
    .innerJoin('rollouts as r', 'r.id', 'e.rollout_id')
    .select('e.device_id')
    .where('r.product_id', '=', product_id)
    .where('r.state', 'in', [...goingOnStates])
    .where('r.priority', '>', priority)
    .where('e.state', 'in', [...takenStates])
    .execute();
  return new Set(rows.map(({ device_id }) => device_id));
}

/** Devices of one statement. */
const statementDevices = 20_000;

/** Adds devices to a stage of a rollout that begins; they wait, or get nothing for a reason. */
export async function insertExecutions(
  trx: Db,
  expressions: Expressions,
  rollout: RolloutRow,
  {
    stage,
    deviceIds,
    nowMs,
    out,
  }: {
    readonly stage: number;
    readonly deviceIds: readonly string[];
    readonly nowMs: number;
    /** Why they get nothing, where they do not wait. */
    readonly out?: OutReason;
  },
): Promise<void> {
  const { device_id: _each, ...waiting } = newExecution(rollout, '', stage, nowMs);
  const row = out === undefined ? waiting : { ...waiting, ...outAs(out), in_force: 0 as const };
  // Safe: these are columns of the table.
  const columns = Object.keys(row) as (keyof typeof row)[];
  // In the order of the index that they are found by.
  const sorted = [...deviceIds].sort();
  for (let at = 0; at < sorted.length; at += statementDevices) {
    const devices = expressions.rowsOf(sorted.slice(at, at + statementDevices)).as('listed');
    await trx
      .insertInto('executions')
      .columns(['device_id', ...columns])
      .expression(
        trx
          .selectFrom(devices)
          .select('listed.value as device_id')
          .select((eb) => columns.map((name) => eb.val(row[name]).as(name))),
      )
      .execute();
  }
}

/**
 * Lets the devices that a rollout has moved, or is about to, get another bundle from it: a named one, or each the one that
 * it ran before. Where that is not known or not published any more, what its tag names or the release. Where there is none
 * of these either, it stays with what it has, of the kind `stays`. Returns how many these were, and how many there are.
 *
 * @param dueAtMs since when those wait for their turn that run the bundle of the rollout; null for no pace
 */
export async function bringBack(
  work: Work,
  { id, product_id, product }: Pick<RolloutRow, 'id' | 'product_id' | 'product'>,
  dueAtMs: number | null,
  bundleId?: string,
): Promise<{ readonly stay: number; readonly all: number }> {
  await work.restart();
  await work.db
    .updateTable('executions')
    .set((execution) => {
      const published = execution
        .selectFrom('bundles as b')
        .select('b.id')
        .where('b.product_id', '=', product_id)
        .where('b.state', '=', 'published')
        .limit(1);
      const from = published
        .innerJoin('updates as u', 'u.product_id', 'b.product_id')
        .whereRef('u.id', '=', 'executions.update_id')
        .whereRef('b.id', '!=', 'executions.bundle_id')
        .where(sql<SqlBool>`substr(u.from_bversion, 1, length(b.version) + ${product.length + 3})
          = ${product} || '-' || b.version || ', '`);
      const tagged = published
        .innerJoin('devices as d', 'd.tag', 'b.tag')
        .whereRef('d.id', '=', 'executions.device_id');
      const back = execution.fn.coalesce(from, tagged, published.where('b.tag', '=', 'release'));
      if (bundleId !== undefined) return { bundle_id: bundleId, due_at: dueAtMs };
      const other = execution.fn.coalesce(back, 'executions.bundle_id');
      const stays = execution.case().when(other, '=', execution.ref('executions.bundle_id')).then('stays');
      return { bundle_id: other, kind: stays.else(execution.ref('executions.kind')).end(), due_at: dueAtMs };
    })
    .where('rollout_id', '=', id)
    .where('state', 'in', [...takenStates])
    .execute();
  const counted = await work.db
    .selectFrom('executions')
    .select(({ fn, eb }) => [
      fn.countAll<number>().as('all'),
      fn.count<number>(eb.case().when('kind', '=', 'stays').then(1).end()).as('stay'),
    ])
    .where('rollout_id', '=', id)
    .where('state', 'in', [...takenStates])
    .executeTakeFirstOrThrow();
  return { stay: Number(counted.stay), all: Number(counted.all) };
}

interface Fitting {
  readonly productId: string;
  readonly filter: Filter | undefined;
  readonly nowMs: number;
}

/** The devices of a product that fit a filter, with what keeps some of them out. */
export function fittingDevices(db: Db, expressions: Expressions, { productId, filter, nowMs }: Fitting) {
  const devices = db
    .selectFrom('devices')
    .leftJoin('pins', (join) =>
      join
        .onRef('pins.device_id', '=', 'devices.id')
        .on((on) => on.or([on('pins.until', 'is', null), on('pins.until', '>', nowMs)])),
    )
    .select(['devices.id', 'devices.state', 'pins.bundle_id as pinned'])
    .where('devices.product_id', '=', productId);
  const fits = filter && filterCondition(filter, expressions, nowMs)(expressionBuilder<Schema, 'devices'>());
  return (fits ? devices.where(fits) : devices).execute();
}

/** The published bundles of a product, with their tags. */
export const publishedBundles = (db: Db, productId: string) =>
  db
    .selectFrom('bundles')
    .select(['id', 'version', 'tag'])
    .where('product_id', '=', productId)
    .where('state', '=', 'published')
    .execute();

/** The state of a bundle; one that has gone is in the trash. */
export const bundleState = async (db: Db, bundleId: string) =>
  (await db.selectFrom('bundles').select('state').where('id', '=', bundleId).executeTakeFirst())?.state ?? 'trash';
