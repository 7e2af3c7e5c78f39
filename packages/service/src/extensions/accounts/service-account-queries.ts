import { randomUUID } from 'node:crypto';
import type { TokenRow, UserRow } from '../../core/auth/queries.ts';
import type { Db } from '../../engine/db/storage.ts';

/** No password has this hash: a service account cannot sign in. */
const noPassword = 'none';

const accounts = (db: Db, productId: string) =>
  db.selectFrom('users').selectAll().where('service_product_id', '=', productId);

/** The service accounts of a product, by name. */
export const serviceAccountsOf = (db: Db, productId: string): Promise<UserRow[]> =>
  accounts(db, productId).orderBy('username').execute();

export const serviceAccountById = (db: Db, productId: string, id: string): Promise<UserRow | undefined> =>
  accounts(db, productId).where('id', '=', id).executeTakeFirst();

/** Adds a service account to a product. */
export function insertServiceAccount(
  trx: Db,
  { username, productId, atMs }: { readonly username: string; readonly productId: string; readonly atMs: number },
): Promise<UserRow> {
  const id = randomUUID();
  return trx
    .insertInto('users')
    .values({
      id,
      // No mail goes there: the top-level domain is reserved for that.
      email: `${id}@service.invalid`,
      username,
      password_hash: noPassword,
      name_given: '',
      name_family: '',
      organisation: '',
      role: 'user',
      customer_id: null,
      avatar_id: null,
      created_at: atMs,
      disabled_at: null,
      email_confirmed_at: null,
      second_factor: 0,
      service_product_id: productId,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Disables a service account, or lets it in again. */
export const setServiceAccount = (trx: Db, id: string, disabledAt: number | null): Promise<UserRow> =>
  trx
    .updateTable('users')
    .set({ disabled_at: disabledAt })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Removes a service account with its tokens. */
export const deleteServiceAccount = (trx: Db, id: string) => trx.deleteFrom('users').where('id', '=', id).execute();

/** The tokens of accounts, the newest first. */
export async function tokensOf(db: Db, userIds: readonly string[]): Promise<TokenRow[]> {
  if (userIds.length === 0) return [];
  const rows = db.selectFrom('tokens').selectAll().where('user_id', 'in', userIds);
  return rows.orderBy('created_at', 'desc').orderBy('id').execute();
}
