import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { type Action, authorise, productRoles } from '../auth/rules.ts';
import type { Db } from '../db/storage.ts';
import type { Caller } from '../http/types.ts';
import { type ProductRow, productForCaller } from './queries.ts';

/** The product that a caller wants to act on, when the authorisation table allows it. Spec: API-RULE-access-1, -2. */
export async function allowedProduct(
  db: Db,
  id: string,
  caller: Caller,
  action: Action,
): Promise<Result<ProductRow, Refusal>> {
  const product = await productForCaller(db, id.toLowerCase(), caller.userId);
  if (!product) return failure(refusal('NOT_FOUND', { what: 'Product' }));
  const ties = { ...product, membership: product.given_role, ownsDevice: (product.own_devices ?? 0) > 0 };
  const denied = authorise(action, productRoles(caller, ties), 'Product');
  return denied ? failure(denied) : success(product);
}
