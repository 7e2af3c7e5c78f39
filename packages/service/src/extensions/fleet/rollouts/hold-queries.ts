import { watchedProductIds } from '../../../core/access/logs.ts';
import type { Viewer } from '../../../core/access/viewer.ts';
import { usualWakesPerMinute } from '../../../core/channel/hooks.ts';
import { onePage, type PageOf, paging } from '../../../engine/db/paging.ts';
import type { NewRow, Row, RowChange } from '../../../engine/db/schema.ts';
import type { Db } from '../../../engine/db/storage.ts';

export const pinOf = (db: Db, deviceId: string): Promise<Row<'pins'> | undefined> =>
  db.selectFrom('pins').selectAll().where('device_id', '=', deviceId).executeTakeFirst();

/** How many devices are pinned to a bundle. */
export async function pinsOf(db: Db, bundleId: string): Promise<number> {
  const pins = db.selectFrom('pins').where('bundle_id', '=', bundleId);
  const { n } = await pins.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  return Number(n);
}

export const putPin = (trx: Db, { device_id, ...row }: Row<'pins'>) =>
  trx
    .insertInto('pins')
    .values({ device_id, ...row })
    .onConflict((conflict) => conflict.column('device_id').doUpdateSet(row))
    .execute();

export const deletePin = (trx: Db, deviceId: string) =>
  trx.deleteFrom('pins').where('device_id', '=', deviceId).execute();

/** Deletes the pins of devices to bundles that are not of their product. Returns whether there were any. */
export async function deleteForeignPins(trx: Db, deviceIds: readonly string[]): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('pins')
    .where('device_id', 'in', [...deviceIds])
    .where(({ not, exists, selectFrom }) => {
      const own = selectFrom('bundles as b').innerJoin('devices as d', 'd.product_id', 'b.product_id').select('b.id');
      return not(exists(own.whereRef('b.id', '=', 'pins.bundle_id').whereRef('d.id', '=', 'pins.device_id')));
    })
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export const freezeOf = (db: Db, productId: string): Promise<Row<'freezes'> | undefined> =>
  db.selectFrom('freezes').selectAll().where('product_id', '=', productId).executeTakeFirst();

export const putFreeze = (trx: Db, { product_id, ...row }: Row<'freezes'>) =>
  trx
    .insertInto('freezes')
    .values({ product_id, ...row })
    .onConflict((conflict) => conflict.column('product_id').doUpdateSet(row))
    .execute();

export const deleteFreeze = (trx: Db, productId: string) =>
  trx.deleteFrom('freezes').where('product_id', '=', productId).execute();

/** One page of the freezes that hold at a time, of all products that the viewer watches. */
export async function listFreezes(
  db: Db,
  {
    viewer,
    productId,
    everywhere,
    nowMs,
  }: {
    readonly viewer: Viewer;
    readonly productId: string | undefined;
    /** Those of the emergency stop of everything, or the others; all without it. */
    readonly everywhere: boolean | undefined;
    readonly nowMs: number;
  },
  query: PageOf<'created_at' | '-created_at'>,
) {
  const page = paging(query, '-created_at');
  let fitting = db
    .selectFrom('freezes as f')
    .innerJoin('products as p', 'p.id', 'f.product_id')
    .where((eb) => eb.or([eb('f.until', 'is', null), eb('f.until', '>', nowMs)]));
  if (viewer !== 'everyone') fitting = fitting.where('p.id', 'in', watchedProductIds(db, viewer));
  if (productId !== undefined) fitting = fitting.where('p.id', '=', productId);
  if (everywhere !== undefined) fitting = fitting.where('f.everywhere', '=', everywhere ? 1 : 0);
  const items = fitting
    .selectAll('f')
    .select('p.product')
    .orderBy('f.created_at', page.direction)
    .orderBy('f.product_id', page.direction);
  return onePage(items, fitting, page);
}

/** Freezes every product that is not frozen. Returns how many these are. */
export async function freezeEverywhere(trx: Db, reason: string, atMs: number): Promise<number> {
  const products = await trx
    .selectFrom('products')
    .leftJoin('freezes', 'freezes.product_id', 'products.id')
    .select('products.id')
    .where('freezes.product_id', 'is', null)
    .execute();
  const rows = products.map(({ id: product_id }) => ({
    product_id,
    reason,
    until: null,
    everywhere: 1 as const,
    created_at: atMs,
  }));
  for (let at = 0; at < rows.length; at += statementRows) {
    await trx
      .insertInto('freezes')
      .values(rows.slice(at, at + statementRows))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  return rows.length;
}

/** Rows of one statement: both databases limit its parameters. */
const statementRows = 1_000;

/** Ends the freezes that the emergency stop of everything has made. Returns how many these were. */
export async function thawEverywhere(trx: Db): Promise<number> {
  const { numDeletedRows } = await trx.deleteFrom('freezes').where('everywhere', '=', 1).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** What a product says that has never said anything. */
const noSettings: Omit<Row<'fleet_settings'>, 'product_id' | 'updated_at'> = {
  zone: null,
  wake_per_minute: null,
  poll_interval_s: null,
  template: null,
  settings: null,
};

/** What holds for the fleet of a product. */
export async function fleetSettingsOf(db: Db, productId: string): Promise<typeof noSettings> {
  const row = await db.selectFrom('fleet_settings').selectAll().where('product_id', '=', productId).executeTakeFirst();
  if (!row) return noSettings;
  const { product_id: _product, updated_at: _at, ...settings } = row;
  return settings;
}

/** Writes what holds for the fleet of a product. */
export const putFleetSettings = (trx: Db, row: NewRow<'fleet_settings'>) => {
  const { product_id: _product, ...change }: RowChange<'fleet_settings'> = row;
  return trx
    .insertInto('fleet_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('product_id').doUpdateSet(change))
    .execute();
};

/** Devices woken in a minute where a product names no number. */
/** Devices of a product that are woken in a minute. */
export const wakesPerMinute = async (db: Db, productId: string): Promise<number> =>
  (await fleetSettingsOf(db, productId)).wake_per_minute ?? usualWakesPerMinute;
