import type { Insertable, Selectable } from 'kysely';
import type { MailLinkTable } from '../db/schema.ts';
import type { Db } from '../db/storage.ts';
import type { UserRow } from './queries.ts';

export type LinkRow = Selectable<MailLinkTable>;

export async function insertLink(trx: Db, row: Insertable<MailLinkTable>): Promise<void> {
  await trx.insertInto('mail_links').values(row).execute();
}

/** Links that wait to be mailed, those that have waited longest first. */
export const dueLinks = (db: Db, nowMs: number, limit: number): Promise<LinkRow[]> =>
  db
    .selectFrom('mail_links')
    .selectAll()
    .where('due_at', '<=', nowMs)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Notes what became of mailing a link. */
export async function changeLink(
  db: Db,
  id: string,
  change: Partial<Pick<LinkRow, 'token_hash' | 'attempts' | 'due_at'>>,
): Promise<void> {
  await db.updateTable('mail_links').set(change).where('id', '=', id).execute();
}

/** The account of a link that may be used, for the address that it was mailed to. */
export const accountOfLink = (
  db: Db,
  kind: LinkRow['kind'],
  tokenHash: string,
  nowMs: number,
): Promise<UserRow | undefined> =>
  db
    .selectFrom('mail_links as l')
    .innerJoin('users as u', (join) => join.onRef('u.id', '=', 'l.user_id').onRef('u.email', '=', 'l.email'))
    .selectAll('u')
    .where('l.kind', '=', kind)
    .where('l.token_hash', '=', tokenHash)
    .where('l.used_at', 'is', null)
    .where('l.expires_at', '>', nowMs)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst();

/** Uses a link up; false when that has happened already, or its time is over. */
export async function spendLink(trx: Db, tokenHash: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('mail_links')
    .set({ used_at: nowMs })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Takes back all links of a kind that a user was mailed, or is to be. */
export async function deleteLinks(trx: Db, userId: string, kind: LinkRow['kind']): Promise<void> {
  await trx.deleteFrom('mail_links').where('user_id', '=', userId).where('kind', '=', kind).execute();
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
export async function confirmAddress(trx: Db, userId: string, atMs: number): Promise<void> {
  await trx.updateTable('users').set({ email_confirmed_at: atMs }).where('id', '=', userId).execute();
}
