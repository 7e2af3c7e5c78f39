import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { type Action, authorise, productRoles } from '../auth/rules.ts';
import { type ProductForCaller, productForCaller } from '../db/product-for-caller.ts';
import type { Db } from '../db/storage.ts';
import type { Caller } from '../http/types.ts';

/** The product that a caller wants to act on, when the authorisation table allows it. Spec: API-RULE-access-1, -2. */
export async function allowedProduct(
  db: Db,
  id: string,
  caller: Caller,
  action: Action,
): Promise<Result<ProductForCaller, Refusal>> {
  const product = await productForCaller(db, id.toLowerCase(), caller.userId);
  if (!product) return failure(refusal('NOT_FOUND', { what: 'Product' }));
  const denied = authorise(action, productRoles(caller, product), 'Product');
  return denied ? failure(denied) : success(product);
}
