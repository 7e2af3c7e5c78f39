import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { allowedProduct, type ProductForCaller } from '../access/products.ts';
import type { Action } from '../auth/rules.ts';
import type { Caller } from '../core/types.ts';
import type { Db } from '../db/storage.ts';
import { type BundleRow, bundleById } from './queries.ts';

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
