import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Db } from '../../engine/db/storage.ts';
import type { Caller } from '../../engine/http/types.ts';
import { allowedProduct, type ProductForCaller } from '../access/products.ts';
import { type Action, may, productRoles } from '../access/rules.ts';
import { type BundleRow, bundleById, isOnOffer, type Offered } from './queries.ts';

/** The bundle that a caller wants to act on: what is allowed with a product is allowed with its bundles. */
export async function allowedBundle(
  db: Db,
  id: string,
  caller: Caller,
  action: Action,
): Promise<Result<{ readonly bundle: BundleRow; readonly product: ProductForCaller }, Refusal>> {
  const bundle = await bundleById(db, id);
  if (!bundle) return failure(refusal('NOT_FOUND', { what: 'Bundle' }));
  const product = await allowedProduct(db, bundle.product_id, caller, action, 'Bundle');
  return product.ok ? success({ bundle, product: product.value }) : product;
}

/**
 * Which bundles of a product that they may read a caller sees: all of them, or those that devices of theirs may get.
 * A production product offers its bundles to the devices that are on it, not to every device.
 */
export const sightOf = (product: ProductForCaller, caller: Caller): 'all' | Offered =>
  may('bundle.read.all', productRoles(caller, product))
    ? 'all'
    : { userId: caller.userId, published: product.production === 0 };

/** A bundle that a caller may read, and how much of it. Refusal: NOT_FOUND. */
export async function readableBundle(
  db: Db,
  id: string,
  caller: Caller,
): Promise<Result<{ readonly bundle: BundleRow; readonly sight: 'all' | Offered }, Refusal>> {
  const allowed = await allowedBundle(db, id, caller, 'bundle.read');
  if (!allowed.ok) return allowed;
  const { bundle, product } = allowed.value;
  const sight = sightOf(product, caller);
  if (sight !== 'all' && !(await isOnOffer(db, bundle.id, sight)))
    return failure(refusal('NOT_FOUND', { what: 'Bundle' }));
  return success({ bundle, sight });
}
