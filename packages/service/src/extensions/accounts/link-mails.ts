import { removeInBatches } from '../../engine/db/batches.ts';
import type { WorkLease } from '../../engine/db/leases.ts';
import { writeLog } from '../../engine/db/logs.ts';
import { type Queue, startQueue } from '../../engine/db/queue.ts';
import type { Deps } from '../../engine/http/types.ts';
import type { Outbound } from '../../engine/outbound/ports.ts';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { changeLink, type DueLink, deleteLinksBefore, dueLinks, type LinkRow } from './link-queries.ts';
import { linkMs } from './links.ts';

/** Between two looks for links that are to be mailed, in ms. */
const lookMs = 5_000;
/** What the timers of two processes may differ by, in ms. */
const skewMs = 1_000;
/** One mail may take this long, in ms. */
const mailTimeoutMs = 20_000;
/** Before a mail is tried again, in ms; a link whose time is over is not. */
const retryPauseMs = 60_000;

/** What a mail says, and which page of the console its link opens. */
const mails: Readonly<
  Record<
    LinkRow['kind'],
    { readonly subject: string; readonly page: string; readonly text: string; readonly within?: string }
  >
> = {
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
  address: {
    subject: 'Confirm your new address',
    page: 'confirm-email',
    text: 'your account is to have this address from now on. Confirm that it is yours here',
  },
  undo: {
    subject: 'The address of your account was changed',
    page: 'undo-address',
    text: 'your account has another address from now on. If you did not change it, take it back here',
    within: 'a week',
  },
  alerts: {
    subject: 'Alerts to this address',
    page: 'confirm-email',
    text: 'alerts of the product "{product}" are to be mailed to this address. If you want them, say so here',
    within: 'a week',
  },
};

type MailDeps = Pick<Deps, 'storage' | 'clock' | 'log' | 'settings'> & { readonly outbound: Outbound };

/** Where people find the console. Never from a request: its sender would choose where the token goes. */
const consoleUrl = ({ publicUrl, host, port }: Deps['settings']): string => publicUrl ?? `http://${host}:${port}`;

/** Mails one link; resolves with whether the mail server has answered. */
async function mailLink({ storage, clock, settings, outbound }: MailDeps, link: DueLink): Promise<boolean> {
  const now = clock.now();
  if (link.expires_at <= now) {
    await changeLink(storage.db, link.id, { due_at: null });
    return true;
  }
  // A link that was mailed before is replaced: a mail that is sent again has another token.
  const token = newTokenValue();
  await changeLink(storage.db, link.id, { token_hash: hashSecret(token) });
  const { subject, page, text, within = 'an hour' } = mails[link.kind];
  const address = `${consoleUrl(settings).replace(/\/$/, '')}/${page}#${encodeURIComponent(token)}`;
  const sent = await outbound.sendMail({
    id: `${link.id}.${link.attempts}`,
    to: [link.email],
    subject,
    text: `Hello,\n\n${text.replace('{product}', link.product ?? '')}, within ${within}:\n\n${address}\n\nIf it was not you, there is nothing to do.\n`,
    timeoutMs: mailTimeoutMs,
  });
  const again = { attempts: link.attempts + 1, due_at: now + retryPauseMs };
  await storage.transaction(async (trx) => {
    await changeLink(trx, link.id, sent.ok ? { due_at: null } : again);
    // Once: it is tried again for as long as the link is good.
    if (sent.ok || link.attempts > 0 || link.kind !== 'alerts' || sent.error.kind !== 'failed') return;
    await writeLog(trx, {
      type: 'alert.mail',
      level: 'error',
      message: `The link that asks "${link.email}" whether alerts may be mailed there was not sent: ${sent.error.detail}`,
      atMs: now,
      productId: link.product_id,
    });
  });
  return sent.ok || sent.error.kind !== 'timed_out';
}

/** A server that says nothing is asked once in a look. */
export const linkQueue = (deps: MailDeps): Queue<DueLink> => ({
  name: 'account-mails',
  everyMs: lookMs,
  skewMs,
  failed: 'The mails of accounts could not be sent',
  due: (limit) => dueLinks(deps.storage.db, deps.clock.now(), limit),
  handle: (link) => mailLink(deps, link),
});

/** Mails links again and again until the returned function is called; never without a mail server. */
export const startLinkMails = (deps: MailDeps & { readonly lease: WorkLease }): (() => Promise<void>) =>
  deps.settings.smtpUrl === undefined ? async () => {} : startQueue(deps, linkQueue(deps));

/** Removes the links that are over. */
export async function removeOldLinks({ storage, clock }: Pick<Deps, 'storage' | 'clock'>): Promise<void> {
  await removeInBatches(storage, (trx, rows) => deleteLinksBefore(trx, clock.now() - linkMs, rows));
}
