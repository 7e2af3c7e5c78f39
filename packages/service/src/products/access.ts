import type { Refusal } from '@moorage/api';
import type { Result } from '@moorage/base';
import { type Action, allowProduct } from '../auth/rules.ts';
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
  return allowProduct(await productForCaller(db, id.toLowerCase(), caller.userId), caller, action);
}
