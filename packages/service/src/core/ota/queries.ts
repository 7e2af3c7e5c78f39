import { optionalTimestamp, type UpdateRecord } from '@moorage/api';
import { builtForMany } from '../../engine/db/compiled.ts';
import { alike, padded } from '../../engine/db/groups.ts';
import type { DeviceRow } from '../../engine/db/hot.ts';
import { type LogEntry, writeLogs } from '../../engine/db/logs.ts';
import { onePage, type PageOf, paging } from '../../engine/db/paging.ts';
import type { NewRow, Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';
import { changedColumns, type Reads, type RowKind, type Work } from '../../engine/db/work.ts';
import { formatBversion } from '../bundles/rules.ts';
import type { BundleFile, Candidate } from './rules.ts';

export type UpdateRow = Row<'updates'>;

const bundlesOfProduct = (db: Db) =>
  db
    .selectFrom('bundles as b')
    .innerJoin('products as p', 'p.id', 'b.product_id')
    .innerJoin('firmwares as f', 'f.id', 'b.firmware_id')
    .select([
      'b.id',
      'b.product_id',
      'b.firmware_id',
      'b.state',
      'b.tag',
      'b.version',
      'b.created_at',
      'p.product',
      'f.label',
      'f.version as firmware_version',
    ]);

type BundleOfProduct = Awaited<ReturnType<ReturnType<typeof bundlesOfProduct>['executeTakeFirstOrThrow']>>;

const toCandidate = (row: BundleOfProduct): Candidate => ({
  id: row.id,
  product_id: row.product_id,
  firmware_id: row.firmware_id,
  state: row.state,
  tag: row.tag,
  version: row.version,
  bversion: formatBversion({
    product: row.product,
    version: row.version,
    createdAtMs: row.created_at,
    firmwareLabel: row.label,
    firmwareVersion: row.firmware_version,
  }),
});

/** Updates by their ids. Those that change alike are written by one statement. */
export const updateRows: RowKind<number, UpdateRow> = {
  read: async (db, ids) => new Map((await findUpdates(db, ids)).map((row) => [row.id, row])),
  async write(trx, changes) {
    const changed = changes.map((change) => [change.key, changedColumns(change)] as const);
    for (const [columns, ids] of alike(changed)) {
      await trx.updateTable('updates').set(columns).where('id', 'in', padded(ids)).execute();
    }
  },
};

const findUpdates = builtForMany((db, ids: readonly number[]) =>
  db.selectFrom('updates').selectAll().where('id', 'in', ids),
);

/** The update whose fields the device's record shows. */
export const currentUpdate = async (
  reads: Reads,
  { update_id }: Pick<DeviceRow, 'update_id'>,
): Promise<UpdateRow | undefined> => (update_id === null ? undefined : reads.get(updateRows, update_id));

/** Rows of the log that the steps of updates write. */
export const stepLogs: RowKind<LogEntry, LogEntry> = {
  read: async () => new Map(),
  write: (trx, entries) =>
    writeLogs(
      trx,
      entries.map(({ key }) => key),
    ),
};

/** The bundles that carry a tag, by product: three at most. */
export const taggedBundles: RowKind<string, Candidate[]> = {
  read: async (db, productIds) =>
    Map.groupBy((await findTagged(db, productIds)).map(toCandidate), ({ product_id }) => product_id),
};

const findTagged = builtForMany((db, productIds: readonly string[]) =>
  bundlesOfProduct(db).where('b.product_id', 'in', productIds).where('b.tag', 'is not', null),
);

/** Bundles by their ids, whatever their products. */
export const bundleRows: RowKind<string, Candidate> = {
  read: async (db, ids) => new Map((await findBundles(db, ids)).map((row) => [row.id, toCandidate(row)])),
};

const findBundles = builtForMany((db, ids: readonly string[]) => bundlesOfProduct(db).where('b.id', 'in', ids));

/** The bundle of a product with that id, or with that version: a list of one, or of none. */
export async function namedBundle(
  db: Db,
  productId: string,
  by: { readonly id: string } | { readonly version: string },
): Promise<Candidate[]> {
  const bundles = bundlesOfProduct(db).where('b.product_id', '=', productId);
  const named = 'id' in by ? bundles.where('b.id', '=', by.id) : bundles.where('b.version', '=', by.version);
  return (await named.execute()).map(toCandidate);
}

/** What selection needs of the product that a device is activated to. */
export const findProduct = (db: Db, id: string) =>
  db.selectFrom('products').select(['product', 'production']).where('id', '=', id).executeTakeFirstOrThrow();

const fileColumns = ['id', 'filename', 'type', 'version', 'mime', 'size', 'crc', 'sha256', 'created_at'] as const;

/** All files of a bundle and of its firmware, by name. */
export async function filesOfBundle(db: Db, bundleId: string): Promise<BundleFile[]> {
  const firmware = await db
    .selectFrom('firmware_files as f')
    .innerJoin('bundles as b', 'b.firmware_id', 'f.firmware_id')
    .select(fileColumns.map((column) => `f.${column}` as const))
    .where('b.id', '=', bundleId)
    .orderBy('f.filename')
    .execute();
  const resources = await db
    .selectFrom('resources')
    .select([...fileColumns, 'exclude'])
    .where('bundle_id', '=', bundleId)
    .orderBy('filename')
    .execute();
  return [
    ...firmware.map((file) => ({ ...file, source: 'firmware' as const, exclude: 0 as const })),
    ...resources.map((file) => ({ ...file, source: 'resource' as const })),
  ];
}

/** Adds an update. A device may name a bundle to come from that is gone, or that never was. */
export async function insertUpdate(work: Work, update: NewRow<'updates'>): Promise<UpdateRow> {
  const from = work.db
    .selectFrom('bundles')
    .select('id')
    .where('id', '=', update.from_bundle_id ?? '');
  const row = { ...update, from_bundle_id: update.from_bundle_id ? from : null };
  const written = await work.db.insertInto('updates').values(row).returningAll().executeTakeFirstOrThrow();
  work.hold(updateRows, written.id, written);
  return written;
}

/** Updates that reached a state before a time and are still in it, by id from `after` on. */
export const staleUpdates = (
  db: Db,
  state: 'downloading' | 'installed',
  beforeMs: number,
  after: number,
  limit: number,
) =>
  db
    .selectFrom('updates')
    .select(['id', 'device_id', 'product_id'])
    .where('state', '=', state)
    .where(`${state}_at`, '<', beforeMs)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** One page of the updates of a device. */
export async function listUpdates(
  db: Db,
  deviceId: string,
  query: PageOf<'id' | '-id'> & { readonly state?: UpdateRow['state'] },
): Promise<{ items: UpdateRow[]; total: number }> {
  const page = paging(query, '-id');
  let matching = db.selectFrom('updates').where('device_id', '=', deviceId);
  if (query.state) matching = matching.where('state', '=', query.state);
  const items = matching.selectAll().orderBy(page.field, page.direction);
  return onePage(items, matching, page);
}

export const toUpdateRecord = (row: UpdateRow): UpdateRecord => ({
  id: row.id,
  device_id: row.device_id,
  product_id: row.product_id,
  cause: row.cause,
  from_bundle_id: row.from_bundle_id,
  from_bversion: row.from_bversion,
  bundle_id: row.to_bundle_id,
  bundle: row.to_version,
  bversion: row.to_bversion,
  state: row.state,
  result: row.result,
  reason: row.reason,
  created_at: String(row.created_at),
  downloading_at: optionalTimestamp(row.downloading_at),
  installed_at: optionalTimestamp(row.installed_at),
  finished_at: optionalTimestamp(row.finished_at),
});
