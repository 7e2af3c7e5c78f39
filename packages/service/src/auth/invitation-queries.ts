import type { Insertable, Selectable } from 'kysely';
import type { Paging } from '../db/paging.ts';
import type { InvitationTable } from '../db/schema.ts';
import type { Db } from '../db/storage.ts';

export type InvitationRow = Selectable<InvitationTable>;
/** With the user names of those who made and used it. */
export type ShownInvitation = InvitationRow & { readonly maker: string | null; readonly user: string | null };

/** A page of all invitations, and how many there are. */
export async function listInvitations(
  db: Db,
  page: Paging<'created_at' | 'expires_at'>,
): Promise<{ items: ShownInvitation[]; total: number }> {
  const items = await db
    .selectFrom('invitations as i')
    .leftJoin('users as m', 'm.id', 'i.created_by')
    .leftJoin('users as u', 'u.id', 'i.used_by')
    .selectAll('i')
    .select(['m.username as maker', 'u.username as user'])
    .orderBy(`i.${page.field}`, page.direction)
    .orderBy('i.id', page.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const { total } = await db
    .selectFrom('invitations')
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { items, total };
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
export async function countOpenInvitations(db: Db, nowMs: number): Promise<number> {
  const { open } = await db
    .selectFrom('invitations')
    .select((count) => count.fn.countAll<number>().as('open'))
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .executeTakeFirstOrThrow();
  return open;
}

export async function insertInvitation(trx: Db, row: Insertable<InvitationTable>): Promise<void> {
  await trx.insertInto('invitations').values(row).execute();
}

/** Uses an invitation up; false when that has happened already, or its time is over. */
export async function spendInvitation(trx: Db, id: string, userId: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('invitations')
    .set({ used_at: nowMs, used_by: userId })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteInvitation(trx: Db, id: string): Promise<InvitationRow | undefined> {
  return trx.deleteFrom('invitations').where('id', '=', id).returningAll().executeTakeFirst();
}
