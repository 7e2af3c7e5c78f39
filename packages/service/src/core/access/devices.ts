import type { Db } from '../../engine/db/storage.ts';
import { type Viewer, watchedCustomer } from './viewer.ts';

/**
 * The devices that the viewer may see, with their products: their own, and those on products that they own, as a person
 * or through a customer, manage or test. For counting; the list of devices, which pages, goes by indexes instead.
 *
 * @param roles `managers`: without those that the viewer only tests, whose private things are not theirs to see
 */
export function visibleDevices(db: Db, viewer: Viewer, roles: 'all' | 'managers' = 'all') {
  const devices = db.selectFrom('devices').innerJoin('products', 'products.id', 'devices.product_id');
  if (viewer === 'everyone') return devices;
  const { userId } = viewer;
  const customerId = roles === 'managers' ? watchedCustomer(viewer) : viewer.customerId;
  return devices.where((eb) =>
    eb.or([
      eb('devices.user_id', '=', userId),
      eb('products.user_id', '=', userId),
      ...(customerId === null ? [] : [eb('products.customer_id', '=', customerId)]),
      eb(
        'devices.product_id',
        'in',
        eb
          .selectFrom('product_users')
          .select('product_users.product_id')
          .where('product_users.user_id', '=', userId)
          .$if(roles === 'managers', (rows) => rows.where('product_users.role', '=', 'manager')),
      ),
    ]),
  );
}
