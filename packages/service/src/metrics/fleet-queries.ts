import { fleetVersionsLimit, openUpdateStates } from '@moorage/api';
import { visibleDevices } from '../access/devices.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Db } from '../db/storage.ts';

const fleetOf = (db: Db, viewer: Viewer, productId: string | undefined) =>
  visibleDevices(db, viewer).$if(productId !== undefined, (rows) =>
    rows.where('devices.product_id', '=', productId ?? ''),
  );

/** Devices by their state, and by that of their current updates: one walk. */
export const fleetCounts = (db: Db, viewer: Viewer, productId: string | undefined) =>
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
        count.filterWhere('updates.state', 'in', openUpdateStates).as('outdated'),
        count.filterWhere('updates.state', '=', 'failed').as('failed'),
      ];
    })
    .executeTakeFirstOrThrow();

/** Devices by product and by the version text that they have reported, the most frequent first. */
export const fleetVersions = (db: Db, viewer: Viewer, productId: string | undefined) =>
  fleetOf(db, viewer, productId)
    .select(['devices.product_id', 'products.product', 'devices.bversion'])
    .select((eb) => eb.fn.countAll<number>().as('devices'))
    .groupBy(['devices.product_id', 'products.product', 'devices.bversion'])
    .orderBy('devices', 'desc')
    .orderBy('products.product')
    .orderBy('devices.bversion')
    .limit(fleetVersionsLimit)
    .execute();
