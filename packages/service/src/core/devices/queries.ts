import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import { builtOnce } from '../../engine/db/compiled.ts';
import { padded } from '../../engine/db/groups.ts';
import type { NewRow, Row, RowChange, Schema } from '../../engine/db/schema.ts';
import type { Db, Expressions } from '../../engine/db/storage.ts';
import { workOf } from '../../engine/db/transaction.ts';
import { deviceHealth } from './health.ts';
import type { DeviceHooks } from './hooks.ts';
import type { DeviceKey } from './rules.ts';
import { standing, wantedBundle } from './standing.ts';

export type DeviceRows = SelectQueryBuilder<Schema, 'devices', Row<'devices'>>;

/** Devices with the labels of what they belong to and the fields of their current update. Reference: records 1.1. */
const detailed = (db: Db, viewerId: string, rows: DeviceRows = db.selectFrom('devices').selectAll('devices')) =>
  db
    .selectFrom(rows.as('devices'))
    .innerJoin('platforms as pf', 'pf.id', 'devices.platform_id')
    .innerJoin('products as p', 'p.id', 'devices.product_id')
    .leftJoin('users as u', 'u.id', 'devices.user_id')
    .leftJoin('updates as up', 'up.id', 'devices.update_id')
    .leftJoin('product_users as pu', (join) =>
      join.onRef('pu.product_id', '=', 'devices.product_id').on('pu.user_id', '=', viewerId),
    )
    .leftJoin('channels as ch', 'ch.device_id', 'devices.id')
    .leftJoin('telemetry as t', 't.device_id', 'devices.id')
    .selectAll('devices')
    .select([
      'pf.code as platform',
      'pf.product_id as base_product_id',
      'pf.part_id',
      'p.product',
      'p.production',
      'p.claimable',
      'p.customer_id',
      'p.user_id as product_user_id',
      'pu.role as membership',
      'u.username as user',
      'up.to_bundle_id',
      'up.to_version',
      'up.state as update_state',
      'up.result as ota_result',
      'up.reason as update_reason',
      'up.created_at as offered_at',
      'up.downloading_at',
      'up.installed_at',
      'up.finished_at',
      'ch.connected_at as online_since',
      't.data as telemetry',
    ])
    .select((select) =>
      select
        .selectFrom('device_nodes as n')
        .select((counting) => counting.fn.countAll<number>().as('nodes'))
        .whereRef('n.device_id', '=', 'devices.id')
        .as('node_count'),
    );

export type DetailedDevice = Awaited<ReturnType<ReturnType<typeof detailed>['executeTakeFirstOrThrow']>>;

/** The hooks that say what a record shows of a time. */
export type RecordHooks = Pick<DeviceHooks, 'wantedFirst' | 'pollInterval'>;

/** The same with how they stand and are heard from at a time, epoch ms: all that their records show. */
export const recorded = (db: Db, viewerId: string, hooks: RecordHooks, nowMs: number, rows?: DeviceRows) =>
  detailed(db, viewerId, rows)
    .leftJoin('bundles as sw', (join) => join.on('sw.id', '=', wantedBundle(hooks.wantedFirst?.(nowMs))))
    .select(['sw.version as wanted_version', standing.as('standing'), deviceHealth(hooks, nowMs).as('health')]);

export type RecordedDevice = Awaited<ReturnType<ReturnType<typeof recorded>['executeTakeFirstOrThrow']>>;

const hasAddress = ({ eb, or }: ExpressionBuilder<Pick<Schema, 'devices'>, 'devices'>) =>
  or([eb('devices.mac', '=', ''), eb('devices.bt_addr', '=', '')]);

// Statements with these names are among the busiest, and to build one takes longer than SQLite runs it. Their parameters
// are in the order of the text: the viewer in a join, the time in another, then the key.
const findBy = {
  id: builtOnce((db) => detailed(db, '').where('devices.id', '=', '')),
  uuid: builtOnce((db) => detailed(db, '').where('devices.uuid', '=', '')),
  address: builtOnce((db) => detailed(db, '').where(hasAddress)),
} as const;

/** The values of a key in a statement: an address is looked for in two columns. */
const valuesOf = ({ by, value }: DeviceKey) => (by === 'address' ? [value, value] : [value]);

/** One device by any of its names, with the role that its product's owner gave to `viewerId`. */
export const findDevice = async (db: Db, key: DeviceKey, viewerId = ''): Promise<DetailedDevice | undefined> =>
  (await findBy[key.by](db, viewerId, ...valuesOf(key)))[0];

/** Reads what the record of a device shows at a time, epoch ms. */
export type FindRecorded = (
  db: Db,
  key: DeviceKey,
  viewerId: string,
  nowMs: number,
) => Promise<RecordedDevice | undefined>;

/** Reads records with what extensions say a device should run. */
export function recordFinder(hooks: RecordHooks): FindRecorded {
  const built = (db: Db) => recorded(db, '', hooks, 0);
  const findBy = {
    id: builtOnce((db) => built(db).where('devices.id', '=', '')),
    uuid: builtOnce((db) => built(db).where('devices.uuid', '=', '')),
    address: builtOnce((db) => built(db).where(hasAddress)),
  } as const;
  return async (db, key, viewerId, nowMs) => {
    // In the order of the text: for the health, the viewer, what the device should run.
    const times = hooks.wantedFirst ? [nowMs] : [];
    return (await findBy[key.by](db, nowMs, viewerId, ...times, ...valuesOf(key)))[0];
  };
}

/** The same, locked until the transaction ends. */
export async function lockDevice(
  trx: Db,
  expressions: Expressions,
  id: string,
  viewerId = '',
): Promise<DetailedDevice | undefined> {
  // The row is locked by itself first: outer joins cannot be locked as a whole.
  const row = trx.selectFrom('devices').select('id').where('id', '=', id);
  if ((await expressions.lockRows(row).execute()).length === 0) return undefined;
  return findDevice(trx, { by: 'id', value: id }, viewerId);
}

/** The same for many, in the order of their ids; those that are not there are left out. */
export async function lockDevices(
  trx: Db,
  expressions: Expressions,
  ids: readonly string[],
  viewerId: string,
): Promise<DetailedDevice[]> {
  // In order, so that two who change many wait for each other instead of for ever.
  await expressions.lockRows(trx.selectFrom('devices').select('id').where('id', 'in', ids).orderBy('id')).execute();
  return detailed(trx, viewerId).where('devices.id', 'in', ids).orderBy('devices.id').execute();
}

/** A platform as provisioning needs it. */
export const findPlatform = (db: Db, id: string) =>
  db.selectFrom('platforms').select(['id', 'code', 'part_id', 'product_id']).where('id', '=', id).executeTakeFirst();

/** Adds a device. A uuid or address that another has violates an index. */
export const insertDevice = (trx: Db, device: NewRow<'devices'>) => insertDevices(trx, [device]);

/** Rows of one statement: both databases limit its parameters. */
const statementRows = 500;

/** Adds many devices. */
export async function insertDevices(trx: Db, devices: readonly NewRow<'devices'>[]): Promise<void> {
  for (let at = 0; at < devices.length; at += statementRows)
    await trx
      .insertInto('devices')
      .values(devices.slice(at, at + statementRows))
      .execute();
  touchDevices(
    trx,
    devices.map(({ id }) => id),
  );
}

/** Notes that devices are other than they were, beside what they report: rollouts go by it. */
const touchDevices = (trx: Db, ids: readonly string[]): void => workOf(trx).touch('devices', ids);

/** Writes what a change says of a device. */
export const changeDevice = (trx: Db, id: string, change: RowChange<'devices'>) => changeDevices(trx, [id], change);

/** Writes the same change for many devices. */
export async function changeDevices(trx: Db, ids: readonly string[], change: RowChange<'devices'>): Promise<void> {
  await writeDevices(trx, ids, change);
  touchDevices(trx, ids);
  if (change.tag !== undefined || change.product_id !== undefined) workOf(trx).touch('devices.follows', ids);
}

/** The same of what devices report themselves. */
export const writeDevices = (trx: Db, ids: readonly string[], change: RowChange<'devices'>) =>
  trx.updateTable('devices').set(change).where('id', 'in', ids).execute();

/** Deletes devices; what refers to them goes too, but for the log. */
export const deleteDevices = (trx: Db, ids: readonly string[]) =>
  trx.deleteFrom('devices').where('id', 'in', ids).execute();

/** How many of these devices are on the message channel. */
export async function countOnline(db: Db, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = db.selectFrom('channels').select((eb) => eb.fn.countAll<number>().as('n'));
  return (await rows.where('device_id', 'in', ids).executeTakeFirstOrThrow()).n;
}

/** Which of these addresses some device has. */
export async function takenAddresses(db: Db, macs: readonly string[]): Promise<ReadonlySet<string | null>> {
  const rows = await db.selectFrom('devices').select('mac').where('mac', 'in', padded(macs)).execute();
  return new Set(rows.map(({ mac }) => mac));
}

/** The device that holds a provisioning token, by the token's SHA-256. */
export const findByProvisionToken = (db: Db, hash: string) =>
  db.selectFrom('devices').selectAll().where('provision_token_hash', '=', hash).executeTakeFirst();

/** The device that was made active by this very call; nothing when it was active or is disabled. */
export async function activateOnContact(trx: Db, id: string): Promise<boolean> {
  const [changed] = await trx
    .updateTable('devices')
    .set({ state: 'active' })
    .where('id', '=', id)
    .where('state', '=', 'enabled')
    .execute();
  const isChanged = changed !== undefined && changed.numUpdatedRows > 0n;
  if (isChanged) touchDevices(trx, [id]);
  return isChanged;
}

/** The device has this certificate no longer. */
export const retireCertificate = (trx: Db, deviceId: string, fingerprint: string, atMs: number) =>
  trx
    .insertInto('retired_certificates')
    .values({ fingerprint, device_id: deviceId, retired_at: atMs, seen_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();

/** A certificate that the device has had, if it has. */
export const retiredCertificate = (db: Db, deviceId: string, fingerprint: string) =>
  db
    .selectFrom('retired_certificates')
    .select('seen_at')
    .where('fingerprint', '=', fingerprint)
    .where('device_id', '=', deviceId)
    .executeTakeFirst();

/** Notes that such a certificate was shown, unless it was after `sinceMs` already; tells whether it did. */
export async function noteRetired(trx: Db, fingerprint: string, atMs: number, sinceMs: number): Promise<boolean> {
  const noted = await trx
    .updateTable('retired_certificates')
    .set({ seen_at: atMs })
    .where('fingerprint', '=', fingerprint)
    .where(({ eb, or }) => or([eb('seen_at', 'is', null), eb('seen_at', '<=', sinceMs)]))
    .executeTakeFirstOrThrow();
  return noted.numUpdatedRows > 0n;
}

/** Gives the devices of one user to another. */
export async function handOverDevices(trx: Db, from: string, to: string): Promise<void> {
  await trx.updateTable('devices').set({ user_id: to }).where('user_id', '=', from).execute();
}
