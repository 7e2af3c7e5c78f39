import type { Capabilities, CustomerRole, DataValue } from '@moorage/api';
import { type ConnectorView, optionsOf } from '../../core/connectors/queries.ts';
import type { Db } from '../../engine/db/storage.ts';
import { type AnnouncedDevice, versionOf } from './payloads.ts';

/** The owner of the product of a connector: in their name controls are set. */
interface Owner {
  readonly user_id: string;
  readonly username: string;
  readonly role: 'user' | 'customer' | 'admin';
  readonly customer_id: string | null;
  readonly customer_role: CustomerRole;
}

export type AnnouncingConnector = ConnectorView & Owner;

/** Connectors that announce the devices of their products, but for those of an owner who may not come in. */
export async function announcingConnectors(db: Db): Promise<AnnouncingConnector[]> {
  const rows = await db
    .selectFrom('connectors')
    .innerJoin('products', 'products.id', 'connectors.product_id')
    .innerJoin('users', 'users.id', 'products.user_id')
    .selectAll('connectors')
    .select(['products.product', 'users.id as user_id', 'users.username', 'users.role'])
    .select(['users.customer_id', 'users.customer_role'])
    .where('users.disabled_at', 'is', null)
    .where('connectors.type', '=', 'mqtt')
    .where('connectors.opts', 'like', '%"home_assistant":true%')
    .orderBy('connectors.id')
    .execute();
  return rows.filter((row) => {
    const opts = optionsOf(row);
    return 'home_assistant' in opts && opts.home_assistant === true;
  });
}

/** The first `limit` devices of a product, or of it those with these ids. */
export async function announcedDevices(
  db: Db,
  { product_id, product }: Pick<AnnouncingConnector, 'product_id' | 'product'>,
  limit: number,
  ids?: readonly string[],
): Promise<AnnouncedDevice[]> {
  const tagged = await db
    .selectFrom('bundles')
    .select(['tag', 'version'])
    .where('product_id', '=', product_id)
    .where('tag', 'is not', null)
    .execute();
  const versions = new Map(tagged.map(({ tag, version }) => [tag, version]));
  const rows = await db
    .selectFrom('devices')
    .leftJoin('channels', 'channels.device_id', 'devices.id')
    .leftJoin('activations', 'activations.device_id', 'devices.id')
    .select(['devices.id', 'devices.uuid', 'devices.title', 'devices.tag', 'devices.bversion'])
    .select(['channels.connected_at', 'activations.capabilities'])
    .where('devices.product_id', '=', product_id)
    .$if(ids !== undefined, (some) => some.where('devices.id', 'in', [...(ids ?? []), '']))
    .orderBy('devices.id')
    .limit(limit)
    .execute();
  return rows.map(({ id, uuid, title, tag, bversion, connected_at, capabilities }) => ({
    id,
    uuid,
    title,
    product,
    online: connected_at !== null,
    installed: versionOf(bversion),
    latest: versions.get(tag ?? 'release') ?? versionOf(bversion),
    // What is kept has been checked.
    capabilities: capabilities === null ? null : (JSON.parse(capabilities) as Capabilities),
  }));
}

/** The last values of the controls of a device, by name. */
export async function controlValues(db: Db, deviceId: string): Promise<Map<string, DataValue>> {
  const rows = await db.selectFrom('controls').select(['name', 'value']).where('device_id', '=', deviceId).execute();
  return new Map(rows.map(({ name, value }) => [name, JSON.parse(value)]));
}

/** The devices that a connector has announced and not taken back. */
export const announcementsOf = (db: Db, connectorId: string) =>
  db.selectFrom('announcements').select(['device_id', 'uuid']).where('connector_id', '=', connectorId).execute();

/** Notes a device before it is announced, so that it is taken back whatever happens. */
export async function noteAnnouncement(
  db: Db,
  connectorId: string,
  { id, uuid }: Pick<AnnouncedDevice, 'id' | 'uuid'>,
): Promise<void> {
  await db
    .insertInto('announcements')
    .values({ connector_id: connectorId, device_id: id, uuid })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A device has been taken back. */
export async function dropAnnouncement(db: Db, connectorId: string, deviceId: string): Promise<void> {
  await db
    .deleteFrom('announcements')
    .where('connector_id', '=', connectorId)
    .where('device_id', '=', deviceId)
    .execute();
}
