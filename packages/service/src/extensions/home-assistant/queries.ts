import { randomUUID } from 'node:crypto';
import type { Capabilities, CustomerRole, DataValue, MqttOptions } from '@moorage/api';
import { type ConnectorView, optionsOf } from '../../core/connectors/queries.ts';
import { defaultTimeoutMs } from '../../core/connectors/send.ts';
import type { Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { MqttLinkOptions } from '../../engine/outbound/ports.ts';
import { type AnnouncedDevice, type Place, versionOf } from './payloads.ts';

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

export type AnnouncedPlace = Row<'announced_places'>;

/** All places where devices have been announced and not taken back. */
export const announcedPlaces = (db: Db): Promise<AnnouncedPlace[]> =>
  db.selectFrom('announced_places').selectAll().orderBy('id').execute();

export type Login = Omit<MqttLinkOptions, 'will' | 'url'>;

/** Where a connector announces, and how the broker lets it in. */
export function whereOf(connector: Pick<ConnectorView, 'opts' | 'product' | 'code'>): { place: Place; login: Login } {
  // Safe: only connectors of this type announce.
  const opts = optionsOf(connector) as MqttOptions;
  const { url, username, password, ca, timeout_ms: timeoutMs = defaultTimeoutMs } = opts;
  const { product, code } = connector;
  return {
    place: { url, product, code, discoveryPrefix: opts.discovery_prefix ?? 'homeassistant' },
    login: { username, password, ca, timeoutMs },
  };
}

/** Notes where a connector announces from now on: before the first device is announced there. */
export async function notePlace(
  db: Db,
  connector: Pick<ConnectorView, 'id' | 'opts' | 'product' | 'code'>,
  known: readonly AnnouncedPlace[],
): Promise<AnnouncedPlace> {
  const where = whereOf(connector);
  const [place, login] = [JSON.stringify(where.place), JSON.stringify(where.login)];
  const there = known.find((one) => one.connector_id === connector.id && one.place === place);
  const row = { id: there?.id ?? randomUUID(), connector_id: connector.id, place, login, left_at: null };
  if (!there) await db.insertInto('announced_places').values(row).execute();
  else if (there.login !== login || there.left_at !== null)
    await db.updateTable('announced_places').set({ login, left_at: null }).where('id', '=', row.id).execute();
  return row;
}

/** Notes that no connector announces at a place any more. */
export const leavePlace = (db: Db, id: string, atMs: number) =>
  db.updateTable('announced_places').set({ left_at: atMs }).where('id', '=', id).execute();

/** Forgets a place, and what is still announced there. */
export const dropPlace = (db: Db, id: string) => db.deleteFrom('announced_places').where('id', '=', id).execute();

/** The devices that have been announced at a place and not taken back. */
export const announcementsOf = (db: Db, placeId: string) =>
  db.selectFrom('announced').select(['device_id', 'uuid']).where('place_id', '=', placeId).execute();

/** Notes a device before it is announced, so that it is taken back whatever happens. */
export async function noteAnnouncement(
  db: Db,
  placeId: string,
  { id, uuid }: Pick<AnnouncedDevice, 'id' | 'uuid'>,
): Promise<void> {
  await db
    .insertInto('announced')
    .values({ place_id: placeId, device_id: id, uuid })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A device has been taken back. */
export async function dropAnnouncement(db: Db, placeId: string, deviceId: string): Promise<void> {
  await db.deleteFrom('announced').where('place_id', '=', placeId).where('device_id', '=', deviceId).execute();
}

/** Moves what connectors have announced to the places where they have. */
export async function placeAnnouncements(db: Db): Promise<void> {
  const connectors = db.selectFrom('connectors').innerJoin('products', 'products.id', 'connectors.product_id');
  for (const connector of await connectors.selectAll('connectors').select('products.product').execute()) {
    const rows = await db
      .selectFrom('announcements')
      .select(['device_id', 'uuid'])
      .where('connector_id', '=', connector.id)
      .execute();
    if (rows.length === 0) continue;
    const { place, login } = whereOf(connector);
    // A connector has announced at one place so far.
    const { id } = connector;
    const row = { id, connector_id: id, place: JSON.stringify(place), login: JSON.stringify(login), left_at: null };
    await db.insertInto('announced_places').values(row).execute();
    for (const { device_id, uuid } of rows) await noteAnnouncement(db, id, { id: device_id, uuid });
  }
}
