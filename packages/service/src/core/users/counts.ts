import { openUpdateStates } from '@moorage/api';
import type { ExpressionBuilder } from 'kysely';
import { countOf } from '../../engine/db/paging.ts';
import type { Schema } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';
import { visibleDevices } from '../access/devices.ts';
import type { Viewer, ViewingUser } from '../access/viewer.ts';

type Products = ExpressionBuilder<Schema, 'products'>;

const owned = (eb: Products, { userId, customerId }: ViewingUser) =>
  eb.or([
    eb('products.user_id', '=', userId),
    ...(customerId === null ? [] : [eb('products.customer_id', '=', customerId)]),
  ]);

const isManaged = (eb: Products, { userId }: ViewingUser) =>
  eb(
    'products.id',
    'in',
    eb
      .selectFrom('product_users')
      .select('product_users.product_id')
      .where('product_users.user_id', '=', userId)
      .where('product_users.role', '=', 'manager'),
  );

/** Devices that the viewer may see, by what state they and their current updates are in: one walk. */
export const countDevices = (db: Db, viewer: Viewer) =>
  visibleDevices(db, viewer)
    .leftJoin('updates', 'updates.id', 'devices.update_id')
    .select((eb) => {
      const count = eb.fn.countAll<number>();
      return [
        count.as('total'),
        count.filterWhere('devices.state', '=', 'active').as('active'),
        count.filterWhere('devices.state', '=', 'enabled').as('enabled'),
        count.filterWhere('updates.state', '=', 'offered').as('unclaimed_offers'),
        count.filterWhere('updates.state', 'in', openUpdateStates).as('outdated'),
        count.filterWhere('updates.state', '=', 'failed').as('failed'),
      ];
    })
    .executeTakeFirstOrThrow();

/** How many of the devices that the viewer may see are on the message channel. Spec: API-CHAN-online. */
export const countOnline = (db: Db, viewer: Viewer): Promise<number> =>
  countOf(visibleDevices(db, viewer).innerJoin('channels', 'channels.device_id', 'devices.id'));

/** Products that are there and that the user owns or manages; published ones are among both. */
export async function countProducts(db: Db, person: ViewingUser) {
  const present = db.selectFrom('products').where('trashed', '=', 0);
  const mine = present.where((eb) => eb.or([owned(eb, person), isManaged(eb, person)]));
  return {
    owned: await countOf(present.where((eb) => owned(eb, person))),
    managed: await countOf(present.where((eb) => isManaged(eb, person))),
    published: await countOf(mine.where('publication', '=', 'published')),
  };
}

/** Bundles of the products that the user owns or manages. */
export const countBundles = (db: Db, person: ViewingUser) =>
  db
    .selectFrom('bundles')
    .where('product_id', 'in', (eb) =>
      eb
        .selectFrom('products')
        .select('products.id')
        .where('products.trashed', '=', 0)
        .where((where) => where.or([owned(where, person), isManaged(where, person)])),
    )
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('state', '=', 'preview').as('preview'),
      eb.fn.countAll<number>().filterWhere('state', '=', 'published').as('published'),
    ])
    .executeTakeFirstOrThrow();

/** How many tokens a user has. */
export const countTokens = (db: Db, userId: string): Promise<number> =>
  countOf(db.selectFrom('tokens').where('user_id', '=', userId));
