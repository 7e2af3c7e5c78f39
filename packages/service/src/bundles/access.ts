import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { type Action, authorise, productRoles } from '../auth/rules.ts';
import { type ProductForCaller, productForCaller } from '../db/product-for-caller.ts';
import type { Db } from '../db/storage.ts';
import type { Caller } from '../http/types.ts';
import { type BundleRow, bundleById } from './queries.ts';

const denial = (product: ProductForCaller, caller: Caller, action: Action, what: string): Refusal | undefined =>
  authorise(action, productRoles(caller, product), what);

/** The product whose bundles a caller wants to act on, when the authorisation table allows it. */
export async function allowedProduct(
  db: Db,
  id: string,
  caller: Caller,
  action: Action,
): Promise<Result<ProductForCaller, Refusal>> {
  const product = await productForCaller(db, id.toLowerCase(), caller.userId);
  if (!product) return failure(refusal('NOT_FOUND', { what: 'Product' }));
  const denied = denial(product, caller, action, 'Product');
  return denied ? failure(denied) : success(product);
}

/** The bundle that a caller wants to act on: what is allowed with a product is allowed with its bundles. */
export async function allowedBundle(
  db: Db,
  id: string,
  caller: Caller,
  action: Action,
): Promise<Result<{ readonly bundle: BundleRow; readonly product: ProductForCaller }, Refusal>> {
  const bundle = await bundleById(db, id.toLowerCase());
  const product = bundle && (await productForCaller(db, bundle.product_id, caller.userId));
  if (!product) return failure(refusal('NOT_FOUND', { what: 'Bundle' }));
  const denied = denial(product, caller, action, 'Bundle');
  return denied ? failure(denied) : success({ bundle, product });
}
