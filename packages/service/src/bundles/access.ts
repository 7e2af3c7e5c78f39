import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { type Action, allowProduct } from '../auth/rules.ts';
import { type ProductForCaller, productForCaller } from '../db/product-for-caller.ts';
import type { Db } from '../db/storage.ts';
import type { Caller } from '../http/types.ts';
import { type BundleRow, bundleById } from './queries.ts';

/** The product whose bundles a caller wants to act on, when the authorisation table allows it. */
export async function allowedProduct(
  db: Db,
  id: string,
  caller: Caller,
  action: Action,
): Promise<Result<ProductForCaller, Refusal>> {
  return allowProduct(await productForCaller(db, id.toLowerCase(), caller.userId), caller, action);
}

/** The bundle that a caller wants to act on: what is allowed with a product is allowed with its bundles. */
export async function allowedBundle(
  db: Db,
  id: string,
  caller: Caller,
  action: Action,
): Promise<Result<{ readonly bundle: BundleRow; readonly product: ProductForCaller }, Refusal>> {
  const bundle = await bundleById(db, id.toLowerCase());
  if (!bundle) return failure(refusal('NOT_FOUND', { what: 'Bundle' }));
  const found = await productForCaller(db, bundle.product_id, caller.userId);
  const product = allowProduct(found, caller, action, 'Bundle');
  return product.ok ? success({ bundle, product: product.value }) : product;
}
