import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { type Action, authorise, productRoles, type Role } from '../auth/rules.ts';
import type { Db } from '../db/storage.ts';
import type { Caller } from '../http/types.ts';
import { productForCaller } from './queries.ts';

type FoundProduct = NonNullable<Awaited<ReturnType<typeof productForCaller>>>;

/** What a caller is to a product that was looked up for them. */
export const rolesOf = (caller: Caller, product: FoundProduct): Role[] =>
  productRoles(caller, { ...product, membership: product.given_role, ownsDevice: (product.own_devices ?? 0) > 0 });

/** The product that a caller wants to act on, when the authorisation table allows it. Spec: API-RULE-access-1, -2. */
export async function allowedProduct(
  db: Db,
  id: string,
  caller: Caller,
  action: Action,
): Promise<Result<FoundProduct, Refusal>> {
  const product = await productForCaller(db, id.toLowerCase(), caller.userId);
  if (!product) return failure(refusal('NOT_FOUND', { what: 'Product' }));
  const denied = authorise(action, rolesOf(caller, product), 'Product');
  return denied ? failure(denied) : success(product);
}
