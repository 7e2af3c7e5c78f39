import type { Insertable, Selectable, Updateable } from 'kysely';
import { watchedProductIds } from '../../../core/access/logs.ts';
import type { Viewer } from '../../../core/access/viewer.ts';
import { builtForMany } from '../../../engine/db/compiled.ts';
import { onePage, type PageOf, paging } from '../../../engine/db/paging.ts';
import type { FleetSettingsTable, FreezeTable, PinTable } from '../../../engine/db/schema.ts';
import type { Db } from '../../../engine/db/storage.ts';
import type { RowKind } from '../../../engine/db/work.ts';

const findPins = builtForMany((db, deviceIds: readonly string[]) =>
  db.selectFrom('pins').selectAll().where('device_id', 'in', deviceIds),
);

/** Pins, by device. */
export const pinRows: RowKind<string, Selectable<PinTable>> = {
  read: async (db, ids) => new Map((await findPins(db, ids)).map((row) => [row.device_id, row])),
};

/** What may hold or move the devices of a product. */
export interface ProductHolds {
  /** Whether there are any pins. */
  readonly pins: boolean;
  readonly freeze: { readonly reason: string; readonly until: number | null } | undefined;
  /** The rollouts that have a say, the one with the highest priority first, then the youngest. */
  readonly rolloutIds: readonly string[];
  readonly zone: string | null;
  readonly pollIntervalS: number | null;
}

// One row for each rollout that has a say; one without any.
const findHolds = builtForMany((db, productIds: readonly string[]) =>
  db
    .selectFrom('products as p')
    .leftJoin('freezes as f', 'f.product_id', 'p.id')
    .leftJoin('fleet_settings as s', 's.product_id', 'p.id')
    .leftJoin('rollouts as r', (join) =>
      join.onRef('r.product_id', '=', 'p.id').on(({ eb, lit }) => eb('r.holds', '=', lit(1))),
    )
    .select(['p.id', 'r.id as rollout_id', 's.zone', 's.poll_interval_s', 'f.reason', 'f.until'])
    .select((eb) => eb.exists(eb.selectFrom('pins').select('pins.device_id')).as('pins'))
    .where('p.id', 'in', productIds)
    .orderBy('r.priority', 'desc')
    .orderBy('r.created_at', 'desc')
    .orderBy('r.id'),
);

/** What may hold or move devices, by product. */
export const productHolds: RowKind<string, ProductHolds> = {
  async read(db, ids) {
    const found = new Map<string, ProductHolds>();
    for (const { id, rollout_id, reason, until, zone, poll_interval_s, pins } of await findHolds(db, ids)) {
      const rolloutIds = [...(found.get(id)?.rolloutIds ?? []), ...(rollout_id === null ? [] : [rollout_id])];
      const freeze = reason === null ? undefined : { reason, until };
      found.set(id, { pins: Boolean(pins), freeze, rolloutIds, zone, pollIntervalS: poll_interval_s });
    }
    return found;
  },
};

const findZones = builtForMany((db, deviceIds: readonly string[]) =>
  db.selectFrom('labels').select(['device_id', 'value']).where('name', '=', 'tz').where('device_id', 'in', deviceIds),
);

/** The time zones that devices have as a label. */
export const zoneLabels: RowKind<string, string> = {
  read: async (db, ids) => new Map((await findZones(db, ids, 'tz')).map(({ device_id, value }) => [device_id, value])),
};

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

/** One page of the freezes that hold at a time, of all products that the viewer watches. */
export async function listFreezes(
  db: Db,
  {
    viewer,
    productId,
    nowMs,
  }: { readonly viewer: Viewer; readonly productId: string | undefined; readonly nowMs: number },
  query: PageOf<'created_at' | '-created_at'>,
) {
  const page = paging(query, '-created_at');
  let fitting = db
    .selectFrom('freezes as f')
    .innerJoin('products as p', 'p.id', 'f.product_id')
    .where((eb) => eb.or([eb('f.until', 'is', null), eb('f.until', '>', nowMs)]));
  if (viewer !== 'everyone') fitting = fitting.where('p.id', 'in', watchedProductIds(db, viewer));
  if (productId !== undefined) fitting = fitting.where('p.id', '=', productId);
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
const noSettings: Omit<Selectable<FleetSettingsTable>, 'product_id' | 'updated_at'> = {
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
export const putFleetSettings = (trx: Db, row: Insertable<FleetSettingsTable>) => {
  const { product_id: _product, ...change }: Updateable<FleetSettingsTable> = row;
  return trx
    .insertInto('fleet_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('product_id').doUpdateSet(change))
    .execute();
};

/** Devices woken in a minute where a product names no number. */
const usualWakes = 1_000;

/** Devices of a product that are woken in a minute. */
export const wakesPerMinute = async (db: Db, productId: string): Promise<number> =>
  (await fleetSettingsOf(db, productId)).wake_per_minute ?? usualWakes;
