import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Schema } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';
import { type ViewingUser, watchedCustomer } from './viewer.ts';

type Where = ExpressionBuilder<Schema, 'logs'>;

/** A condition that one index of logs serves from its first column on. */
export type LogSource = (where: Where) => ExpressionWrapper<Schema, 'logs', SqlBool>;

/** Ids of the products whose logs the viewer may read, as part of a query: owned, as a person or through a customer, and managed ones. */
export const watchedProductIds = (db: Db, viewer: ViewingUser) =>
  db
    .selectFrom('products')
    .select('id')
    .where('user_id', '=', viewer.userId)
    .union(db.selectFrom('products').select('id').where('customer_id', '=', watchedCustomer(viewer)))
    .union(
      db
        .selectFrom('product_users')
        .select('product_id as id')
        .where('user_id', '=', viewer.userId)
        .where('role', '=', 'manager'),
    );

export const watchedProducts = async (db: Db, viewer: ViewingUser): Promise<string[]> =>
  (await watchedProductIds(db, viewer).execute()).map(({ id }) => id);

/** Products that have one source each; the others share one. Databases limit how many queries one may be made of. */
const singleProducts = 100;

/**
 * Every row that the viewer may read, in parts without a row in common: each is a walk along one index, where one
 * condition with "or" would be a walk through all rows. Spec: API-RULE-log-1.
 *
 * @param products the watched products, from `watchedProducts`
 * @param parts `grouped` puts all products into one: for counting, where the order of rows does not matter
 */
export function logSources(
  { userId }: { readonly userId: string },
  products: readonly string[],
  parts: 'single' | 'grouped',
): LogSource[] {
  const unwatched = (where: Where) =>
    products.length === 0
      ? where.val(true)
      : where.or([where('logs.product_id', 'is', null), where('logs.product_id', 'not in', [...products])]);
  const single = parts === 'grouped' ? [] : products.slice(0, singleProducts);
  const rest = products.slice(single.length);
  return [
    ...single.map<LogSource>((id) => (where) => where('logs.product_id', '=', id)),
    ...(rest.length === 0 ? [] : [(where: Where) => where('logs.product_id', 'in', [...rest])]),
    (where) => where.and([where('logs.owner_id', '=', userId), unwatched(where)]),
    (where) =>
      where.and([
        where('logs.user_id', '=', userId),
        where.or([where('logs.owner_id', 'is', null), where('logs.owner_id', '!=', userId)]),
        unwatched(where),
      ]),
  ];
}
