import type { ConnectorOptions } from '@moorage/api';
import { countOf, onePage, type Paging } from '../../engine/db/paging.ts';
import type { NewRow, Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';

export type ConnectorRow = Row<'connectors'>;
export type DeliveryRow = Row<'deliveries'>;

/** The options of a row; what is stored has been checked. */
export const optionsOf = ({ opts }: Pick<ConnectorRow, 'opts'>): ConnectorOptions => JSON.parse(opts);

const withProduct = (db: Db) =>
  db
    .selectFrom('connectors')
    .innerJoin('products', 'products.id', 'connectors.product_id')
    .selectAll('connectors')
    .select('products.product');

export type ConnectorView = ConnectorRow & { readonly product: string };

/** A connector, with the full code of its product. */
export const connectorById = (db: Db, id: string): Promise<ConnectorView | undefined> =>
  withProduct(db).where('connectors.id', '=', id).executeTakeFirst();

/** The connector that a product has under a code, in upper case. */
export const connectorByCode = (db: Db, productId: string, code: string): Promise<ConnectorView | undefined> =>
  withProduct(db).where('connectors.product_id', '=', productId).where('connectors.code', '=', code).executeTakeFirst();

/** One page of a product's connectors, and how many there are. */
export async function listConnectors(
  db: Db,
  productId: string,
  page: Paging<'created_at' | 'code' | 'title'>,
): Promise<{ items: ConnectorView[]; total: number }> {
  const items = await withProduct(db)
    .where('connectors.product_id', '=', productId)
    .orderBy(`connectors.${page.field}`, page.direction)
    .orderBy('connectors.id', page.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { items, total: await countConnectors(db, productId) };
}

/** How many connectors a product has. */
export const countConnectors = (db: Db, productId: string): Promise<number> =>
  countOf(db.selectFrom('connectors').where('product_id', '=', productId));

/** Writes which events a connector wants, as its options say. */
async function writeEvents(db: Db, row: Pick<ConnectorRow, 'id' | 'product_id' | 'opts'>): Promise<void> {
  await db.deleteFrom('connector_events').where('connector_id', '=', row.id).execute();
  const { events = [] } = optionsOf(row);
  if (events.length === 0) return;
  const values = events.map((event) => ({ connector_id: row.id, product_id: row.product_id, event }));
  await db.insertInto('connector_events').values(values).execute();
}

/** Adds a connector, with the events it wants. */
export async function insertConnector(db: Db, row: ConnectorRow): Promise<void> {
  await db.insertInto('connectors').values(row).execute();
  await writeEvents(db, row);
}

/** Changes what its users decide of a connector, and with it the events it wants. */
export async function changeConnector(
  db: Db,
  row: Pick<ConnectorRow, 'id' | 'product_id' | 'title' | 'code' | 'opts' | 'updated_at'>,
): Promise<void> {
  const { title, code, opts, updated_at } = row;
  await db.updateTable('connectors').set({ title, code, opts, updated_at }).where('id', '=', row.id).execute();
  await writeEvents(db, row);
}

/** Removes a connector; its events and deliveries go with it (foreign keys). */
export async function deleteConnector(db: Db, id: string): Promise<void> {
  await db.deleteFrom('connectors').where('id', '=', id).execute();
}

/** Records how the last use of a connector went; `error` is null when it went well. */
export async function noteUse(db: Db, id: string, atMs: number, error: string | null): Promise<void> {
  const state = error === null ? 'ok' : 'failing';
  await db
    .updateTable('connectors')
    .set({ state, last_used_at: atMs, ...(error !== null && { last_error: error }) })
    .where('id', '=', id)
    .execute();
}

/** Adds a delivery; one that has ended is never due. */
export async function insertDelivery(db: Db, row: NewRow<'deliveries'>): Promise<void> {
  await db.insertInto('deliveries').values(row).execute();
}

/** Connectors that something is due for, without those that are named. */
export async function dueConnectors(db: Db, nowMs: number, without: readonly string[]): Promise<string[]> {
  const due = db
    .selectFrom('connectors as c')
    .select('c.id')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('deliveries as d')
          .select('d.id')
          .whereRef('d.connector_id', '=', 'c.id')
          .where('d.due_at', '<=', nowMs),
      ),
    );
  const rows = without.length === 0 ? due : due.where('c.id', 'not in', [...without]);
  return (await rows.execute()).map(({ id }) => id);
}

/**
 * What a connector sends next: alerts first, then what has waited longest, each when nothing of its line that happened
 * before waits any more.
 */
export const nextDeliveries = (db: Db, connectorId: string, nowMs: number, limit: number): Promise<DeliveryRow[]> =>
  db
    .selectFrom('deliveries as d')
    .selectAll('d')
    .where('d.connector_id', '=', connectorId)
    .where('d.due_at', '<=', nowMs)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries as e')
            .select('e.id')
            .where('e.connector_id', '=', connectorId)
            .whereRef('e.line', '=', 'd.line')
            .whereRef('e.place', '<', 'd.place')
            .where('e.due_at', 'is not', null),
        ),
      ),
    )
    .orderBy('d.rank')
    .orderBy('d.place')
    .limit(limit)
    .execute();

/**
 * Begins a try: moves the time at which the delivery is due to the end of the lease. False when another process was
 * faster. When this process dies, the delivery is due again by itself.
 */
export async function takeDelivery(db: Db, row: DeliveryRow, leaseEndMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set({ due_at: leaseEndMs, attempts: row.attempts + 1 })
    .where('id', '=', row.id)
    .where('attempts', '=', row.attempts)
    .where('due_at', '=', row.due_at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Writes how a try went. */
export async function changeDelivery(
  db: Db,
  id: string,
  change: Pick<DeliveryRow, 'state' | 'due_at' | 'status' | 'error' | 'finished_at'>,
): Promise<void> {
  await db.updateTable('deliveries').set(change).where('id', '=', id).execute();
}

/** The log row that a delivery tells of. */
export const logOf = (db: Db, logId: string) =>
  db
    .selectFrom('logs')
    .select(['level', 'message', 'data', 'device_id', 'bundle_id', 'created_at'])
    .where('id', '=', logId)
    .executeTakeFirst();

/** Gives what waits the names of its devices. */
export async function nameWaitingDevices(db: Db): Promise<void> {
  await db
    .updateTable('deliveries')
    .set((eb) => ({
      device_uuid: eb.selectFrom('devices').select('uuid').whereRef('devices.id', '=', 'deliveries.device_id'),
      device_title: eb.selectFrom('devices').select('title').whereRef('devices.id', '=', 'deliveries.device_id'),
    }))
    .where('due_at', 'is not', null)
    .execute();
}

/** One page of what went through a connector, and how many there are. */
export async function listDeliveries(
  db: Db,
  connectorId: string,
  state: DeliveryRow['state'] | undefined,
  page: Paging<'created_at'>,
): Promise<{ items: DeliveryRow[]; total: number }> {
  let query = db.selectFrom('deliveries').where('connector_id', '=', connectorId);
  if (state !== undefined) query = query.where('state', '=', state);
  const items = query.selectAll().orderBy('created_at', page.direction).orderBy('id', page.direction);
  return onePage(items, query, page);
}

/** Removes a batch of deliveries that ended before a moment; returns how many. */
export async function deleteDeliveriesBefore(db: Db, beforeMs: number, batch: number): Promise<number> {
  const old = db.selectFrom('deliveries').select('id').where('finished_at', '<', beforeMs).limit(batch);
  const { numDeletedRows } = await db.deleteFrom('deliveries').where('id', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
}
