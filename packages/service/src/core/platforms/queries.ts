import { randomUUID } from 'node:crypto';
import { onePage, type Paging } from '../../engine/db/paging.ts';
import type { NewRow, Row } from '../../engine/db/schema.ts';
import { finds } from '../../engine/db/statements.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import { type CatalogueKind, isOpenTo, reachability } from '../access/catalogue.ts';
import type { Viewer } from '../access/viewer.ts';

export type PlatformRow = Row<'platforms'>;
export type FlavorRow = Row<'flavors'>;
export type FirmwareRow = Row<'firmwares'>;
export type FirmwareFileRow = Row<'firmware_files'>;

/** One page of the platforms that are open to the viewer, and how many fit in all. `q` is a part of code or title. */
export async function listPlatforms(
  storage: Storage,
  viewer: Viewer,
  q: string | undefined,
  page: Paging<'created_at' | 'code' | 'title'>,
): Promise<{ items: PlatformRow[]; total: number }> {
  const { contains } = storage.expressions;
  let query = storage.db.selectFrom('platforms').where((eb) => isOpenTo(viewer, 'platform', eb.ref('platforms.id')));
  if (q) {
    query = query.where((eb) => eb.or([contains(eb.ref('platforms.code'), q), contains(eb.ref('platforms.title'), q)]));
  }
  const items = query.selectAll('platforms').orderBy(page.field, page.direction).orderBy('id', page.direction);
  return onePage(items, query, page);
}

/** The row of a platform. */
export const platformById = (db: Db, id: string): Promise<PlatformRow | undefined> =>
  db.selectFrom('platforms').selectAll().where('id', '=', id).executeTakeFirst();

/** The row of a platform that is open to the viewer. */
export const openPlatform = (db: Db, viewer: Viewer, id: string): Promise<PlatformRow | undefined> =>
  db
    .selectFrom('platforms')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => isOpenTo(viewer, 'platform', eb.ref('platforms.id')))
    .executeTakeFirst();

/** What of a new platform is taken already. */
export const platformTaken = (db: Db, code: string, partId: string | null): Promise<PlatformRow | undefined> =>
  db
    .selectFrom('platforms')
    .selectAll()
    .where((eb) => eb.or([eb('code', '=', code), ...(partId === null ? [] : [eb('part_id', '=', partId)])]))
    .orderBy('created_at')
    .executeTakeFirst();

/** Adds a platform, which has no flavor and no base edition yet. */
export const insertPlatform = (db: Db, row: NewRow<'platforms'>) => db.insertInto('platforms').values(row).execute();

/** Makes a product the one that devices of the platform have when they leave the factory. */
export const setBaseEdition = (db: Db, platformId: string, productId: string) =>
  db.updateTable('platforms').set({ product_id: productId }).where('id', '=', platformId).execute();

/** Flavors of platforms that are open to the viewer, each with the platform that has it, by code. */
export const flavorsOfPlatforms = (
  db: Db,
  viewer: Viewer,
  platformIds: readonly string[],
): Promise<(FlavorRow & { platform_id: string })[]> =>
  platformIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('platform_flavors')
        .innerJoin('flavors', 'flavors.id', 'platform_flavors.flavor_id')
        .selectAll('flavors')
        .select('platform_flavors.platform_id')
        .where('platform_flavors.platform_id', 'in', [...platformIds])
        .where((eb) => isOpenTo(viewer, 'flavor', eb.ref('flavors.id')))
        .orderBy('flavors.code')
        .execute();

/** The flavor of a code, in upper case: platforms share flavors by it. */
export const flavorByCode = (db: Db, code: string): Promise<FlavorRow | undefined> =>
  db.selectFrom('flavors').selectAll().where('code', '=', code).executeTakeFirst();

/** The row of a flavor. */
export const flavorById = (db: Db, id: string): Promise<FlavorRow | undefined> =>
  db.selectFrom('flavors').selectAll().where('id', '=', id).executeTakeFirst();

/** Whether the platform has the flavor. */
export const hasFlavor = (db: Db, platformId: string, flavorId: string): Promise<boolean> =>
  finds(
    db
      .selectFrom('platform_flavors')
      .select('flavor_id')
      .where('platform_id', '=', platformId)
      .where('flavor_id', '=', flavorId),
  );

/** Adds a flavor that no platform has yet. */
export const insertFlavor = (db: Db, row: NewRow<'flavors'>) => db.insertInto('flavors').values(row).execute();

/** Gives a platform a flavor. */
export const linkFlavor = (db: Db, platformId: string, flavorId: string) =>
  db.insertInto('platform_flavors').values({ platform_id: platformId, flavor_id: flavorId }).execute();

/** Firmware of a platform, of the flavors that are open to the viewer, newest first. Reference: records 1.3. */
export const firmwaresOfPlatform = (db: Db, viewer: Viewer, platformId: string): Promise<FirmwareRow[]> =>
  db
    .selectFrom('firmwares')
    .selectAll()
    .where('platform_id', '=', platformId)
    .where((eb) => isOpenTo(viewer, 'flavor', eb.ref('flavor_id')))
    .orderBy('created_at', 'desc')
    .orderBy('version_key', 'desc')
    .orderBy('id')
    .execute();

/** Whether the platform has this build of this edition already. */
export const firmwareTaken = (
  db: Db,
  wanted: Pick<FirmwareRow, 'platform_id' | 'flavor_id' | 'label' | 'version'>,
): Promise<boolean> =>
  finds(
    db
      .selectFrom('firmwares')
      .select('id')
      .where('platform_id', '=', wanted.platform_id)
      .where('flavor_id', '=', wanted.flavor_id)
      .where('label', '=', wanted.label)
      .where('version', '=', wanted.version),
  );

/** The files of all firmware of a platform, by name. */
export const filesOfFirmwares = (db: Db, platformId: string): Promise<FirmwareFileRow[]> =>
  db
    .selectFrom('firmware_files')
    .innerJoin('firmwares', 'firmwares.id', 'firmware_files.firmware_id')
    .selectAll('firmware_files')
    .where('firmwares.platform_id', '=', platformId)
    .orderBy('firmware_files.filename')
    .execute();

/** Adds a firmware with its files; their blobs are recorded already. */
export async function insertFirmware(
  db: Db,
  firmware: NewRow<'firmwares'>,
  files: readonly NewRow<'firmware_files'>[],
): Promise<void> {
  await db.insertInto('firmwares').values(firmware).execute();
  if (files.length > 0)
    await db
      .insertInto('firmware_files')
      .values([...files])
      .execute();
}

/** All platforms that are open to the viewer, by code; there are few. */
export const allPlatforms = (db: Db, viewer: Viewer): Promise<PlatformRow[]> =>
  db
    .selectFrom('platforms')
    .selectAll()
    .where((eb) => isOpenTo(viewer, 'platform', eb.ref('platforms.id')))
    .orderBy('code')
    .execute();

/** All firmware that is open to the viewer, newest first, and all files of firmware. */
export async function allFirmware(
  db: Db,
  viewer: Viewer,
): Promise<{ firmwares: FirmwareRow[]; files: FirmwareFileRow[] }> {
  const firmwares = await db
    .selectFrom('firmwares')
    .selectAll()
    .where((eb) => eb(reachability(viewer, eb.ref('platform_id'), eb.ref('flavor_id')), '=', 1))
    .orderBy('created_at', 'desc')
    .orderBy('version_key', 'desc')
    .orderBy('id')
    .execute();
  return { firmwares, files: await db.selectFrom('firmware_files').selectAll().orderBy('filename').execute() };
}

const grantColumns = { platform: 'platform_id', flavor: 'flavor_id' } as const satisfies Record<CatalogueKind, string>;
const tables = { platform: 'platforms', flavor: 'flavors' } as const satisfies Record<CatalogueKind, string>;

/** To whom a platform or flavor has been given, by name. */
export const grantsOf = (db: Db, kind: CatalogueKind, id: string) =>
  db
    .selectFrom('catalogue_grants')
    .leftJoin('users', 'users.id', 'catalogue_grants.user_id')
    .leftJoin('customers', 'customers.id', 'catalogue_grants.customer_id')
    .select(['user_id', 'users.username as user', 'catalogue_grants.customer_id', 'customers.name as customer'])
    .where(grantColumns[kind], '=', id)
    .orderBy('users.username')
    .orderBy('customers.name')
    .execute();

/** Says to whom a platform or flavor is given, in place of what was said before. */
export async function replaceGrants(
  trx: Db,
  kind: CatalogueKind,
  id: string,
  {
    restricted,
    users,
    customers,
    atMs,
  }: {
    readonly restricted: boolean;
    readonly users: ReadonlySet<string>;
    readonly customers: ReadonlySet<string>;
    readonly atMs: number;
  },
): Promise<void> {
  await trx
    .updateTable(tables[kind])
    .set({ restricted: restricted ? 1 : 0 })
    .where('id', '=', id)
    .execute();
  await trx.deleteFrom('catalogue_grants').where(grantColumns[kind], '=', id).execute();
  const grant = { platform_id: null, flavor_id: null, [grantColumns[kind]]: id, created_at: atMs };
  const rows = [
    ...[...users].map((user_id) => ({ ...grant, id: randomUUID(), user_id, customer_id: null })),
    ...[...customers].map((customer_id) => ({ ...grant, id: randomUUID(), user_id: null, customer_id })),
  ];
  if (rows.length > 0) await trx.insertInto('catalogue_grants').values(rows).execute();
}

/** The customer of a name, in lower case. */
export const customerByName = (db: Db, name: string) =>
  db.selectFrom('customers').select('id').where('name', '=', name).executeTakeFirst();
