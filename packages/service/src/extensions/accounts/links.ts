import { randomUUID } from 'node:crypto';
import { type BodyOf, type Refusal, refusal, resultOk, type userLinksContract } from '@moorage/api';
import { dayMs, failure, hourMs, type Result, success } from '@moorage/base';
import { addressTaken, announceAccess, findAccount } from '../../core/access/accounts.ts';
import { passwordOf } from '../../core/auth/accounts.ts';
import { refuseWhenBusy } from '../../core/auth/credentials.ts';
import { hashNewPassword } from '../../core/auth/passwords.ts';
import { endSessions, setPassword, type UserRow } from '../../core/auth/queries.ts';
import { type Count, countsOf, limits, noteKnown, refuseOverLimits, trySecret } from '../../core/auth/throttle.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import { type Call, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { hashSecret } from '../../engine/secrets.ts';
import { confirmAlerts } from './alert-links.ts';
import { deleteChallenges, noteFactors } from './factor-queries.ts';
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

/** How long a link is good, in ms. Spec: API-RULE-link-1. */
export const linkMs = hourMs;
/** How long a change of address can be undone, in ms. Spec: API-RULE-link-3. */
const undoMs = 7 * dayMs;
type Kind = LinkRow['kind'];

/**
 * Counts the request for a mail, and the mail, if there is going to be one: what is asked for addresses without an account
 * takes no mail from others. Refusal: TOO_MANY_MAILS. Spec: API-LIMIT-links.
 */
async function refuseMail(
  deps: Pick<Deps, 'attempts'>,
  counts: readonly Count[],
  isMailed: boolean,
): Promise<Refusal | undefined> {
  const ofRequest = await refuseOverLimits(deps, 'TOO_MANY_MAILS', counts);
  return ofRequest ?? refuseOverLimits(deps, 'TOO_MANY_MAILS', [[limits.linkInAll, '']], isMailed);
}

/** Counts a link that is to be mailed to an address. Refusal: TOO_MANY_MAILS. */
export const limitLinksTo = (deps: Pick<Deps, 'attempts'>, email: string): Promise<Refusal | undefined> =>
  refuseMail(deps, [[limits.linkOfEmail, email]], true);

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
 * mailed for an address that is taken, and its user learns nothing of that. Spec: API-RULE-link-3.
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
async function forgotten(deps: Deps, { body, ip }: Call<(typeof userLinksContract)['forgotten']>) {
  const { storage, settings } = deps;
  if (settings.smtpUrl === undefined) return failure(refusal('NO_MAIL_SERVER'));
  const email = body.email.toLowerCase();
  const user = await findAccount(storage.db, email);
  const mailed = user && user.disabled_at === null ? user.id : null;
  // Refused whether or not there is such an account: the refusal says nothing of it. Spec: API-RULE-link-2.
  const counts: readonly Count[] = [...countsOf(limits.linkOfIp, ip), [limits.linkOfEmail, email]];
  const limited = await refuseMail(deps, counts, mailed !== null);
  if (limited) return failure(limited);
  await storage.transaction((trx) => queueLink(deps, trx, 'password', email, mailed));
  return success(resultOk);
}

/** Gives the account of a link another password. Refusal: WRONG_LINK. */
async function replaceByLink(
  { storage, clock }: Deps,
  { token, password }: BodyOf<(typeof userLinksContract)['reset']>,
  ip: string,
): Promise<Result<UserRow, Refusal>> {
  const tokenHash = hashSecret(token);
  // Looked at before the password is hashed, which costs.
  const account = await accountOfLink(storage.db, ['password'], tokenHash, clock.now());
  if (!account) return failure(refusal('WRONG_LINK'));
  const hashed = await hashNewPassword(password, passwordOf(account));
  if (!hashed.ok) return hashed;
  return storage.transaction(async (trx): Promise<Result<UserRow, Refusal>> => {
    const atMs = clock.now();
    const user = await accountOfLink(trx, ['password'], tokenHash, atMs);
    // Spec: API-RULE-link-1. Of many at once with one link, one gets through.
    if (!user || !(await spendLink(trx, tokenHash, atMs))) return failure(refusal('WRONG_LINK'));
    await setPassword(trx, user.id, hashed.value);
    await deleteChallenges(trx, user.id);
    await endSessions(trx, user.id);
    await deleteLinks(trx, user.id, 'password');
    if (user.email_confirmed_at === null) await confirmAddress(trx, user.id, atMs);
    announceAccess(storage, trx, user.id);
    const message = 'Password replaced by a link in a mail';
    await writeLog(trx, { type: 'user.update', message, atMs, userId: user.id, ip });
    return success(user);
  });
}

/** API-EP-POST-auth-reset */
async function reset(deps: Deps, { body, ip }: Call<(typeof userLinksContract)['reset']>) {
  const overload = refuseWhenBusy();
  if (overload) return failure(overload);
  const done = await trySecret(deps, 'secret', { ip }, () => replaceByLink(deps, body, ip));
  if (!done.ok) return done;
  // Whoever guesses passwords elsewhere keeps the user of the link from none of the tries that follow.
  await noteKnown(deps, done.value.id, ip);
  return success(resultOk);
}

/** API-EP-POST-auth-confirm */
const confirm = (deps: Deps, { body, ip }: Call<(typeof userLinksContract)['confirm']>) =>
  trySecret(deps, 'secret', { ip }, () =>
    transactionOverConflicts(deps.storage, async (trx): Promise<Result<typeof resultOk, Refusal>> => {
      const atMs = deps.clock.now();
      const tokenHash = hashSecret(body.token);
      if (await confirmAlerts(trx, tokenHash, atMs, ip)) return success(resultOk);
      const user = await accountOfLink(trx, ['email', 'address'], tokenHash, atMs);
      if (!user || !(await spendLink(trx, tokenHash, atMs))) return failure(refusal('WRONG_LINK'));
      const { id, email: former, link_email: email } = user;
      if (await addressTaken(trx, email, atMs, id)) {
        return failure(refusal('DUPLICATE', { what: 'Email', value: email }));
      }
      await setAddress(trx, id, email, atMs);
      if (email !== former) await queueLink(deps, trx, 'undo', former, id);
      const message = email === former ? 'Address confirmed' : 'Address changed and confirmed';
      await writeLog(trx, { type: 'user.update', message, atMs, userId: id, ip });
      return success(resultOk);
    }),
  );

/** Gives an account its former address back, and takes from it what was added with the change. */
async function undoChange(deps: Deps, trx: Db, token: string, ip: string): Promise<Result<typeof resultOk, Refusal>> {
  const atMs = deps.clock.now();
  const tokenHash = hashSecret(token);
  const user = await accountOfLink(trx, ['undo'], tokenHash, atMs);
  if (!user || !(await spendLink(trx, tokenHash, atMs))) return failure(refusal('WRONG_LINK'));
  const { id, link_email: email, link_created_at: changedMs } = user;
  await setAddress(trx, id, email, atMs);
  // Whoever had the address meanwhile cannot undo this.
  await deleteLinks(trx, id, 'undo', changedMs);
  await deleteLinks(trx, id, 'address');
  await deleteAdded(trx, id, changedMs - linkMs);
  await noteFactors(trx, id);
  announceAccess(deps.storage, trx, id);
  await queueLink(deps, trx, 'password', email, id);
  const message = 'Change of the address undone; all sessions ended';
  await writeLog(trx, { type: 'user.update', level: 'warning', message, atMs, userId: id, ip });
  return success(resultOk);
}

/** API-EP-POST-auth-undo */
const undo = (deps: Deps, { body, ip }: Call<(typeof userLinksContract)['undo']>) =>
  trySecret(deps, 'secret', { ip }, () => deps.storage.transaction((trx) => undoChange(deps, trx, body.token, ip)));

/** API-EP-POST-user-confirmation */
async function askConfirmation(deps: Deps, call: Call<(typeof userLinksContract)['askConfirmation']>) {
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
}

/** Links that are mailed: forgotten passwords, and confirmation of addresses. */
export const linkRoutes = (deps: Deps): Handlers<typeof userLinksContract> =>
  handlers(deps, { forgotten, reset, confirm, undo, askConfirmation });
