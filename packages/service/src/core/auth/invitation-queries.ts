import { countOf, onePage, type Paging } from '../../engine/db/paging.ts';
import type { NewRow, Row } from '../../engine/db/schema.ts';
import { changes } from '../../engine/db/statements.ts';
import type { Db } from '../../engine/db/storage.ts';

export type InvitationRow = Row<'invitations'>;
/** With the user names of those who made and used it. */
export type ShownInvitation = InvitationRow & { readonly maker: string | null; readonly user: string | null };

/** A page of all invitations, and how many there are. */
export async function listInvitations(
  db: Db,
  page: Paging<'created_at' | 'expires_at'>,
): Promise<{ items: ShownInvitation[]; total: number }> {
  const items = db
    .selectFrom('invitations as i')
    .leftJoin('users as m', 'm.id', 'i.created_by')
    .leftJoin('users as u', 'u.id', 'i.used_by')
    .selectAll('i')
    .select(['m.username as maker', 'u.username as user'])
    .orderBy(`i.${page.field}`, page.direction)
    .orderBy('i.id', page.direction);
  return onePage(items, db.selectFrom('invitations'), page);
}

/** The invitation of a token, as long as it may be used. */
export const openInvitation = (db: Db, tokenHash: string, nowMs: number): Promise<InvitationRow | undefined> =>
  db
    .selectFrom('invitations')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst();

/** How many may still be used. */
export const countOpenInvitations = (db: Db, nowMs: number): Promise<number> =>
  countOf(db.selectFrom('invitations').where('used_at', 'is', null).where('expires_at', '>', nowMs));

export const insertInvitation = (trx: Db, row: NewRow<'invitations'>) =>
  trx.insertInto('invitations').values(row).execute();

/** Uses an invitation up; false when that has happened already, or its time is over. */
export const spendInvitation = (trx: Db, id: string, userId: string, nowMs: number): Promise<boolean> =>
  changes(
    trx
      .updateTable('invitations')
      .set({ used_at: nowMs, used_by: userId })
      .where('id', '=', id)
      .where('used_at', 'is', null)
      .where('expires_at', '>', nowMs),
  );

export async function deleteInvitation(trx: Db, id: string): Promise<InvitationRow | undefined> {
  return trx.deleteFrom('invitations').where('id', '=', id).returningAll().executeTakeFirst();
}
