import { type Kysely, type Migration, sql } from 'kysely';
import type { Ddl } from './index.ts';

/** Organisations that own production products. */
const customers = (db: Kysely<unknown>, ddl: Ddl) =>
  db.schema
    .createTable('customers')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('created_at', ddl.int64, (column) => column.notNull())
    .modifyEnd(ddl.tableEnd)
    .execute();

const connectors = (db: Kysely<unknown>, ddl: Ddl) =>
  db.schema
    .createTable('connectors')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('product_id', 'text', (column) => column.notNull().references('products.id').onDelete('cascade'))
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('opts', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('last_used_at', ddl.int64)
    .addColumn('last_error', 'text')
    .addColumn('created_at', ddl.int64, (column) => column.notNull())
    .addColumn('updated_at', ddl.int64, (column) => column.notNull())
    .modifyEnd(ddl.tableEnd)
    .execute();

/** Which events of a product each of its connectors wants: what a log row looks its deliveries up by. */
const connectorEvents = (db: Kysely<unknown>, ddl: Ddl) =>
  db.schema
    .createTable('connector_events')
    .addColumn('connector_id', 'text', (column) => column.notNull().references('connectors.id').onDelete('cascade'))
    .addColumn('product_id', 'text', (column) => column.notNull())
    .addColumn('event', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('connector_events_key', ['connector_id', 'event'] as never[])
    .modifyEnd(ddl.tableEnd)
    .execute();

/** The queue of what is to be delivered, and the log of what has been. */
const deliveries = (db: Kysely<unknown>, ddl: Ddl) =>
  db.schema
    .createTable('deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('connector_id', 'text', (column) => column.notNull().references('connectors.id').onDelete('cascade'))
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('log_id', 'text')
    .addColumn('device_id', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', ddl.int64, (column) => column.notNull())
    .addColumn('due_at', ddl.int64)
    .addColumn('status', ddl.int64)
    .addColumn('error', 'text')
    .addColumn('created_at', ddl.int64, (column) => column.notNull())
    .addColumn('finished_at', ddl.int64)
    .modifyEnd(ddl.tableEnd)
    .execute();

/**
 * Indexes by table. Those of logs hold type and quiet, so that counts need no rows; none begins with quiet, which would
 * look narrow to a planner without statistics and is not.
 */
const indexes: readonly (readonly [table: string, ...columns: string[]])[] = [
  ['connector_events', 'product_id', 'event'],
  ['deliveries', 'connector_id', 'created_at'],
  // Only what waits has a time at which it is due.
  ['deliveries', 'due_at'],
  ['deliveries', 'finished_at'],
  ['products', 'customer_id'],
  ['users', 'customer_id'],
  ['logs', 'level', 'created_at'],
  ['logs', 'created_at', 'type', 'quiet'],
  ['logs', 'user_id', 'quiet', 'created_at', 'type'],
  ['logs', 'owner_id', 'quiet', 'created_at', 'type'],
  ['logs', 'product_id', 'quiet', 'created_at', 'type'],
];

/** Indexes of the first version that a new one begins with the same column of. */
const replaced = ['logs_user_id_created_at', 'logs_product_id_created_at', 'logs_created_at_id'];

/** Connectors with their deliveries, customers, locations of devices, and lists of logs that stay quick. */
export const connectorsLogs = (ddl: Ddl): Migration => ({
  async up(db) {
    await customers(db, ddl);
    await db.schema.createIndex('customers_name').on('customers').column('name').unique().execute();
    await connectors(db, ddl);
    await db.schema
      .createIndex('connectors_product_id_code')
      .on('connectors')
      .columns(['product_id', 'code'])
      .unique()
      .execute();
    await connectorEvents(db, ddl);
    await deliveries(db, ddl);
    for (const [column, type] of [
      ['lat_e6', ddl.int64],
      ['lon_e6', ddl.int64],
      ['city', 'text'],
      ['country', 'text'],
    ] as const) {
      await db.schema.alterTable('devices').addColumn(column, type).execute();
    }
    await db.schema
      .createIndex('devices_located')
      .on('devices')
      .columns(['created_at', 'id'])
      .where(sql.ref('lat_e6'), 'is not', null)
      .execute();
    await db.schema.alterTable('logs').addColumn('owner_id', 'text').execute();
    await db.schema
      .alterTable('logs')
      .addColumn('quiet', ddl.int64, (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`update logs set owner_id = (select user_id from devices where devices.id = logs.device_id)
      where device_id is not null`.execute(db);
    await sql`update logs set quiet = 1 where type in ('ota.check', 'ota.none')`.execute(db);
    for (const name of replaced) await db.schema.dropIndex(name).execute();
    for (const [table, ...columns] of indexes) {
      await db.schema
        .createIndex([table, ...columns].join('_'))
        .on(table)
        .columns([...columns])
        .execute();
    }
  },
});
