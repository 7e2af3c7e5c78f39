import type { BundleListQuery } from '@moorage/api';
import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import { bothOf, type Paging } from '../../engine/db/paging.ts';
import type { NewRow, Row, Schema } from '../../engine/db/schema.ts';
import { finds } from '../../engine/db/statements.ts';
import type { Db } from '../../engine/db/storage.ts';
import { reachability } from '../access/catalogue.ts';
import type { Viewer } from '../access/viewer.ts';

export type BundleRow = Row<'bundles'>;
export type ResourceRow = Row<'resources'>;
type BundleQuery<O> = SelectQueryBuilder<Schema, 'bundles', O>;

/** To whom bundles are shown that a device of theirs may get, and only those. */
export interface Offered {
  readonly userId: string;
  /** Every published bundle may be got; without it only what is on offer to a device of theirs. */
  readonly published: boolean;
}

const onOffer =
  ({ userId, published }: Offered) =>
  (eb: ExpressionBuilder<Schema, 'bundles'>) => {
    // What a device is getting, or runs, stays in sight of its owner when it is archived.
    const underWay = eb(
      'bundles.id',
      'in',
      eb
        .selectFrom('devices')
        .innerJoin('updates', 'updates.id', 'devices.update_id')
        .select('updates.to_bundle_id')
        .where('devices.user_id', '=', userId)
        .where('updates.to_bundle_id', 'is not', null)
        .$castTo<{ to_bundle_id: string }>(),
    );
    return published ? eb.or([eb('bundles.state', '=', 'published'), underWay]) : underWay;
  };

/** Whether a bundle is one of those. */
export async function isOnOffer(db: Db, id: string, offered: Offered): Promise<boolean> {
  const found = db.selectFrom('bundles').select('bundles.id').where('bundles.id', '=', id).where(onOffer(offered));
  return (await found.executeTakeFirst()) !== undefined;
}

/**
 * Bundles with every field that a record computes. Only the rows of `page` are computed.
 *
 * @param sight whose devices are counted: all, or those of the one to whom the bundle is on offer
 */
const computeBundles = (db: Db, page: BundleQuery<BundleRow>, sight: 'all' | Offered) =>
  db
    .selectFrom(page.as('bundles'))
    .innerJoin('products', 'products.id', 'bundles.product_id')
    .innerJoin('platforms', 'platforms.id', 'products.platform_id')
    .innerJoin('firmwares', 'firmwares.id', 'bundles.firmware_id')
    .selectAll('bundles')
    .select((eb) => [
      'products.product',
      'products.part_number',
      'products.platform_id',
      'platforms.code as platform',
      'firmwares.label as firmware',
      'firmwares.version as firmware_version',
      // API-FIELD-bundle-device_count: devices whose current update leads to this bundle.
      eb
        .selectFrom('updates')
        .innerJoin('devices', 'devices.update_id', 'updates.id')
        .whereRef('updates.to_bundle_id', '=', 'bundles.id')
        .$if(sight !== 'all', (own) => own.where('devices.user_id', '=', sight === 'all' ? '' : sight.userId))
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('device_count'),
      // API-FIELD-bundle-device_count_bundle_ok: those of them that reported it after their restart.
      eb
        .selectFrom('updates')
        .innerJoin('devices', 'devices.update_id', 'updates.id')
        .whereRef('updates.to_bundle_id', '=', 'bundles.id')
        .where('updates.state', '=', 'done')
        .$if(sight !== 'all', (own) => own.where('devices.user_id', '=', sight === 'all' ? '' : sight.userId))
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('device_count_bundle_ok'),
    ]);

export type BundleView = Awaited<ReturnType<ReturnType<typeof computeBundles>['executeTakeFirstOrThrow']>>;

/** A bundle with every field that its record computes. */
export const bundleView = (db: Db, id: string, sight: 'all' | Offered): Promise<BundleView | undefined> =>
  computeBundles(
    db,
    db.selectFrom('bundles').selectAll('bundles').where('bundles.id', '=', id),
    sight,
  ).executeTakeFirst();

/** The row of a bundle, which is enough to judge what may be done with it. */
export const bundleById = (db: Db, id: string): Promise<BundleRow | undefined> =>
  db.selectFrom('bundles').selectAll().where('id', '=', id).executeTakeFirst();

/** One page of a product's bundles that are in sight, and how many fit in all. An empty tag leaves the untagged ones. */
export async function listBundles(
  db: Db,
  productId: string,
  filter: BundleListQuery,
  page: Paging<'created_at' | 'version'>,
  sight: 'all' | Offered,
): Promise<{ items: BundleView[]; total: number }> {
  let query = db.selectFrom('bundles').where('bundles.product_id', '=', productId);
  if (sight !== 'all') query = query.where(onOffer(sight));
  if (filter.state !== undefined) query = query.where('bundles.state', '=', filter.state);
  if (filter.tag === '') query = query.where('bundles.tag', 'is', null);
  else if (filter.tag !== undefined) query = query.where('bundles.tag', '=', filter.tag);
  // Versions sort as numbers: by the key, not by the text (API-VER-1).
  const column = page.field === 'version' ? 'bundles.version_key' : 'bundles.created_at';
  const rows = query
    .selectAll('bundles')
    .orderBy(column, page.direction)
    .orderBy('bundles.version_key', page.direction)
    .limit(page.limit)
    .offset(page.offset);
  const items = computeBundles(db, rows, sight)
    .orderBy(column, page.direction)
    .orderBy('bundles.version_key', page.direction)
    .execute();
  const count = query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return bothOf(items, count);
}

/** The bundle that holds a tag: in one product there is one at most. */
export const bundleByTag = (db: Db, productId: string, tag: NonNullable<BundleRow['tag']>) =>
  db.selectFrom('bundles').select('id').where('product_id', '=', productId).where('tag', '=', tag).executeTakeFirst();

/** The highest version of a product's bundles, compared as numbers. */
export const highestVersion = (db: Db, productId: string) =>
  db
    .selectFrom('bundles')
    .select('version')
    .where('product_id', '=', productId)
    .orderBy('version_key', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Whether a bundle of the product has this version already. */
export const versionTaken = (db: Db, productId: string, version: string): Promise<boolean> =>
  finds(db.selectFrom('bundles').select('id').where('product_id', '=', productId).where('version', '=', version));

/** What a new bundle has to know of its firmware, where that is open to the viewer. */
export const firmwareForBundle = (db: Db, id: string, viewer: Viewer) =>
  db
    .selectFrom('firmwares')
    .select(['id', 'platform_id', 'flavor_id', 'label'])
    .where('id', '=', id)
    .where((eb) => eb(reachability(viewer, eb.ref('platform_id'), eb.ref('flavor_id')), '=', 1))
    .executeTakeFirst();

/** Adds a bundle. A version or tag that its product has already violates an index. */
export const insertBundle = (db: Db, row: NewRow<'bundles'>) => db.insertInto('bundles').values(row).execute();

/** Writes a state that the rules have allowed. */
export const setBundleState = (db: Db, id: string, state: BundleRow['state']) =>
  db.updateTable('bundles').set({ state }).where('id', '=', id).execute();

/**
 * Removes a bundle. Its resources go with it, and updates to or from it forget it but keep their version texts
 * (foreign keys). Spec: API-RULE-bundle-4, API-RULE-bundle-create-6.
 */
export const deleteBundle = (db: Db, id: string) => db.deleteFrom('bundles').where('id', '=', id).execute();

/** Takes a tag from whichever bundle of the product holds it. Spec: API-RULE-tag-1. */
export const clearTag = (db: Db, productId: string, tag: NonNullable<BundleRow['tag']>) =>
  db.updateTable('bundles').set({ tag: null }).where('product_id', '=', productId).where('tag', '=', tag).execute();

/** Writes a tag that no other bundle holds; `null` takes the one it has. */
export const setBundleTag = (db: Db, id: string, tag: BundleRow['tag']) =>
  db.updateTable('bundles').set({ tag }).where('id', '=', id).execute();

/** Resources of a bundle in the order in which they were added. */
export const resourcesOfBundle = (db: Db, bundleId: string): Promise<ResourceRow[]> =>
  db
    .selectFrom('resources')
    .selectAll()
    .where('bundle_id', '=', bundleId)
    .orderBy('created_at')
    .orderBy('filename')
    .execute();

/** A resource of this bundle; that of another is not found. */
export const resourceById = (db: Db, bundleId: string, id: string): Promise<ResourceRow | undefined> =>
  db.selectFrom('resources').selectAll().where('bundle_id', '=', bundleId).where('id', '=', id).executeTakeFirst();

/** Whether the bundle has a resource of this name already. */
export const filenameTaken = (db: Db, bundleId: string, filename: string): Promise<boolean> =>
  finds(db.selectFrom('resources').select('id').where('bundle_id', '=', bundleId).where('filename', '=', filename));

/** Adds a resource, whose blob is recorded already, with what it says of itself. */
export async function insertResource(
  db: Db,
  row: NewRow<'resources'>,
  header: { readonly name: string; readonly deviceTypes: readonly string[] } | undefined,
): Promise<void> {
  await db.insertInto('resources').values(row).execute();
  if (!header) return;
  const said = { resource_id: row.id, name: header.name, device_types: JSON.stringify(header.deviceTypes) };
  await db.insertInto('artifact_headers').values(said).execute();
}

/** Removes a resource; its blob goes later, if nothing else refers to it. */
export const deleteResource = (db: Db, id: string) => db.deleteFrom('resources').where('id', '=', id).execute();

/** What the artifacts of a bundle say of themselves. */
export async function headersOf(db: Db, bundleId: string) {
  const rows = db
    .selectFrom('artifact_headers as h')
    .innerJoin('resources as r', 'r.id', 'h.resource_id')
    .select(['r.filename', 'h.name', 'h.device_types'])
    .where('r.bundle_id', '=', bundleId)
    .orderBy('r.filename');
  return (await rows.execute()).map(({ filename, name, device_types: types }) => ({
    filename,
    name,
    // Safe: the service has written the list.
    deviceTypes: JSON.parse(types) as readonly string[],
  }));
}

/** Puts bundles that one user has made under the name of another. */
export const handOverBundles = (trx: Db, from: string, to: string) =>
  trx.updateTable('bundles').set({ user_id: to }).where('user_id', '=', from).execute();
