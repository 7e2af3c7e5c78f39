import { randomUUID } from 'node:crypto';
import { type Refusal, refusal, resultOk, type userLinksContract } from '@moorage/api';
import { failure, repeat, success } from '@moorage/base';
import { hashSecret, newTokenValue } from '../core/secrets.ts';
import type { Deps, Handler, Handlers, Limit } from '../core/types.ts';
import { announceAccess, findAccount } from '../db/accounts.ts';
import { removeInBatches } from '../db/batches.ts';
import { byCaller, writeLog } from '../db/logs.ts';
import type { Db } from '../db/storage.ts';
import { doForAll, type WorkLease } from '../db/work.ts';
import type { Outbound } from '../outbound/ports.ts';
import { refuseWhenBusy } from './credentials.ts';
import {
  accountOfLink,
  changeLink,
  confirmAddress,
  deleteLinks,
  deleteLinksBefore,
  dueLinks,
  insertLink,
  type LinkRow,
  spendLink,
} from './link-queries.ts';
import { hashPassword } from './passwords.ts';
import { endSessions, setPassword } from './queries.ts';
import { addressKey, limits } from './throttle.ts';

/** How long a link is good, in ms. Spec: API-RULE-link-1. */
const linkMs = 3_600_000;
/** Between two looks for links that are to be mailed, in ms. */
const lookMs = 5_000;
/** What the timers of two processes may differ by, in ms. */
const skewMs = 1_000;
/** Mails of one look. */
const mailsAtOnce = 50;
/** One mail may take this long, in ms. */
const mailTimeoutMs = 20_000;
/** Before a mail is tried again, in ms; a link whose time is over is not. */
const retryPauseMs = 60_000;

type Kind = LinkRow['kind'];

/** What a mail says, and which page of the console its link opens. */
const mails: Readonly<Record<Kind, { readonly subject: string; readonly page: string; readonly text: string }>> = {
  password: {
    subject: 'Another password for your account',
    page: 'reset-password',
    text: 'somebody, perhaps you, has asked for another password for your account. Choose one here',
  },
  email: {
    subject: 'Confirm your address',
    page: 'confirm-email',
    text: 'your account has this address. Confirm that it is yours here',
  },
};

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
): Promise<void> {
  const now = clock.now();
  await insertLink(trx, {
    id: randomUUID(),
    user_id: userId,
    kind,
    email,
    token_hash: null,
    created_at: now,
    expires_at: now + linkMs,
    attempts: 0,
    due_at: userId === null ? null : now,
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
    if (!(await accountOfLink(storage.db, 'password', tokenHash, clock.now()))) return failure(refusal('WRONG_LINK'));
    const passwordHash = await hashPassword(body.password);
    return storage.transaction(async (trx) => {
      const atMs = clock.now();
      const user = await accountOfLink(trx, 'password', tokenHash, atMs);
      // Spec: API-RULE-link-1. Of many at once with one link, one gets through.
      if (!user || !(await spendLink(trx, tokenHash, atMs))) return failure(refusal('WRONG_LINK'));
      await setPassword(trx, user.id, passwordHash);
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
  ({ storage, clock }: Deps): Handler<(typeof userLinksContract)['confirm']> =>
  ({ body, ip }) =>
    storage.transaction(async (trx) => {
      const atMs = clock.now();
      const tokenHash = hashSecret(body.token);
      const user = await accountOfLink(trx, 'email', tokenHash, atMs);
      if (!user || !(await spendLink(trx, tokenHash, atMs))) return failure(refusal('WRONG_LINK'));
      await confirmAddress(trx, user.id, atMs);
      await writeLog(trx, { type: 'user.update', message: 'Address confirmed', atMs, userId: user.id, ip });
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
    const limited = await limitMails(deps, [
      [limits.linkOfEmail, user.email],
      [limits.linkInAll, ''],
    ]);
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
  askConfirmation: askConfirmation(deps),
});

type MailDeps = Pick<Deps, 'storage' | 'clock' | 'log' | 'settings'> & { readonly outbound: Outbound };

/** Where people find the console. Never from a request: its sender would choose where the token goes. */
const consoleUrl = ({ publicUrl, host, port }: Deps['settings']): string => publicUrl ?? `http://${host}:${port}`;

/** Mails one link; resolves with whether the mail server has answered. */
async function mailLink({ storage, clock, settings, outbound }: MailDeps, link: LinkRow): Promise<boolean> {
  const now = clock.now();
  if (link.expires_at <= now) {
    await changeLink(storage.db, link.id, { due_at: null });
    return true;
  }
  // A link that was mailed before is replaced: a mail that is sent again has another token.
  const token = newTokenValue();
  await changeLink(storage.db, link.id, { token_hash: hashSecret(token) });
  const { subject, page, text } = mails[link.kind];
  const address = `${consoleUrl(settings).replace(/\/$/, '')}/${page}#${encodeURIComponent(token)}`;
  const sent = await outbound.sendMail({
    id: `${link.id}.${link.attempts}`,
    to: [link.email],
    subject,
    text: `Hello,\n\n${text}, within an hour:\n\n${address}\n\nIf it was not you, there is nothing to do.\n`,
    timeoutMs: mailTimeoutMs,
  });
  const again = { attempts: link.attempts + 1, due_at: now + retryPauseMs };
  await changeLink(storage.db, link.id, sent.ok ? { due_at: null } : again);
  return sent.ok || sent.error.kind !== 'timed_out';
}

/** Mails the links that are due, one after the other. A server that says nothing is asked once in a look. */
export async function mailLinks(deps: MailDeps, isOver: () => boolean = () => false): Promise<void> {
  for (const link of await dueLinks(deps.storage.db, deps.clock.now(), mailsAtOnce)) {
    if (isOver() || !(await mailLink(deps, link))) return;
  }
}

/** Mails links again and again until the returned function is called. Of several processes one does it. */
export function startLinkMails(deps: MailDeps & { readonly lease: WorkLease }): () => Promise<void> {
  const { storage, clock, log, settings } = deps;
  if (settings.smtpUrl === undefined) return async () => {};
  const onError = (error: unknown) => log.error({ err: error }, 'The mails of accounts could not be sent');
  return repeat({ clock, pauseMs: lookMs, onError }, async (isOver) => {
    if ((await dueLinks(storage.db, clock.now(), 1)).length === 0) return;
    await doForAll(deps, { name: 'account-mails', everyMs: lookMs, skewMs }, async () => {
      await mailLinks(deps, isOver);
      return true;
    });
  });
}

/** Removes the links that are over. */
export async function removeOldLinks({ storage, clock }: Pick<Deps, 'storage' | 'clock'>): Promise<void> {
  await removeInBatches(storage, (trx, rows) => deleteLinksBefore(trx, clock.now() - linkMs, rows));
}
