import { type Refusal, refusalFor } from '@moorage/api';
import { topics } from '../../engine/bus/topics.ts';
import type { Row } from '../../engine/db/schema.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import { afterCommit } from '../../engine/db/transaction.ts';
import type { Caller, Deps, Limit } from '../../engine/http/types.ts';

/** The person of an email address or user name, in any letter case. Only an address has an @. */
export const findAccount = (db: Db, name: string): Promise<Row<'users'> | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where(name.includes('@') ? 'email' : 'username', '=', name.toLowerCase())
    .where('service_product_id', 'is', null)
    .executeTakeFirst();

/**
 * Whether an address, in lower case, is not to be had by a user, or by a new one: another has it, or may take it back
 * that was theirs. Spec: API-RULE-link-3.
 */
export async function addressTaken(db: Db, email: string, nowMs: number, userId = ''): Promise<boolean> {
  const owner = db.selectFrom('users').select('email as id').where('email', '=', email).where('id', '!=', userId);
  const former = db
    .selectFrom('mail_links')
    .select('email as id')
    .where('kind', '=', 'undo')
    .where('email', '=', email)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .where('user_id', '!=', userId);
  return (await owner.union(former).executeTakeFirst()) !== undefined;
}

/** After the change, event streams of the user that they may not listen to any more end at once, on every node. */
export const announceAccess = ({ bus }: Pick<Storage, 'bus'>, trx: Db, userId: string): void =>
  afterCommit(trx, () => bus.publish(topics.accessChanged, { userId }));

/** Accounts that one account may look for. Spec: API-LIMIT-look-ups. */
export const lookUps: Limit = { kind: 'look-up', most: 30, windowMs: 3_600_000 };

/**
 * Counts a request whose answer says whether a name or an address has an account, before the transaction that finds out.
 * Administrators see all accounts anyway. Refusal: TOO_MANY_LOOK_UPS. Spec: API-LIMIT-look-ups.
 *
 * @param by the caller, or the id of the invitation that an account is to be made with
 */
export async function refuseLookUp(
  { attempts }: Pick<Deps, 'attempts'>,
  by: Pick<Caller, 'userId' | 'role'> | string,
): Promise<Refusal | undefined> {
  if (typeof by !== 'string' && by.role === 'admin') return undefined;
  const begun = await attempts.begin(lookUps, typeof by === 'string' ? by : by.userId);
  return begun.ok ? undefined : refusalFor('TOO_MANY_LOOK_UPS', begun.error.retryAfterS);
}
