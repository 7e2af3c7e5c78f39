import type { SkipReason } from '@moorage/api';
import { expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from '../../../engine/db/schema.ts';
import type { Db, Expressions } from '../../../engine/db/storage.ts';
import type { Work } from '../../../engine/db/work.ts';
import type { Filter } from '../filters/parse.ts';
import { filterCondition } from '../filters/queries.ts';
import { newExecution } from './execution-queries.ts';
import type { RolloutRow } from './queries.ts';

/** Devices of one statement. */
const statementDevices = 20_000;

/** Adds devices to a stage of a rollout that begins; they wait, or are skipped for a reason. */
export async function insertExecutions(
  trx: Db,
  expressions: Expressions,
  rollout: RolloutRow,
  {
    stage,
    deviceIds,
    nowMs,
    skipped,
  }: {
    readonly stage: number;
    readonly deviceIds: readonly string[];
    readonly nowMs: number;
    readonly skipped?: SkipReason;
  },
): Promise<void> {
  const { device_id: _each, ...waiting } = newExecution(rollout, '', stage, nowMs);
  const row = skipped === undefined ? waiting : { ...waiting, state: 'skipped' as const, kind: skipped };
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
 * it ran before. Where that is not known or not published any more, what its tag names or the release; where there is
 * none of these either, it stays.
 *
 * @param dueAtMs since when those wait for their turn that run the bundle of the rollout; null for no pace
 */
export async function bringBack(
  work: Work,
  { id, product_id, product }: Pick<RolloutRow, 'id' | 'product_id' | 'product'>,
  dueAtMs: number | null,
  bundleId?: string,
): Promise<void> {
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
      const back = execution.fn.coalesce(
        from,
        tagged,
        published.where('b.tag', '=', 'release'),
        'executions.bundle_id',
      );
      return { bundle_id: bundleId ?? back, due_at: dueAtMs };
    })
    .where('rollout_id', '=', id)
    .where('state', 'in', ['offered', 'downloading', 'installed', 'probation', 'done'])
    .execute();
}

/** Why no rollout brings a device anything at a time, epoch ms. */
export async function skipReasonOf(db: Db, deviceId: string, nowMs: number): Promise<SkipReason | undefined> {
  const row = await db
    .selectFrom('devices as d')
    .leftJoin('pins as p', (join) =>
      join.onRef('p.device_id', '=', 'd.id').on((on) => on.or([on('p.until', 'is', null), on('p.until', '>', nowMs)])),
    )
    .select(['d.state', 'p.bundle_id as pinned'])
    .where('d.id', '=', deviceId)
    .executeTakeFirst();
  return row && skipReason(row);
}

/** The same of a device that has been read. */
export const skipReason = ({
  state,
  pinned,
}: {
  readonly state: string;
  readonly pinned: string | null;
}): SkipReason | undefined => (state === 'disabled' ? 'blocked' : pinned === null ? undefined : 'pinned');

interface Fitting {
  readonly productId: string;
  readonly filter: Filter | undefined;
  readonly nowMs: number;
}

/** The devices of a product that fit a filter, with what keeps some of them out. */
export const fittingDevices = (db: Db, expressions: Expressions, fitting: Fitting) =>
  fittingQuery(db, expressions, fitting).execute();

/** The same with what a preview looks at. */
export const previewedDevices = (db: Db, expressions: Expressions, fitting: Fitting) =>
  fittingQuery(db, expressions, fitting)
    .leftJoin('attributes as a', (join) => join.onRef('a.device_id', '=', 'devices.id').on('a.name', '=', 'free_flash'))
    .select([
      'devices.platform_id',
      'devices.last_seen_at',
      'devices.bversion',
      'devices.tag',
      'a.number as free_flash',
    ])
    .execute();

/** The published bundles of a product, by version and tag. */
export const publishedVersions = (db: Db, productId: string) =>
  db
    .selectFrom('bundles')
    .select(['version', 'tag'])
    .where('product_id', '=', productId)
    .where('state', '=', 'published')
    .execute();

export const platformOf = (db: Db, productId: string) =>
  db.selectFrom('products').select('platform_id').where('id', '=', productId).executeTakeFirstOrThrow();

function fittingQuery(db: Db, expressions: Expressions, { productId, filter, nowMs }: Fitting) {
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
  return fits ? devices.where(fits) : devices;
}
