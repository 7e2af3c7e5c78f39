import type { SelectQueryBuilder } from 'kysely';
import { builtForMany, builtOnce } from '../../engine/db/compiled.ts';
import { groupCalls } from '../../engine/db/groups.ts';
import type { NewRow, Row, RowChange, Schema } from '../../engine/db/schema.ts';
import type { Db, Expressions } from '../../engine/db/storage.ts';
import { standing, wantedBundle } from '../../extensions/fleet/filters/standing.ts';
import type { DeviceKey } from './rules.ts';

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

/** The same with how they stand at a time, epoch ms: all that their records show. */
export const recorded = (db: Db, viewerId: string, nowMs: number, rows?: DeviceRows) =>
  detailed(db, viewerId, rows)
    .leftJoin('bundles as sw', (join) => join.on('sw.id', '=', wantedBundle(nowMs)))
    .select(['sw.version as wanted_version', standing.as('standing')]);

export type RecordedDevice = Awaited<ReturnType<ReturnType<typeof recorded>['executeTakeFirstOrThrow']>>;

// The parameters are in the order of the statement: the viewer in the join, then the key.
const findById = builtOnce((db) => detailed(db, '').where('devices.id', '=', ''));
const findByUuid = builtOnce((db) => detailed(db, '').where('devices.uuid', '=', ''));
const findByAddress = builtOnce((db) =>
  detailed(db, '').where((where) => where.or([where('devices.mac', '=', ''), where('devices.bt_addr', '=', '')])),
);

/** One device by any of its names, with the role that its product's owner gave to `viewerId`. */
export async function findDevice(db: Db, { by, value }: DeviceKey, viewerId = ''): Promise<DetailedDevice | undefined> {
  if (by === 'address') return (await findByAddress(db, viewerId, value, value))[0];
  return (await (by === 'id' ? findById : findByUuid)(db, viewerId, value))[0];
}

// The viewer in a join, the time in another, then the key: the order of the statement.
const findRecordById = builtOnce((db) => recorded(db, '', 0).where('devices.id', '=', ''));

/** What the record of a device shows at a time, epoch ms. */
export const findRecorded = async (db: Db, id: string, viewerId: string, nowMs: number) =>
  (await findRecordById(db, viewerId, nowMs, id))[0];

/** A record that is asked for by a name of its device that is whole: no two devices share one. */
interface AskedRecord {
  readonly by: 'id' | 'uuid';
  readonly value: string;
  readonly viewerId: string;
  readonly nowMs: number;
}

// The order is that of the one above.
const findRecordsBy = {
  id: builtForMany((db, ids: readonly string[]) => recorded(db, '', 0).where('devices.id', 'in', ids)),
  uuid: builtForMany((db, uuids: readonly string[]) => recorded(db, '', 0).where('devices.uuid', 'in', uuids)),
};

/**
 * Finds what a record shows outside of transactions. Those by id and uuid are the busiest calls of the API: who asks in
 * the same turn, or while a read is under way, shares a statement.
 */
export function sharedRecords(db: Db) {
  const findShared = groupCalls(async (asked: readonly AskedRecord[]) => {
    const found = new Map<string, RecordedDevice>();
    const together = Map.groupBy(asked, ({ by, viewerId }) => `${by} ${viewerId}`);
    for (const [group, alike] of together) {
      const [{ by, viewerId }] = alike as [AskedRecord];
      const keys = [...new Set(alike.map(({ value }) => value))];
      const nowMs = Math.max(...alike.map((one) => one.nowMs));
      const rows = await findRecordsBy[by](db, keys, viewerId, nowMs);
      for (const row of rows) found.set(`${group} ${row[by]}`, row);
    }
    return asked.map(({ by, viewerId, value }) => found.get(`${by} ${viewerId} ${value}`));
  });
  return async ({ by, value }: DeviceKey, viewerId: string, nowMs: number): Promise<RecordedDevice | undefined> => {
    if (by !== 'address') return findShared({ by, value, viewerId, nowMs });
    const device = await findDevice(db, { by, value });
    return device && findRecorded(db, device.id, viewerId, nowMs);
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
export const insertDevice = (trx: Db, device: NewRow<'devices'>) => trx.insertInto('devices').values(device).execute();

/** Rows of one statement: both databases limit its parameters. */
const statementRows = 500;

/** Adds many devices. */
export async function insertDevices(trx: Db, devices: readonly NewRow<'devices'>[]): Promise<void> {
  for (let at = 0; at < devices.length; at += statementRows)
    await trx
      .insertInto('devices')
      .values(devices.slice(at, at + statementRows))
      .execute();
}

/** Writes what a change says of a device. */
export const changeDevice = (trx: Db, id: string, change: RowChange<'devices'>) =>
  trx.updateTable('devices').set(change).where('id', '=', id).execute();

/** Writes the same change for many devices. */
export const changeDevices = (trx: Db, ids: readonly string[], change: RowChange<'devices'>) =>
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

const findTaken = builtForMany((db, macs: readonly string[]) =>
  db.selectFrom('devices').select('mac').where('mac', 'in', macs),
);

/** Which of these addresses some device has. */
export const takenAddresses = async (db: Db, macs: readonly string[]): Promise<ReadonlySet<string | null>> =>
  new Set((await findTaken(db, macs)).map(({ mac }) => mac));

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
  return changed !== undefined && changed.numUpdatedRows > 0n;
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
