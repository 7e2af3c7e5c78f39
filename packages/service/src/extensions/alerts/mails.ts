import { randomUUID } from 'node:crypto';
import { dayMs, minuteMs } from '@moorage/base';
import { removeInBatches } from '../../engine/db/batches.ts';
import type { WorkLease } from '../../engine/db/leases.ts';
import { writeLog } from '../../engine/db/logs.ts';
import { type Queue, startQueue } from '../../engine/db/queue.ts';
import type { Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';
import type { Outbound, OutboundError, RefusedRecipient } from '../../engine/outbound/ports.ts';
import {
  changeMail,
  confirmedAddresses,
  countMails,
  deleteMailsBefore,
  dueMails,
  insertMail,
  type MailRow,
} from './queries.ts';
import { unconfirmed } from './rules.ts';

/** Between two looks for mails that are due, in ms. */
const lookMs = 15_000;
/** What the timers of two processes may differ by, in ms. */
const skewMs = 3_000;
/** One mail may take this long, in ms. */
const mailTimeoutMs = 20_000;
/** Pauses before a mail is sent again, in minutes; after the last it is given up. Spec: API-RULE-alert-5. */
const retryPausesMinutes = [1, 5, 15, 60, 240, 720] as const;
/** Mails of a product within `mailDayMs`: rules are no way to write to strangers. Spec: API-LIMIT-alert-mails. */
const mailsPerDay = 100;
const mailDayMs = dayMs;

type MailDeps = Pick<Deps, 'storage' | 'clock' | 'log'> & { readonly outbound: Outbound };

interface NewMail {
  readonly productId: string;
  /** Addresses of the rule; the mail goes to those that were confirmed. */
  readonly mailTo: readonly string[];
  readonly subject: string;
  readonly body: string;
}

/** Writes that a mail did not go out, where those who manage the product look. */
const logFailure = (
  trx: Db,
  { product_id, subject }: Pick<Row<'alert_mails'>, 'product_id' | 'subject'>,
  why: string,
  atMs: number,
) =>
  writeLog(trx, {
    type: 'alert.mail',
    level: 'error',
    message: `The mail "${subject}" was not sent: ${why}`,
    atMs,
    productId: product_id,
  });

/** Queues a mail in the transaction of what it tells. Spec: API-RULE-alert-5, API-RULE-alert-6. */
export async function queueMail(trx: Db, { productId, mailTo, ...mail }: NewMail, nowMs: number): Promise<void> {
  if (mailTo.length === 0) return;
  const others = new Set(unconfirmed(mailTo, await confirmedAddresses(trx, productId)));
  const to = mailTo.filter((address) => !others.has(address));
  if (to.length === 0) return;
  if ((await countMails(trx, productId, nowMs - mailDayMs)) >= mailsPerDay) {
    const row = { product_id: productId, subject: mail.subject };
    return logFailure(trx, row, `the product has sent ${mailsPerDay} within 24 hours`, nowMs);
  }
  const state = { attempts: 0, due_at: nowMs, error: null, created_at: nowMs };
  await insertMail(trx, { id: randomUUID(), product_id: productId, mail_to: JSON.stringify(to), ...mail, ...state });
}

const reasonOf = (error: OutboundError): string =>
  error.kind === 'failed' ? error.detail : `no answer within ${mailTimeoutMs / 1_000} seconds`;

/** Sends one mail and records how that went; resolves with whether the next may be tried at once. */
async function sendOne({ storage, clock, outbound }: MailDeps, mail: MailRow): Promise<boolean> {
  const { id, subject, body: text } = mail;
  const sent = await outbound.sendMail({ id, to: JSON.parse(mail.mail_to), subject, text, timeoutMs: mailTimeoutMs });
  const nowMs = clock.now();
  const pauseMinutes = retryPausesMinutes[mail.attempts];
  const next_at = pauseMinutes === undefined ? null : nowMs + pauseMinutes * minuteMs;
  await storage.transaction(async (trx) => {
    if (!sent.ok) {
      const why = reasonOf(sent.error);
      await changeMail(trx, id, { attempts: mail.attempts + 1, due_at: next_at, error: why });
      if (next_at === null) await logFailure(trx, mail, why, nowMs);
      return;
    }
    const isLater = ({ code }: RefusedRecipient) => code < 500 && next_at !== null;
    const later = sent.value.filter(isLater);
    const lost = sent.value.filter((one) => !isLater(one)).map(({ address, code }) => `${address} (${code})`);
    if (lost.length > 0) await logFailure(trx, mail, `the mail server refused ${lost.join(', ')}`, nowMs);
    if (later.length === 0) return void (await changeMail(trx, id, { due_at: null, error: null }));
    // The others have it: from now on the mail is for those that are left.
    const mail_to = JSON.stringify(later.map(({ address }) => address));
    const error = `refused for now: ${later.map(({ code }) => code).join(', ')}`;
    await changeMail(trx, id, { mail_to, attempts: mail.attempts + 1, due_at: next_at, error });
  });
  return sent.ok || sent.error.kind !== 'timed_out';
}

/** A server that says nothing is asked once in a look. */
export const mailQueue = (deps: MailDeps): Queue<MailRow> => ({
  name: 'alert-mails',
  everyMs: lookMs,
  skewMs,
  failed: 'The mails of alerts could not be sent',
  due: (limit) => dueMails(deps.storage.db, deps.clock.now(), limit),
  handle: (mail) => sendOne(deps, mail),
});

/**
 * Sends the mails of alerts again and again until the returned function is called, apart from the rules: a mail server
 * that is away holds nothing up. A process that is killed between sending a mail and noting that has it sent again, under
 * the same `Message-ID`.
 */
export const startMails = (deps: MailDeps & { readonly lease: WorkLease }): (() => Promise<void>) =>
  startQueue(deps, mailQueue(deps));

/** Removes the mails that count no more. */
export async function removeOldMails({ storage, clock }: Pick<MailDeps, 'storage' | 'clock'>): Promise<void> {
  const beforeMs = clock.now() - mailDayMs;
  await removeInBatches(storage, (trx, rows) => deleteMailsBefore(trx, beforeMs, rows));
}
