import { productUsersLimit } from '@moorage/api';
import { countMembers, deleteMember, memberOf, productToJoin, putMember } from '../../core/products/people-queries.ts';
import { writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';

/** Somebody whom groups of a provider make a member of a product, or no more. */
export interface GroupMember {
  readonly productId: string;
  readonly user: { readonly id: string; readonly username: string };
  /** None takes them off the product. */
  readonly role: 'manager' | 'tester' | undefined;
  readonly ip: string;
}

/**
 * Makes a membership what the groups of a provider say, in a transaction of the caller. Returns whether that has changed
 * anything; a product that is gone, is their own or has no room left stays as it is.
 */
export async function setGroupMember(
  { clock }: Pick<Deps, 'clock'>,
  trx: Db,
  { productId, user, role, ip }: GroupMember,
): Promise<boolean> {
  const product = await productToJoin(trx, productId);
  const known = await memberOf(trx, productId, user.id);
  if (!product || product.user_id === user.id || known?.role === role) return false;
  const atMs = clock.now();
  const log = { atMs, userId: user.id, ip, productId, concernedId: user.id };
  const before = known?.role ?? null;
  if (role === undefined) {
    await deleteMember(trx, productId, user.id);
    const message = `User ${user.username} taken off product ${product.product} by the groups of the provider`;
    const data = { user_id: user.id, before };
    await writeLog(trx, { ...log, type: 'product.user_remove', message, data });
    return true;
  }
  if (!known && (await countMembers(trx, productId)) >= productUsersLimit) return false;
  await putMember(trx, { product_id: productId, user_id: user.id, role, created_at: atMs });
  const message = `User ${user.username} is ${role} of product ${product.product} by the groups of the provider`;
  await writeLog(trx, { ...log, type: 'product.user_add', message, data: { user_id: user.id, role, before } });
  return true;
}
