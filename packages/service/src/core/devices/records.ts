import { type DeviceRecord, optionalTimestamp } from '@moorage/api';
import type { Db } from '../../engine/db/storage.ts';
import { deviceRoles, may, type Role, type WhoCalls } from '../access/rules.ts';
import type { RecordedDevice } from './queries.ts';
import { bundleVersion, degreesOf } from './rules.ts';
import { standingOf } from './standing.ts';

type Nodes = NonNullable<DeviceRecord['nodes']>;

/** The nodes of gateways, by gateway. Spec: API-CHAN-nodes. */
async function nodesOf(db: Db, gateways: readonly string[]): Promise<ReadonlyMap<string, Nodes>> {
  const found = new Map<string, Nodes>();
  if (gateways.length === 0) return found;
  const rows = await db
    .selectFrom('device_nodes')
    .selectAll()
    .where('device_id', 'in', gateways)
    .orderBy('id')
    .execute();
  for (const { device_id, id, title, seen_at } of rows) {
    const nodes = found.get(device_id) ?? [];
    nodes.push({ id, title: title ?? '', last_seen_at: String(seen_at) });
    found.set(device_id, nodes);
  }
  return found;
}

/** The records of devices as the API shows them to a caller. */
export async function deviceRecords(
  db: Db,
  rows: readonly RecordedDevice[],
  caller: WhoCalls,
): Promise<DeviceRecord[]> {
  const gateways = rows.filter(({ node_count }) => node_count !== null && node_count > 0).map(({ id }) => id);
  const nodes = await nodesOf(db, gateways);
  return rows.map((row) => toDeviceRecord(row, nodes.get(row.id), caller));
}

/** The record of one device. */
export const deviceRecord = async (db: Db, row: RecordedDevice, caller: WhoCalls): Promise<DeviceRecord> =>
  toDeviceRecord(row, row.node_count ? (await nodesOf(db, [row.id])).get(row.id) : undefined, caller);

/** What only those see who may see the private things of a device; telemetry has addresses too. */
const hiddenFields = { mac: null, bt_addr: null, ip: null, location: null, telemetry: null, nodes: null };

/** What the caller is to a device, as the record says it. */
function roleOf(held: readonly Role[]): DeviceRecord['role'] {
  if (held.includes('deviceOwner')) return 'owner';
  if ((['owner', 'manager', 'operator'] as const).some((role) => held.includes(role))) return 'vendor';
  return held.includes('tester') ? 'tester' : 'none';
}

/** Spec: API-FIELD-device-title and the following. */
function toDeviceRecord(row: RecordedDevice, nodes: Nodes | undefined, caller: WhoCalls): DeviceRecord {
  const held = deviceRoles(caller, row);
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
    base_product_id: row.base_product_id,
    production: row.production === 1,
    claimable: row.claimable === 1,
    locked: row.claimable === 0,
    state: row.state,
    tag: row.tag,
    bundle_id: row.to_bundle_id,
    bundle: row.to_version,
    bundle_ok: row.update_state === 'done',
    bversion: row.bversion,
    version: bundleVersion(row.bversion, row.product),
    ota_result: row.ota_result,
    standing: standingOf(row),
    user_id: row.user_id,
    user: row.user,
    role: roleOf(held),
    vendor_files: row.vendor_files === 1,
    customer_id: row.customer_id,
    online: row.online_since !== null, // API-CHAN-online
    health: row.health,
    ip: row.ip,
    location: degreesOf(row),
    // API-CHAN-telemetry: what was kept is an object.
    telemetry: row.telemetry === null ? null : JSON.parse(row.telemetry),
    nodes: nodes ?? null,
    created_at: String(row.created_at),
    claimed_at: optionalTimestamp(row.claimed_at),
    activated_at: optionalTimestamp(row.activated_at),
    last_seen_at: optionalTimestamp(row.last_seen_at),
    last_ota_at: optionalTimestamp(row.finished_at ?? row.installed_at ?? row.downloading_at ?? row.offered_at),
    ...(!may('device.private', held) && hiddenFields),
  };
}
