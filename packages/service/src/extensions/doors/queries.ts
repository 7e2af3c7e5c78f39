import type { DoorName } from '@moorage/api';
import { builtOnce } from '../../engine/db/compiled.ts';
import { countOf, onePage, type PageOf, type Paging, paging } from '../../engine/db/paging.ts';
import type { NewRow, Row, RowChange } from '../../engine/db/schema.ts';
import type { Db, Expressions } from '../../engine/db/storage.ts';
import type { Networks } from '../../engine/http/client-address.ts';

export type DoorTokenRow = Row<'door_tokens'>;
export type WaitingRow = Row<'door_waiting'>;
export type DoorUpdateRow = Row<'door_updates'>;

export const doorsOf = (db: Db, productId: string) =>
  db.selectFrom('product_doors').selectAll().where('product_id', '=', productId).executeTakeFirst();

export const putDoors = (trx: Db, row: Row<'product_doors'>) =>
  trx
    .insertInto('product_doors')
    .values(row)
    .onConflict((conflict) => conflict.column('product_id').doUpdateSet(row))
    .execute();

/** A product that a stranger names by its full code, in upper case, with the doors that it opens. */
export const productByCode = (db: Db, code: string) =>
  db
    .selectFrom('products as p')
    .innerJoin('product_doors as d', 'd.product_id', 'p.id')
    .select(['p.id', 'p.product', 'd.ddi', 'd.mender', 'd.waiting'])
    .where('p.product', '=', code)
    .where('p.trashed', '=', 0)
    .executeTakeFirst();

// What each poll asks is built once: that takes longer than to run it. The parameters are in the order of the text.
const findToken = builtOnce((db) =>
  db
    .selectFrom('door_tokens as t')
    .innerJoin('products as p', 'p.id', 't.product_id')
    .innerJoin('product_doors as d', 'd.product_id', 'p.id')
    .select([
      't.id',
      't.product_id',
      't.door',
      't.token_hash',
      't.user_id',
      't.last_used_at',
      'p.product',
      'd.ddi',
      'd.mender',
      'd.consent',
    ])
    .where('t.token_hash', '=', '')
    .where('p.trashed', '=', 0),
);

/** A token of a product, with the doors of that product. */
export const tokenByHash = async (db: Db, hash: string) => (await findToken(db, hash, 0))[0];

/** The same, by the id of the token. */
export const tokenById = (db: Db, id: string) =>
  db.selectFrom('door_tokens').select('product_id').where('id', '=', id).executeTakeFirst();

/** Devices behind doors, with the product that they are activated to and what that opens. */
const doorDevices = (db: Db) =>
  db
    .selectFrom('door_devices as x')
    .innerJoin('devices as v', 'v.id', 'x.device_id')
    .innerJoin('products as p', 'p.id', 'v.product_id')
    .leftJoin('product_doors as d', 'd.product_id', 'p.id')
    .selectAll('x')
    .select(['v.product_id as current_product_id', 'p.product', 'd.ddi', 'd.mender', 'd.consent'])
    // The service forgets what a device has reported when it is taken back.
    .select(({ exists, selectFrom, case: when }) =>
      when()
        .when(exists(selectFrom('attributes as a').select('a.name').whereRef('a.device_id', '=', 'x.device_id')))
        .then(1)
        .else(0)
        .end()
        .as('has_attributes'),
    );

const findByToken = builtOnce((db) => doorDevices(db).where('x.token_hash', '=', ''));
const findByName = builtOnce((db) =>
  doorDevices(db).where('x.product_id', '=', '').where('x.door', '=', 'ddi').where('x.name', '=', ''),
);
const findById = builtOnce((db) => doorDevices(db).where('x.device_id', '=', ''));

export const doorDeviceByToken = async (db: Db, hash: string) => (await findByToken(db, hash))[0];

const findMoved = builtOnce((db) =>
  doorDevices(db).where('v.product_id', '=', '').where('x.door', '=', 'ddi').where('x.name', '=', ''),
);

/** The device that has a name behind a door of a product: one that has registered there, else one that was moved to it. */
export const doorDeviceByName = async (db: Db, productId: string, door: DoorName, name: string) =>
  (await findByName(db, productId, door, name))[0] ?? (await findMoved(db, productId, door, name))[0];

export const doorDeviceById = async (db: Db, deviceId: string) => (await findById(db, deviceId))[0];

/** The product that a device is activated to, and the doors that it opens. */
export const productOfDevice = (db: Db, deviceId: string) =>
  db
    .selectFrom('devices as v')
    .innerJoin('products as p', 'p.id', 'v.product_id')
    .innerJoin('product_doors as d', 'd.product_id', 'p.id')
    .select(['p.id', 'p.product', 'd.ddi', 'd.mender', 'd.consent'])
    .where('v.id', '=', deviceId)
    .executeTakeFirst();

export async function insertDoorDevices(trx: Db, rows: readonly NewRow<'door_devices'>[]): Promise<void> {
  if (rows.length > 0)
    await trx
      .insertInto('door_devices')
      .values([...rows])
      .execute();
}

export const changeDoorDevice = (trx: Db, deviceId: string, change: RowChange<'door_devices'>) =>
  trx.updateTable('door_devices').set(change).where('device_id', '=', deviceId).execute();

/** Those of these names that devices of the product have already. */
export async function namesTaken(
  db: Db,
  productId: string,
  names: readonly { readonly door: DoorName; readonly name: string }[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('door_devices')
    .select(['door', 'name'])
    .where('product_id', '=', productId)
    .where(
      'name',
      'in',
      names.map(({ name }) => name),
    )
    .execute();
  return new Set(rows.map(({ door, name }) => `${door} ${name}`));
}

/** One page of the tokens of a product. */
export async function listDoorTokens(db: Db, productId: string, page: Paging<'created_at'>) {
  const query = db.selectFrom('door_tokens').where('product_id', '=', productId);
  const items = query.selectAll().orderBy('created_at', page.direction).orderBy('id', page.direction);
  return onePage(items, query, page);
}

export const insertDoorToken = (trx: Db, row: DoorTokenRow) => trx.insertInto('door_tokens').values(row).execute();

/** How many tokens a product has. */
export const countDoorTokens = (db: Db, productId: string): Promise<number> =>
  countOf(db.selectFrom('door_tokens').where('product_id', '=', productId));

/** Whether there was such a token of the product. */
export async function deleteDoorToken(trx: Db, productId: string, id: string): Promise<boolean> {
  const done = trx.deleteFrom('door_tokens').where('product_id', '=', productId).where('id', '=', id);
  return (await done.executeTakeFirst()).numDeletedRows > 0n;
}

export const touchDoorToken = (db: Db, id: string, atMs: number) =>
  db.updateTable('door_tokens').set({ last_used_at: atMs }).where('id', '=', id).execute();

/** One page of the keys that are accepted before their devices come. */
export async function listKeys(db: Db, productId: string, query: PageOf<'name' | '-name'>) {
  const page = paging(query, 'name');
  const matching = db.selectFrom('door_keys').where('product_id', '=', productId);
  const items = matching.selectAll().orderBy('name', page.direction);
  return onePage(items, matching, page);
}

/** How many keys of a product wait for their devices. */
export const countKeys = (db: Db, productId: string): Promise<number> =>
  countOf(db.selectFrom('door_keys').where('product_id', '=', productId));

/** Accepts keys; a name that is there already gets the new one. */
export async function putKeys(trx: Db, rows: readonly NewRow<'door_keys'>[]): Promise<void> {
  if (rows.length === 0) return;
  const insert = trx.insertInto('door_keys').values([...rows]);
  await insert
    .onConflict((conflict) =>
      conflict.columns(['product_id', 'name']).doUpdateSet((eb) => ({
        key_hash: eb.ref('excluded.key_hash'),
        user_id: eb.ref('excluded.user_id'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
    .execute();
}

/** Whether there was such a key of the product. */
export async function deleteKey(trx: Db, productId: string, id: string): Promise<boolean> {
  const done = trx.deleteFrom('door_keys').where('product_id', '=', productId).where('id', '=', id);
  return (await done.executeTakeFirst()).numDeletedRows > 0n;
}

/** The product that has accepted a key under this name beforehand, and is open to Mender. */
export const acceptedKey = (db: Db, name: string, keyHash: string) =>
  db
    .selectFrom('door_keys as k')
    .innerJoin('products as p', 'p.id', 'k.product_id')
    .innerJoin('product_doors as d', 'd.product_id', 'p.id')
    .select(['k.id', 'k.product_id', 'k.user_id', 'd.consent'])
    .where('k.key_hash', '=', keyHash)
    .where('k.name', '=', name)
    .where('d.mender', '=', 1)
    .where('p.trashed', '=', 0)
    .orderBy('k.created_at')
    .executeTakeFirst();

/** How many devices wait for a product, and how many of them came from an address and a network. */
export const countWaiting = (db: Db, productId: string, { address, network }: Networks) =>
  db
    .selectFrom('door_waiting')
    .select(({ fn }) => [
      fn.countAll<number>().as('inAll'),
      fn.countAll<number>().filterWhere('from_address', '=', address).as('ofAddress'),
      fn.countAll<number>().filterWhere('from_network', '=', network).as('ofNetwork'),
    ])
    .where('product_id', '=', productId)
    .executeTakeFirstOrThrow();

export const waitingById = (db: Db, id: string) =>
  db.selectFrom('door_waiting').selectAll().where('id', '=', id).executeTakeFirst();

export const insertWaiting = (trx: Db, row: WaitingRow) =>
  trx
    .insertInto('door_waiting')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ last_at: row.last_at, ip: row.ip }))
    .execute();

export const changeWaiting = (trx: Db, id: string, change: Pick<WaitingRow, 'last_at' | 'ip'>) =>
  trx.updateTable('door_waiting').set(change).where('id', '=', id).execute();

/** One page of the devices that wait for a product. */
export async function listWaiting(
  db: Db,
  expressions: Expressions,
  productId: string,
  query: PageOf<'last_at' | '-last_at'> & { readonly q?: string },
) {
  const page = paging(query, '-last_at');
  let matching = db.selectFrom('door_waiting').where('product_id', '=', productId);
  const { q } = query;
  if (q) matching = matching.where((eb) => expressions.contains(eb.ref('name'), q));
  const items = matching.selectAll().orderBy('last_at', page.direction).orderBy('id', page.direction);
  return onePage(items, matching, page);
}

/** Some of those that wait for a product, in the order of their ids. */
export async function someWaiting(
  db: Db,
  productId: string,
  {
    ids,
    after,
    limit,
  }: { readonly ids?: readonly string[] | undefined; readonly after: string; readonly limit: number },
): Promise<WaitingRow[]> {
  let query = db.selectFrom('door_waiting').selectAll().where('product_id', '=', productId);
  if (ids) query = query.where('id', 'in', ids);
  return query.where('id', '>', after).orderBy('id').limit(limit).execute();
}

export const deleteWaiting = (trx: Db, ids: readonly string[]) =>
  trx.deleteFrom('door_waiting').where('id', 'in', ids).execute();

/** Forgets those that have not come again since then. */
export const forgetWaiting = (db: Db, beforeMs: number) =>
  db.deleteFrom('door_waiting').where('last_at', '<', beforeMs).execute();

export const updateOf = (db: Db, id: number) =>
  db.selectFrom('updates').select(['id', 'device_id']).where('id', '=', id).executeTakeFirst();

/** What the client of a device knows of updates that it has not closed, the oldest first. */
export const openDoorUpdates = (db: Db, deviceId: string) =>
  db
    .selectFrom('door_updates as d')
    .innerJoin('updates as u', 'u.id', 'd.update_id')
    .select(['d.update_id', 'd.shown_at', 'd.cancel_at', 'd.closed_at', 'u.state'])
    .where('d.device_id', '=', deviceId)
    .where('d.closed_at', 'is', null)
    .orderBy('d.update_id')
    .execute();

export const doorUpdate = (db: Db, updateId: number) =>
  db.selectFrom('door_updates').selectAll().where('update_id', '=', updateId).executeTakeFirst();

export const insertDoorUpdate = (trx: Db, row: NewRow<'door_updates'>) =>
  trx
    .insertInto('door_updates')
    .values(row)
    .onConflict((conflict) => conflict.column('update_id').doNothing())
    .execute();

export const changeDoorUpdate = (trx: Db, updateId: number, change: RowChange<'door_updates'>) =>
  trx.updateTable('door_updates').set(change).where('update_id', '=', updateId).execute();

/** What the product of a device asks of clients that report success before their restart. */
export const probationOf = (db: Db, deviceId: string) =>
  db
    .selectFrom('devices as v')
    .innerJoin('product_doors as d', 'd.product_id', 'v.product_id')
    .select(['d.version_attribute', 'd.probation_s'])
    .where('v.id', '=', deviceId)
    .executeTakeFirst();

/** The versions that the files of a bundle say of themselves. */
export async function versionsOf(db: Db, bundleId: string): Promise<string[]> {
  const rows = db
    .selectFrom('artifact_headers as h')
    .innerJoin('resources as r', 'r.id', 'h.resource_id')
    .select('h.name')
    .where('r.bundle_id', '=', bundleId);
  return (await rows.execute()).map(({ name }) => name);
}

/** How many lines there are of an update. */
export const countMessages = (db: Db, updateId: number): Promise<number> =>
  countOf(db.selectFrom('update_messages').where('update_id', '=', updateId));

/** Rows of one statement: both databases limit its parameters. */
const statementRows = 1_000;

export async function insertMessages(trx: Db, rows: readonly NewRow<'update_messages'>[]): Promise<void> {
  for (let at = 0; at < rows.length; at += statementRows)
    await trx
      .insertInto('update_messages')
      .values(rows.slice(at, at + statementRows))
      .execute();
}

/** One page of what has been said of an update. */
export async function listMessages(db: Db, updateId: number, query: PageOf<'at' | '-at'>) {
  const page = paging(query, 'at');
  const matching = db.selectFrom('update_messages').where('update_id', '=', updateId);
  const items = matching.select(['at', 'step', 'text']).orderBy('seq', page.direction);
  return onePage(items, matching, page);
}

/** All that a client has said of an update, in its order. */
export const messagesOf = (db: Db, updateId: number) =>
  db.selectFrom('update_messages').select(['step', 'text']).where('update_id', '=', updateId).orderBy('seq').execute();

/** The newest lines of an update, the oldest of them first. */
export async function lastMessages(db: Db, updateId: number, limit: number): Promise<string[]> {
  const rows = db.selectFrom('update_messages').select('text').where('update_id', '=', updateId);
  return (await rows.orderBy('seq', 'desc').limit(limit).execute()).map(({ text }) => text).toReversed();
}

/** The key of the links to files, where there is one; base64. */
export async function ticketKey(db: Db): Promise<string | undefined> {
  const row = db.selectFrom('settings').select('value').where('name', '=', 'doors.tickets');
  return (await row.executeTakeFirst())?.value;
}

/** Keeps a key unless there is one. */
export const insertTicketKey = (trx: Db, value: string) =>
  trx
    .insertInto('settings')
    .values({ name: 'doors.tickets', value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();

/** Seconds between two requests of the devices of a product, where its people have said so. */
export async function pollIntervalS(db: Db, productId: string): Promise<number | undefined> {
  const row = db.selectFrom('fleet_settings').select('poll_interval_s').where('product_id', '=', productId);
  return (await row.executeTakeFirst())?.poll_interval_s ?? undefined;
}
