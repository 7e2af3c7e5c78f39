import { randomUUID } from 'node:crypto';
import { type Refusal, refusal, resultOk, type userLinksContract } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { hashSecret } from '../core/secrets.ts';
import type { Deps, Handler, Handlers, Limit } from '../core/types.ts';
import { addressTaken, announceAccess, findAccount } from '../db/accounts.ts';
import { transactionOverConflicts } from '../db/conflicts.ts';
import { byCaller, writeLog } from '../db/logs.ts';
import type { Db } from '../db/storage.ts';
import { passwordOf } from './accounts.ts';
import { refuseWhenBusy } from './credentials.ts';
import { noteFactors } from './factor-queries.ts';
import {
  accountOfLink,
  confirmAddress,
  deleteAdded,
  deleteLinks,
  insertLink,
  type LinkRow,
  setAddress,
  spendLink,
} from './link-queries.ts';
import { hashNewPassword } from './new-passwords.ts';
import { endSessions, setPassword } from './queries.ts';
import { addressKey, limits } from './throttle.ts';

/** How long a link is good, in ms. Spec: API-RULE-link-1. */
export const linkMs = 3_600_000;
/** How long a change of address can be undone, in ms. Spec: API-RULE-link-3. */
const undoMs = 7 * 86_400_000;
type Kind = LinkRow['kind'];

/** Counts an attempt against all of these limits. Refusal: TOO_MANY_MAILS. Spec: API-LIMIT-links. */
async function limitMails(
  { attempts }: Pick<Deps, 'attempts'>,
  of: readonly (readonly [Limit, string])[],
): Promise<Refusal | undefined> {
  for (const [limit, subject] of of) {
    const begun = await attempts.begin(limit, subject);
    if (begun.ok) continue;
    const { retryAfterS } = begun.error;
    return { ...refusal('TOO_MANY_MAILS', { retryAfterS }), retryAfterS };
  }
  return undefined;
}

/** Counts a link that is to be mailed to an address. Refusal: TOO_MANY_MAILS. */
export const limitLinksTo = (deps: Pick<Deps, 'attempts'>, email: string): Promise<Refusal | undefined> =>
  limitMails(deps, [
    [limits.linkOfEmail, email],
    [limits.linkInAll, ''],
  ]);

/**
 * Queues a link for an account, in a transaction of the caller; without an account a row that is never mailed, so that
 * both take the same time. The token is made when the mail is: nothing stored opens an account.
 */
async function queueLink(
  { clock }: Pick<Deps, 'clock'>,
  trx: Db,
  kind: Kind,
  email: string,
  userId: string | null,
  isMailed = userId !== null,
): Promise<void> {
  const now = clock.now();
  await insertLink(trx, {
    id: randomUUID(),
    user_id: userId,
    kind,
    email,
    token_hash: null,
    created_at: now,
    expires_at: now + (kind === 'undo' ? undoMs : linkMs),
    attempts: 0,
    due_at: isMailed ? now : null,
    used_at: null,
  });
}

/** Queues the confirmation of an address that an account has from now on, where mails can be sent. */
export async function queueConfirmation(
  deps: Pick<Deps, 'clock' | 'settings'>,
  trx: Db,
  { id, email }: { readonly id: string; readonly email: string },
): Promise<void> {
  if (deps.settings.smtpUrl === undefined) return;
  await deleteLinks(trx, id, 'email');
  await queueLink(deps, trx, 'email', email, id);
}

/**
 * Queues a link that gives an account another address, in a transaction of the caller; it replaces one before. Nothing is
 * mailed for an address that is taken, which its user is not told. Spec: API-RULE-link-3.
 */
export async function queueAddress(
  deps: Pick<Deps, 'clock' | 'settings'>,
  trx: Db,
  userId: string,
  email: string,
): Promise<void> {
  await deleteLinks(trx, userId, 'address');
  const isTaken = await addressTaken(trx, email, deps.clock.now(), userId);
  await queueLink(deps, trx, 'address', email, userId, !isTaken);
}

/** API-EP-POST-auth-forgotten */
const forgotten =
  (deps: Deps): Handler<(typeof userLinksContract)['forgotten']> =>
  async ({ body, ip }) => {
    const { storage, settings } = deps;
    if (settings.smtpUrl === undefined) return failure(refusal('NO_MAIL_SERVER'));
    const email = body.email.toLowerCase();
    // Counted whether or not there is such an account: the refusal says nothing of it. Spec: API-RULE-link-2.
    const limited = await limitMails(deps, [
      [limits.linkOfIp, addressKey(ip)],
      [limits.linkOfEmail, email],
      [limits.linkInAll, ''],
    ]);
    if (limited) return failure(limited);
    const user = await findAccount(storage.db, email);
    const mailed = user && user.disabled_at === null ? user.id : null;
    await storage.transaction((trx) => queueLink(deps, trx, 'password', email, mailed));
    return success(resultOk);
  };

/** API-EP-POST-auth-reset */
const reset =
  (deps: Deps): Handler<(typeof userLinksContract)['reset']> =>
  async ({ body, ip }) => {
    const { storage, clock } = deps;
    const tokenHash = hashSecret(body.token);
    const overload = refuseWhenBusy();
    if (overload) return failure(overload);
    // Looked at before the password is hashed, which costs.
    const account = await accountOfLink(storage.db, ['password'], tokenHash, clock.now());
    if (!account) return failure(refusal('WRONG_LINK'));
    const hashed = await hashNewPassword(body.password, passwordOf(account));
    if (!hashed.ok) return hashed;
    return storage.transaction(async (trx) => {
      const atMs = clock.now();
      const user = await accountOfLink(trx, ['password'], tokenHash, atMs);
      // Spec: API-RULE-link-1. Of many at once with one link, one gets through.
      if (!user || !(await spendLink(trx, tokenHash, atMs))) return failure(refusal('WRONG_LINK'));
      await setPassword(trx, user.id, hashed.value);
      await endSessions(trx, user.id);
      await deleteLinks(trx, user.id, 'password');
      if (user.email_confirmed_at === null) await confirmAddress(trx, user.id, atMs);
      announceAccess(storage, trx, user.id);
      const message = 'Password replaced by a link in a mail';
      await writeLog(trx, { type: 'user.update', message, atMs, userId: user.id, ip });
      return success(resultOk);
    });
  };

/** API-EP-POST-auth-confirm */
const confirm =
  (deps: Deps): Handler<(typeof userLinksContract)['confirm']> =>
  ({ body, ip }) =>
    transactionOverConflicts(deps.storage, async (trx): Promise<Result<typeof resultOk, Refusal>> => {
      const atMs = deps.clock.now();
      const tokenHash = hashSecret(body.token);
      const user = await accountOfLink(trx, ['email', 'address'], tokenHash, atMs);
      if (!user || !(await spendLink(trx, tokenHash, atMs))) return failure(refusal('WRONG_LINK'));
      const { id, email: former, link_email: email } = user;
      if (await addressTaken(trx, email, atMs, id))
        return failure(refusal('DUPLICATE', { what: 'Email', value: email }));
      await setAddress(trx, id, email, atMs);
      if (email !== former) await queueLink(deps, trx, 'undo', former, id);
      const message = email === former ? 'Address confirmed' : 'Address changed and confirmed';
      await writeLog(trx, { type: 'user.update', message, atMs, userId: id, ip });
      return success(resultOk);
    });

/** API-EP-POST-auth-undo */
const undo =
  (deps: Deps): Handler<(typeof userLinksContract)['undo']> =>
  ({ body, ip }) =>
    deps.storage.transaction(async (trx) => {
      const atMs = deps.clock.now();
      const tokenHash = hashSecret(body.token);
      const user = await accountOfLink(trx, ['undo'], tokenHash, atMs);
      if (!user || !(await spendLink(trx, tokenHash, atMs))) return failure(refusal('WRONG_LINK'));
      const { id, link_email: email, link_created_at: changedMs } = user;
      await setAddress(trx, id, email, atMs);
      // Whoever had the address meanwhile cannot undo this.
      for (const kind of ['undo', 'address'] as const)
        await deleteLinks(trx, id, kind, kind === 'undo' ? changedMs : 0);
      await deleteAdded(trx, id, changedMs - linkMs);
      await noteFactors(trx, id);
      announceAccess(deps.storage, trx, id);
      await queueLink(deps, trx, 'password', email, id);
      const message = 'Change of the address undone; all sessions ended';
      await writeLog(trx, { type: 'user.update', level: 'warning', message, atMs, userId: id, ip });
      return success(resultOk);
    });

/** API-EP-POST-user-confirmation */
const askConfirmation =
  (deps: Deps): Handler<(typeof userLinksContract)['askConfirmation']> =>
  async (call) => {
    const { storage, settings, clock } = deps;
    if (settings.smtpUrl === undefined) return failure(refusal('NO_MAIL_SERVER'));
    const user = await findAccount(storage.db, call.caller.username);
    if (!user) return failure(refusal('NOT_FOUND', { what: 'Account' }));
    const limited = await limitLinksTo(deps, user.email);
    if (limited) return failure(limited);
    await storage.transaction(async (trx) => {
      await queueConfirmation(deps, trx, user);
      await writeLog(trx, {
        ...byCaller(call, clock.now()),
        type: 'user.update',
        message: 'Confirmation of the address asked for',
      });
    });
    return success(resultOk);
  };

/** Links that are mailed: forgotten passwords, and confirmation of addresses. */
export const linkRoutes = (deps: Deps): Handlers<typeof userLinksContract> => ({
  forgotten: forgotten(deps),
  reset: reset(deps),
  confirm: confirm(deps),
  undo: undo(deps),
  askConfirmation: askConfirmation(deps),
});
