import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result } from '@moorage/base';
import type { Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Caller } from '../../engine/http/types.ts';
import { reachability } from './catalogue.ts';
import { type Action, allowProduct } from './rules.ts';

/** A product, its platform's code, and what decides what a caller may do with it and all that belongs to it. */
export interface ProductForCaller extends Row<'products'> {
  readonly platform: string;
  /** The role that the owner gave to the caller. */
  readonly membership: 'manager' | 'tester' | null;
  /** The caller owns a device that is activated to it. */
  readonly ownsDevice: boolean;
  readonly reachable: number;
}

/** Looks a product up for a caller. Which roles follow from what is found is the authorisation rules' to say. */
async function productForCaller(db: Db, id: string, caller: Caller): Promise<ProductForCaller | undefined> {
  const { userId } = caller;
  const found = await db
    .selectFrom('products')
    .innerJoin('platforms', 'platforms.id', 'products.platform_id')
    .leftJoin('product_users', (join) =>
      join.onRef('product_users.product_id', '=', 'products.id').on('product_users.user_id', '=', userId),
    )
    .selectAll('products')
    .select((eb) => [
      'platforms.code as platform',
      'product_users.role as membership',
      reachability(caller, eb.ref('products.platform_id'), eb.ref('products.flavor_id')).as('reachable'),
      // One will do: a product may have a hundred thousand.
      eb
        .selectFrom('devices')
        .select('devices.id')
        .whereRef('devices.product_id', '=', 'products.id')
        .where('devices.user_id', '=', userId)
        .limit(1)
        .as('own_device'),
    ])
    .where('products.id', '=', id)
    .executeTakeFirst();
  if (!found) return undefined;
  const { own_device, ...product } = found;
  return { ...product, ownsDevice: own_device !== null };
}

/**
 * The product that a caller wants to act on, when the authorisation table allows it. Refusals: NOT_FOUND, FORBIDDEN.
 * Spec: API-RULE-access-1, API-RULE-access-2.
 *
 * @param what the thing that belongs to the product, for the message: `Bundle`, `Connector`
 */
export const allowedProduct = async (
  db: Db,
  id: string,
  caller: Caller,
  action: Action,
  what?: string,
): Promise<Result<ProductForCaller, Refusal>> =>
  allowProduct(await productForCaller(db, id, caller), caller, action, what);

/** The refusal of something new in a product that is in the trash: PRODUCT_TRASHED. Spec: API-RULE-product-4. */
export const refuseTrashed = ({ trashed, product }: Pick<ProductForCaller, 'trashed' | 'product'>) =>
  trashed ? refusal('PRODUCT_TRASHED', { product }) : undefined;

/** The product that a caller wants to add something to. Refusals: NOT_FOUND, FORBIDDEN, PRODUCT_TRASHED. */
export async function growingProduct(
  db: Db,
  id: string,
  caller: Caller,
  action: Action,
): Promise<Result<ProductForCaller, Refusal>> {
  const allowed = await allowedProduct(db, id, caller, action);
  const trashed = allowed.ok ? refuseTrashed(allowed.value) : undefined;
  return trashed ? failure(trashed) : allowed;
}
