import { fleetVersionsLimit } from '@moorage/api';
import type { ExpressionBuilder } from 'kysely';
import type { LogViewer } from '../db/log-audience.ts';
import type { Schema } from '../db/schema.ts';
import type { Db } from '../db/storage.ts';

type Where = ExpressionBuilder<Schema, 'devices' | 'products'>;

/** One's own devices, and those on products that one owns, manages or tests: as in the list of devices. */
const visibleTo =
  ({ userId, customerId }: Exclude<LogViewer, 'everyone'>) =>
  (eb: Where) =>
    eb.or([
      eb('devices.user_id', '=', userId),
      eb('products.user_id', '=', userId),
      ...(customerId === null ? [] : [eb('products.customer_id', '=', customerId)]),
      eb(
        'devices.product_id',
        'in',
        eb.selectFrom('product_users').select('product_users.product_id').where('product_users.user_id', '=', userId),
      ),
    ]);

const fleetOf = (db: Db, viewer: LogViewer, productId: string | undefined) =>
  db
    .selectFrom('devices')
    .innerJoin('products', 'products.id', 'devices.product_id')
    .$if(productId !== undefined, (rows) => rows.where('devices.product_id', '=', productId ?? ''))
    .$if(viewer !== 'everyone', (rows) => (viewer === 'everyone' ? rows : rows.where(visibleTo(viewer))));

/** Devices by their state, and by that of their current updates: one walk. */
export const fleetCounts = (db: Db, viewer: LogViewer, productId: string | undefined) =>
  fleetOf(db, viewer, productId)
    .leftJoin('updates', 'updates.id', 'devices.update_id')
    .select((eb) => {
      const count = eb.fn.countAll<number>();
      return [
        count.as('total'),
        count.filterWhere('devices.state', '=', 'enabled').as('enabled'),
        count.filterWhere('devices.state', '=', 'active').as('active'),
        count.filterWhere('devices.state', '=', 'disabled').as('disabled'),
        count.filterWhere('updates.state', '=', 'done').as('ok'),
        count.filterWhere('updates.state', 'in', ['offered', 'downloading', 'installed']).as('outdated'),
        count.filterWhere('updates.state', '=', 'failed').as('failed'),
      ];
    })
    .executeTakeFirstOrThrow();

/** Devices by product and by the version text that they have reported, the most frequent first. */
export const fleetVersions = (db: Db, viewer: LogViewer, productId: string | undefined) =>
  fleetOf(db, viewer, productId)
    .select(['devices.product_id', 'products.product', 'devices.bversion'])
    .select((eb) => eb.fn.countAll<number>().as('devices'))
    .groupBy(['devices.product_id', 'products.product', 'devices.bversion'])
    .orderBy('devices', 'desc')
    .orderBy('products.product')
    .orderBy('devices.bversion')
    .limit(fleetVersionsLimit)
    .execute();
