import { optionalTimestamp, type UpdateRecord } from '@moorage/api';
import { builtForMany, builtOnce } from '../../engine/db/compiled.ts';
import { alike, groupReads, padded, shareReads } from '../../engine/db/groups.ts';
import { type LogEntry, writeLog, writeLogs } from '../../engine/db/logs.ts';
import { onePage, type PageOf, paging } from '../../engine/db/paging.ts';
import { RecordCache } from '../../engine/db/record-cache.ts';
import type { NewRow, Row } from '../../engine/db/schema.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import { beforeCommit } from '../../engine/db/transaction.ts';
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

/** The reads of an OTA query that finds nothing new, compiled once: such a query is the service's busiest call. */
export interface OtaReads {
  /** The bundles of a product that carry a tag: three at most. */
  taggedBundles(db: Db, productId: string): Promise<Candidate[]>;
  updateById(db: Db, id: number): Promise<UpdateRow | undefined>;
  /** The bundle of a product with that id: a list of one, or of none. */
  bundleById(db: Db, productId: string, id: string): Promise<Candidate[]>;
}

/** Products and updates whose rows are remembered for polls. */
const remembered = { products: 1_000, updates: 100_000 } as const;

const findUpdate = builtOnce((db) => db.selectFrom('updates').selectAll().where('id', '=', 0));
const findUpdates = builtForMany((db, ids: readonly number[]) =>
  db.selectFrom('updates').selectAll().where('id', 'in', ids),
);
const findTagged = builtOnce((db) =>
  bundlesOfProduct(db).where('b.product_id', '=', '').where('b.tag', 'is not', null),
);

/** Reads that are built once, so that a poll builds no query; outside of a transaction their answers are remembered. */
export function compileOtaReads({ db, changes }: Pick<Storage, 'db' | 'changes'>): OtaReads {
  const bundles = new RecordCache<Candidate[]>(changes, remembered.products);
  const updates = new RecordCache<UpdateRow>(changes, remembered.updates);
  const readBundles = (from: Db, productId: string): Promise<Candidate[]> =>
    bundlesOnce(from, productId, async () => (await findTagged(from, productId)).map(toCandidate));
  /** Outside of transactions polls that come together share what they read. */
  const sharedBundles = shareReads(async (productId: string) => {
    const keep = bundles.beginRead();
    const candidates = await readBundles(db, productId);
    keep(productId, candidates);
    return candidates;
  });
  const sharedNamed = shareReads((key: string) => {
    const [productId = '', id = ''] = key.split(' ');
    return namedBundle(db, productId, { id });
  });
  const sharedUpdates = groupReads(async (ids: readonly number[]) => {
    const keep = updates.beginRead();
    const rows = await findUpdates(db, ids);
    for (const row of rows) keep(String(row.id), row);
    return new Map(rows.map((row) => [row.id, row]));
  });
  return {
    taggedBundles: async (from, productId) =>
      from === db ? (bundles.get(productId) ?? sharedBundles(productId)) : readBundles(from, productId),
    bundleById: (from, productId, id) =>
      from === db ? sharedNamed(`${productId} ${id}`) : namedBundle(from, productId, { id }),
    updateById: async (from, id) =>
      from === db
        ? (updates.get(String(id)) ?? sharedUpdates(id))
        : (aheadIn.get(from)?.updates.get(id) ?? (await findUpdate(from, id))[0]),
  };
}

const findBundle = builtOnce((db) => bundlesOfProduct(db).where('b.product_id', '=', '').where('b.id', '=', ''));
const findVersion = builtOnce((db) => bundlesOfProduct(db).where('b.product_id', '=', '').where('b.version', '=', ''));

/** The bundle of a product with that id, or with that version: a list of one, or of none. */
export async function namedBundle(
  db: Db,
  productId: string,
  by: { readonly id: string } | { readonly version: string },
): Promise<Candidate[]> {
  const [find, value] = 'id' in by ? [findBundle, by.id] : [findVersion, by.version];
  const key = `${productId} ${'id' in by ? 'id' : 'version'} ${value}`;
  return bundlesOnce(db, key, async () => (await find(db, productId, value)).map(toCandidate));
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

type UpdateChange = Partial<Omit<UpdateRow, 'id'>>;

/** What transactions with many steps have read of updates and bundles, and what they write before the commit. */
interface Ahead {
  readonly updates: Map<number, UpdateRow>;
  readonly bundles: Map<string, Candidate[]>;
  readonly changes: Map<number, UpdateChange>;
  readonly logs: LogEntry[];
}

const aheadIn = new WeakMap<Db, Ahead>();

/** Reads updates for a transaction, all at once, and writes them before its commit; bundles it reads once from now on. */
export async function readUpdatesAhead(trx: Db, ids: readonly number[]): Promise<void> {
  const rows = ids.length > 0 ? await findUpdates(trx, ids) : [];
  const updates = new Map(rows.map((row) => [row.id, row]));
  const ahead: Ahead = { updates, bundles: new Map(), changes: new Map(), logs: [] };
  aheadIn.set(trx, ahead);
  beforeCommit(trx, () => writeBehind(trx, ahead));
}

/** Writes a row of the log of a step, with those of the other steps of its transaction. */
export async function writeStepLog(trx: Db, entry: LogEntry): Promise<void> {
  const ahead = aheadIn.get(trx);
  if (ahead) ahead.logs.push(entry);
  else await writeLog(trx, entry);
}

/** Writes what the steps of a transaction have changed of updates, and their rows of the log. */
async function writeBehind(trx: Db, { changes, logs }: Ahead): Promise<void> {
  for (const [change, ids] of alike(changes)) {
    await trx.updateTable('updates').set(change).where('id', 'in', padded(ids)).execute();
  }
  await writeLogs(trx, logs);
}

/** A tag has been moved: what a transaction has read of bundles does not hold any more. */
export const forgetBundles = (trx: Db): void => aheadIn.get(trx)?.bundles.clear();

/** Bundles that a transaction with many steps reads once. */
async function bundlesOnce(db: Db, key: string, read: () => Promise<Candidate[]>): Promise<Candidate[]> {
  const known = aheadIn.get(db)?.bundles;
  const found = known?.get(key) ?? (await read());
  known?.set(key, found);
  return found;
}

/** Adds an update. A device may name a bundle to come from that is gone, or that never was. */
export async function insertUpdate(trx: Db, update: NewRow<'updates'>): Promise<UpdateRow> {
  const from = trx
    .selectFrom('bundles')
    .select('id')
    .where('id', '=', update.from_bundle_id ?? '');
  const row = { ...update, from_bundle_id: update.from_bundle_id ? from : null };
  const written = await trx.insertInto('updates').values(row).returningAll().executeTakeFirstOrThrow();
  aheadIn.get(trx)?.updates.set(written.id, written);
  return written;
}

/** The update as it is afterwards; what a transaction has read ahead it writes behind. */
export async function changeUpdate(trx: Db, id: number, change: UpdateChange): Promise<UpdateRow> {
  const ahead = aheadIn.get(trx);
  const known = ahead?.updates.get(id);
  if (!ahead || !known) {
    return trx.updateTable('updates').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
  }
  const row = { ...known, ...change };
  ahead.updates.set(id, row);
  ahead.changes.set(id, { ...ahead.changes.get(id), ...change });
  return row;
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
