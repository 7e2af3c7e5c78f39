import type { NewRow, Row } from '../../engine/db/schema.ts';
import { changes } from '../../engine/db/statements.ts';
import type { Db, Expressions } from '../../engine/db/storage.ts';

export type LinkRow = Row<'mail_links'>;
export type DueLink = LinkRow & { readonly product: string | null };

export const insertLink = (trx: Db, row: NewRow<'mail_links'>) => trx.insertInto('mail_links').values(row).execute();

/** Links that wait to be mailed, those that have waited longest first; with the code of the product that one is about. */
export const dueLinks = (db: Db, nowMs: number, limit: number): Promise<DueLink[]> =>
  db
    .selectFrom('mail_links as l')
    .leftJoin('products as p', 'p.id', 'l.product_id')
    .selectAll('l')
    .select('p.product')
    .where('l.due_at', '<=', nowMs)
    .orderBy('l.due_at')
    .orderBy('l.id')
    .limit(limit)
    .execute();

/** Notes what became of mailing a link. */
export const changeLink = (db: Db, id: string, change: Partial<Pick<LinkRow, 'token_hash' | 'attempts' | 'due_at'>>) =>
  db.updateTable('mail_links').set(change).where('id', '=', id).execute();

/** The account of a link that may be used. One that is about the address of the account needs that to be the same still. */
export const accountOfLink = (db: Db, kinds: readonly LinkRow['kind'][], tokenHash: string, nowMs: number) =>
  db
    .selectFrom('mail_links as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .selectAll('u')
    .select(['l.kind as link_kind', 'l.email as link_email', 'l.created_at as link_created_at'])
    .where('l.kind', 'in', kinds)
    .where((eb) => eb.or([eb('l.kind', 'in', ['address', 'undo']), eb('u.email', '=', eb.ref('l.email'))]))
    .where('l.token_hash', '=', tokenHash)
    .where('l.used_at', 'is', null)
    .where('l.expires_at', '>', nowMs)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst();

/** The address that an account shall have once a link is used, if there is such a link. */
export async function pendingAddress(db: Db, userId: string, nowMs: number): Promise<string | null> {
  const found = await db
    .selectFrom('mail_links')
    .select('email')
    .where('user_id', '=', userId)
    .where('kind', '=', 'address')
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst();
  return found?.email ?? null;
}

/** Uses a link up; false when that has happened already, or its time is over. */
export const spendLink = (trx: Db, tokenHash: string, nowMs: number): Promise<boolean> =>
  changes(
    trx
      .updateTable('mail_links')
      .set({ used_at: nowMs })
      .where('token_hash', '=', tokenHash)
      .where('used_at', 'is', null)
      .where('expires_at', '>', nowMs),
  );

/** Takes back all links of a kind that a user was mailed, or is to be; with a moment, only those made from then on. */
export const deleteLinks = (trx: Db, userId: string, kind: LinkRow['kind'], sinceMs = 0) =>
  trx
    .deleteFrom('mail_links')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('created_at', '>=', sinceMs)
    .execute();

/** Gives an account an address that is its user's: they have used a link that was mailed there. */
export const setAddress = (trx: Db, userId: string, email: string, atMs: number) =>
  trx.updateTable('users').set({ email, email_confirmed_at: atMs }).where('id', '=', userId).execute();

/** Removes what opens an account, as far as it was added from a moment on, and all of its login sessions. */
export async function deleteAdded(trx: Db, userId: string, sinceMs: number): Promise<void> {
  for (const table of ['passkeys', 'sso_links'] as const) {
    await trx.deleteFrom(table).where('user_id', '=', userId).where('created_at', '>=', sinceMs).execute();
  }
  await trx.deleteFrom('totp').where('user_id', '=', userId).where('confirmed_at', '>=', sinceMs).execute();
  await trx
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('client', 'is not', null), eb('created_at', '>=', sinceMs)]))
    .execute();
}

/** Removes a batch of links that were over before a moment; returns how many. */
export async function deleteLinksBefore(db: Db, beforeMs: number, batch: number): Promise<number> {
  const over = db.selectFrom('mail_links').select('id').where('expires_at', '<', beforeMs);
  const { numDeletedRows } = await db
    .deleteFrom('mail_links')
    .where('id', 'in', over.limit(batch))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Notes that mails to the address of an account reach its user. */
export const confirmAddress = (trx: Db, userId: string, atMs: number) =>
  trx.updateTable('users').set({ email_confirmed_at: atMs }).where('id', '=', userId).execute();

/** Locks the account of a user until the transaction ends: what it asks for is counted one after the other. */
export const lockAsker = (trx: Db, expressions: Expressions, userId: string) =>
  expressions.lockRows(trx.selectFrom('users').select('id').where('id', '=', userId)).execute();

/** Links for alerts that can still be used: those that a user has asked for, and those to some addresses. */
export const waitingAlertLinks = (trx: Db, userId: string, emails: readonly string[], nowMs: number) =>
  trx
    .selectFrom('mail_links')
    .select(['user_id', 'product_id', 'email'])
    .where('kind', '=', 'alerts')
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .where((eb) => eb.or([eb('user_id', '=', userId), eb('email', 'in', emails)]))
    .execute();

/** The link for alerts with a token, used or not. */
export const alertLinkOf = (trx: Db, tokenHash: string): Promise<LinkRow | undefined> =>
  trx
    .selectFrom('mail_links')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('kind', '=', 'alerts')
    .executeTakeFirst();

/** Notes that alerts of a product may be mailed to an address. */
export const putAlertAddress = (trx: Db, row: Row<'alert_addresses'>) =>
  trx
    .insertInto('alert_addresses')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
