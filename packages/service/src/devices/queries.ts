import type { DeviceListQuery, DeviceRecord } from '@moorage/api';
import type { ExpressionBuilder, Insertable, Updateable } from 'kysely';
import { bothOf, paging } from '../db/paging.ts';
import type { DeviceTable, Schema } from '../db/schema.ts';
import type { Db, Expressions } from '../db/storage.ts';
import { type DeviceKey, degreesOf } from './rules.ts';

/** Whose devices a list shows: everybody's, or those a user owns or sees through a product. */
export type Viewer = 'everyone' | { readonly userId: string; readonly customerId: string | null };

/** A device with the labels of what it belongs to and the fields of its current update (reference 3.1). */
const detailed = (db: Db, viewerId: string) =>
  db
    .selectFrom('devices as d')
    .innerJoin('platforms as pf', 'pf.id', 'd.platform_id')
    .innerJoin('products as p', 'p.id', 'd.product_id')
    .leftJoin('users as u', 'u.id', 'd.user_id')
    .leftJoin('updates as up', 'up.id', 'd.update_id')
    .leftJoin('product_users as pu', (join) =>
      join.onRef('pu.product_id', '=', 'd.product_id').on('pu.user_id', '=', viewerId),
    )
    .selectAll('d')
    .select([
      'pf.code as platform',
      'pf.product_id as base_product_id',
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
      'up.created_at as offered_at',
      'up.downloading_at',
      'up.installed_at',
      'up.finished_at',
    ]);

export type DetailedDevice = Awaited<ReturnType<ReturnType<typeof detailed>['executeTakeFirstOrThrow']>>;

const byKey = (key: DeviceKey) => (where: ExpressionBuilder<Schema & { d: DeviceTable }, 'd'>) => {
  if (key.by === 'id') return where('d.id', '=', key.value);
  if (key.by === 'uuid') return where('d.uuid', '=', key.value);
  return where.or([where('d.mac', '=', key.value), where('d.bt_addr', '=', key.value)]);
};

/** One device by any of its names, with the role that its product's owner gave to `viewerId`. */
export const findDevice = (db: Db, key: DeviceKey, viewerId = ''): Promise<DetailedDevice | undefined> =>
  detailed(db, viewerId).where(byKey(key)).limit(1).executeTakeFirst();

/** Finds a device outside of a transaction, as `findDevice` does. */
export type DeviceFinder = (key: DeviceKey, viewerId: string) => Promise<DetailedDevice | undefined>;

/** Compiles the lookups by id and uuid once: they are the busiest calls of the API. */
export function compileDeviceFinder(db: Db): DeviceFinder {
  // The parameters in the order of the statement: the viewer in the join, then the key.
  const compiled = {
    id: detailed(db, '').where('d.id', '=', '').compile(),
    uuid: detailed(db, '').where('d.uuid', '=', '').compile(),
  };
  return async (key, viewerId) => {
    if (key.by === 'address') return findDevice(db, key, viewerId);
    const query: typeof compiled.id = { ...compiled[key.by], parameters: [viewerId, key.value] };
    return (await db.executeQuery(query)).rows[0];
  };
}

/** The same, and nobody else changes it until the transaction ends. */
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

/** One page of the devices that a viewer may see (reference 4). Spec: API-RULE-list-1, API-RULE-list-2. */
export async function listDevices(
  db: Db,
  expressions: Expressions,
  viewer: Viewer,
  query: DeviceListQuery,
): Promise<{ items: DetailedDevice[]; total: number }> {
  const filtered = detailed(db, viewer === 'everyone' ? '' : viewer.userId).where((where) =>
    where.and(filters(where, expressions, viewer, query)),
  );
  const page = paging(query, '-created_at');
  const descending = page.direction === 'desc';
  const items = filtered
    .orderBy(`d.${page.field}`, (order) => (descending ? order.desc().nullsLast() : order.asc().nullsFirst()))
    .orderBy('d.id', page.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const count = filtered
    .clearSelect()
    .select((counting) => counting.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return bothOf(items, count);
}

type Joined = Schema & {
  d: Schema['devices'];
  pf: Schema['platforms'];
  p: Schema['products'];
  u: Partial<Schema['users']>;
  up: Partial<Schema['updates']>;
  pu: Partial<Schema['product_users']>;
};

function filters(
  where: ExpressionBuilder<Joined, 'd' | 'pf' | 'p' | 'u' | 'up' | 'pu'>,
  expressions: Expressions,
  viewer: Viewer,
  query: DeviceListQuery,
) {
  const all = [];
  if (viewer !== 'everyone') all.push(seenBy(where, viewer));
  const { q } = query;
  if (q) {
    const texts = ['d.title', 'd.uuid', 'd.mac', 'd.bt_addr'] as const;
    all.push(where.or(texts.map((text) => expressions.contains(where.ref(text), q))));
  }
  if (query.product_id) all.push(where('d.product_id', '=', query.product_id));
  if (query.platform_id) all.push(where('d.platform_id', '=', query.platform_id));
  if (query.bundle_id) all.push(where('up.to_bundle_id', '=', query.bundle_id));
  if (query.user_id) all.push(where('d.user_id', '=', query.user_id));
  if (query.state) all.push(where('d.state', '=', query.state));
  if (query.tag !== undefined) all.push(query.tag === '' ? where('d.tag', 'is', null) : where('d.tag', '=', query.tag));
  if (query.claimable !== undefined) all.push(where('p.claimable', '=', query.claimable ? 1 : 0));
  // No device holds a message channel open before there is one.
  if (query.online) all.push(where.val(false));
  if (query.updated) all.push(updatedAs(where, query.updated));
  return all;
}

type Where = ExpressionBuilder<Joined, 'd' | 'pf' | 'p' | 'u' | 'up' | 'pu'>;

const updatedAs = (where: Where, updated: 'ok' | 'outdated' | 'failed') => {
  if (updated === 'ok') return where('up.state', '=', 'done');
  if (updated === 'failed') return where('up.state', '=', 'failed');
  return where('up.state', 'in', ['offered', 'downloading', 'installed']);
};

const seenBy = (where: Where, viewer: Exclude<Viewer, 'everyone'>) =>
  where.or([
    where('d.user_id', '=', viewer.userId),
    where('p.user_id', '=', viewer.userId),
    ...(viewer.customerId === null ? [] : [where('p.customer_id', '=', viewer.customerId)]),
    where('pu.role', 'is not', null),
  ]);

/** A platform as provisioning needs it. */
export const findPlatform = (db: Db, id: string) =>
  db.selectFrom('platforms').select(['id', 'code', 'part_id', 'product_id']).where('id', '=', id).executeTakeFirst();

export const insertDevice = (trx: Db, device: Insertable<DeviceTable>) =>
  trx.insertInto('devices').values(device).execute();

export const changeDevice = (trx: Db, id: string, change: Updateable<DeviceTable>) =>
  trx.updateTable('devices').set(change).where('id', '=', id).execute();

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

const text = (timeMs: number | null): string | null => (timeMs === null ? null : String(timeMs));

/** The record of a device as the API shows it. Spec: API-FIELD-device-title and the following. */
export function toDeviceRecord(row: DetailedDevice): DeviceRecord {
  return {
    id: row.id,
    uuid: row.uuid,
    title: row.title,
    description: row.description,
    mac: row.mac,
    bt_addr: row.bt_addr,
    platform_id: row.platform_id,
    platform: row.platform,
    product_id: row.product_id,
    product: row.product,
    production: row.production === 1,
    claimable: row.claimable === 1,
    locked: row.claimable === 0,
    state: row.state,
    tag: row.tag,
    bundle_id: row.to_bundle_id,
    bundle: row.to_version,
    bundle_ok: row.update_state === 'done',
    bversion: row.bversion,
    ota_result: row.ota_result,
    user_id: row.user_id,
    user: row.user,
    customer_id: row.customer_id,
    // Message channel and nodes are not built yet; their fields are there and empty.
    online: false,
    ip: row.ip,
    location: degreesOf(row),
    telemetry: null,
    nodes: null,
    created_at: String(row.created_at),
    claimed_at: text(row.claimed_at),
    activated_at: text(row.activated_at),
    last_seen_at: text(row.last_seen_at),
    last_ota_at: text(row.finished_at ?? row.installed_at ?? row.downloading_at ?? row.offered_at),
  };
}
