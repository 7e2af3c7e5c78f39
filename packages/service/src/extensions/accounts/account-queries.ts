import type { UserRow } from '../../core/users/queries.ts';
import { countOf } from '../../engine/db/paging.ts';
import { finds } from '../../engine/db/statements.ts';
import type { Db } from '../../engine/db/storage.ts';
import { accountChange } from './account-rules.ts';

/** What depends on an account. */
export async function dependents(db: Db, userId: string) {
  const ofUser = (table: 'products' | 'bundles' | 'devices' | 'tokens') =>
    db.selectFrom(table).where(`${table}.user_id`, '=', userId);
  const products = await countOf(ofUser('products'));
  const bundles = await countOf(ofUser('bundles'));
  const devices = await countOf(ofUser('devices'));
  const sessions = await countOf(ofUser('tokens').where('client', 'is not', null));
  const tokens = await countOf(ofUser('tokens').where('client', 'is', null));
  return { owns: { products, bundles, devices }, sessions, tokens };
}

/** The account of a person, for a change of it. */
export const accountById = (db: Db, id: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('id', '=', id).where('service_product_id', 'is', null).executeTakeFirst();

/** Takes the lock under which administrators change: of two who lock each other out, the second sees the first. */
export const lockAdministrators = (trx: Db) =>
  trx.updateTable('users').set({ role: 'admin' }).where('role', '=', 'admin').execute();

/** Whether another account than this one may administer the service. */
export const hasOtherAdministrator = (trx: Db, userId: string): Promise<boolean> =>
  finds(
    trx
      .selectFrom('users')
      .select('id')
      .where('role', '=', 'admin')
      .where('disabled_at', 'is', null)
      .where('id', '!=', userId)
      .limit(1),
  );

/** Changes what an account may do. */
export const changeAccount = (
  trx: Db,
  id: string,
  change: Partial<Pick<UserRow, 'role' | 'disabled_at'>>,
): Promise<UserRow> =>
  trx.updateTable('users').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Removes the login sessions of an account, its tokens too when asked for; returns how many. */
export async function removeSessions(trx: Db, userId: string, withTokens: boolean): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .$if(!withTokens, (rows) => rows.where('client', 'is not', null))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Removes an account with its tokens, views and memberships; what it owned belongs to another account by then. */
export const deleteAccount = (trx: Db, id: string) => trx.deleteFrom('users').where('id', '=', id).execute();

/** Gives an account a role; false for the last administrator, who stays one. Spec: API-RULE-accounts-1. */
export async function setRole(trx: Db, account: UserRow, role: 'user' | 'admin'): Promise<boolean> {
  if (account.role === 'admin' && account.disabled_at === null) {
    await lockAdministrators(trx);
    if (!(await hasOtherAdministrator(trx, account.id))) return false;
  }
  await changeAccount(trx, account.id, accountChange(account, { role }, 0));
  return true;
}
