import { type Refusal, refusal } from '@moorage/api';
import type { UserRow } from '../../core/users/queries.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import type { Caller } from '../../engine/http/types.ts';
import { lockPeople, peopleOf } from './customer-queries.ts';

/** What an account is to the people of its customer. */
type Place = Pick<UserRow, 'customer_id' | 'customer_role' | 'disabled_at'>;

/**
 * Refuses a change after which the people of a customer had no owner who can come in: LAST_OWNER. Only an administrator may
 * leave a customer without people. Everything that ends or changes what an account is to its customer asks here, in the
 * transaction of the change; of two owners who go at once, the second sees the first. Spec: API-RULE-customer-3.
 *
 * @param change what becomes of the account; `undefined` when it is deleted
 */
export async function refuseLastOwner(
  { expressions }: Pick<Storage, 'expressions'>,
  trx: Db,
  { id, customer_id }: Pick<UserRow, 'id' | 'customer_id'>,
  change: Partial<Place> | undefined,
  { role }: Pick<Caller, 'role'>,
): Promise<Refusal | undefined> {
  if (customer_id === null) return undefined;
  await lockPeople(trx, expressions, customer_id);
  const people = (await peopleOf(trx, [customer_id])).filter(({ disabled_at }) => disabled_at === null);
  const left = people
    .flatMap((one) => (one.id === id ? (change ? [{ ...one, ...change }] : []) : [one]))
    .filter((one) => one.customer_id === customer_id && one.disabled_at === null);
  const isOwned = (some: readonly Place[]) => some.some(({ customer_role }) => customer_role === 'owner');
  if (isOwned(left) || !isOwned(people)) return undefined;
  return role === 'admin' && left.length === 0 ? undefined : refusal('LAST_OWNER');
}
