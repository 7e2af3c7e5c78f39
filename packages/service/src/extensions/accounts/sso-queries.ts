import { randomUUID } from 'node:crypto';
import type { InvitationRow } from '../../core/auth/invitation-queries.ts';
import type { UserRow } from '../../core/auth/queries.ts';
import type { NewRow, Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';

export type SsoLinkRow = Row<'sso_links'>;
export type SsoAttemptRow = Row<'sso_attempts'>;

export const insertAttempt = (db: Db, row: NewRow<'sso_attempts'>) =>
  db.insertInto('sso_attempts').values(row).execute();

/** Uses a sign-in up that this browser has begun; undefined when that has happened already, or its time is over. */
export const spendAttempt = (db: Db, stateHash: string, browserHash: string, nowMs: number) =>
  db
    .deleteFrom('sso_attempts')
    .where('state_hash', '=', stateHash)
    .where('browser_hash', '=', browserHash)
    .where('expires_at', '>', nowMs)
    .returningAll()
    .executeTakeFirst();

/** Removes the sign-ins that were never finished. */
export async function deleteOldSignIns(db: Db, nowMs: number): Promise<void> {
  await db.deleteFrom('sso_attempts').where('expires_at', '<', nowMs).execute();
}

/** A person, as a provider names them. */
export type Person = Pick<SsoLinkRow, 'issuer' | 'subject'>;

/** The account that a person at a provider is linked to. */
export const linkedAccount = (db: Db, { issuer, subject }: Person): Promise<UserRow | undefined> =>
  db
    .selectFrom('sso_links as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .selectAll('u')
    .where('l.issuer', '=', issuer)
    .where('l.subject', '=', subject)
    .executeTakeFirst();

export const insertLink = (trx: Db, userId: string, { issuer, subject }: Person, email: string | null, atMs: number) =>
  trx
    .insertInto('sso_links')
    .values({ id: randomUUID(), user_id: userId, issuer, subject, email, created_at: atMs, last_used_at: atMs })
    .execute();

/** Notes that a person has come in again. */
export const touchLink = (db: Db, { issuer, subject }: Person, email: string | null, atMs: number) =>
  db
    .updateTable('sso_links')
    .set({ email, last_used_at: atMs })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute();

export const linksOf = (db: Db, userId: string): Promise<SsoLinkRow[]> =>
  db.selectFrom('sso_links').selectAll().where('user_id', '=', userId).orderBy('created_at').orderBy('id').execute();

/** Removes a link of a user; undefined when they have no such link. */
export const deleteLink = (trx: Db, userId: string, id: string): Promise<SsoLinkRow | undefined> =>
  trx.deleteFrom('sso_links').where('id', '=', id).where('user_id', '=', userId).returningAll().executeTakeFirst();

/** The open invitation for an address, the one that ends last. */
export const invitationFor = (db: Db, email: string, nowMs: number): Promise<InvitationRow | undefined> =>
  db
    .selectFrom('invitations')
    .selectAll()
    .where('email', '=', email)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .orderBy('expires_at', 'desc')
    .orderBy('id')
    .executeTakeFirst();

/** Notes that the login session of a token began at a provider. */
export async function insertSession(db: Db, tokenHash: string, idToken: string): Promise<void> {
  const token = db.selectFrom('tokens').select((eb) => ['id', eb.val(idToken).as('id_token')]);
  await db
    .insertInto('sso_sessions')
    .columns(['token_id', 'id_token'])
    .expression(token.where('token_hash', '=', tokenHash))
    .execute();
}

/** What the provider said when a session began. */
export async function idTokenOf(db: Db, tokenId: string): Promise<string | undefined> {
  const row = await db.selectFrom('sso_sessions').select('id_token').where('token_id', '=', tokenId).executeTakeFirst();
  return row?.id_token;
}
