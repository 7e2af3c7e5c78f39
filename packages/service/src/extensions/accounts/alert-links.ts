import { randomUUID } from 'node:crypto';
import { type Refusal, refusal } from '@moorage/api';
import { dayMs } from '@moorage/base';
import { writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';
import { alertLinkOf, insertLink, lockAsker, putAlertAddress, spendLink, waitingAlertLinks } from './link-queries.ts';

/** How long a link that confirms an address for alerts is good, in ms. */
const alertLinkMs = 7 * dayMs;
/** Such links that wait to be used: of those that one account has asked for, and of those to one address. Spec: API-LIMIT-alert-links. */
const waitingLimits = { account: 20, address: 3 } as const;

/** Addresses that a user wants alerts of a product to be mailed to. */
interface AskedAddresses {
  readonly productId: string;
  readonly userId: string;
  /** In lower case. */
  readonly emails: readonly string[];
}

/**
 * Queues a link to each address, in a transaction of the caller; one that has such a link still gets no other. The refusal
 * is LIMIT_REACHED. Spec: API-RULE-alert-6.
 */
export const askAlertAddresses =
  ({ clock, storage }: Pick<Deps, 'clock' | 'storage'>) =>
  async (trx: Db, { productId, userId, emails }: AskedAddresses): Promise<Refusal | undefined> => {
    if (emails.length === 0) return undefined;
    await lockAsker(trx, storage.expressions, userId);
    const now = clock.now();
    const waiting = await waitingAlertLinks(trx, userId, emails, now);
    const fresh = emails.filter((email) => !waiting.some((one) => one.email === email && one.product_id === productId));
    const things = 'addresses that are to be confirmed';
    if (waiting.filter(({ user_id }) => user_id === userId).length + fresh.length > waitingLimits.account) {
      return refusal('LIMIT_REACHED', { what: 'The account', limit: waitingLimits.account, things });
    }
    for (const email of fresh) {
      if (waiting.filter((one) => one.email === email).length >= waitingLimits.address) {
        return refusal('LIMIT_REACHED', {
          what: `The address "${email}"`,
          limit: waitingLimits.address,
          things: 'mails',
        });
      }
      const times = { created_at: now, expires_at: now + alertLinkMs, due_at: now, used_at: null };
      const link = { id: randomUUID(), kind: 'alerts', product_id: productId, user_id: userId, email } as const;
      await insertLink(trx, { ...link, token_hash: null, attempts: 0, ...times });
    }
    return undefined;
  };

/** Uses a link that confirms an address for alerts; false when the token is of none. Spec: API-RULE-alert-6. */
export async function confirmAlerts(trx: Db, tokenHash: string, atMs: number, ip: string): Promise<boolean> {
  const link = await alertLinkOf(trx, tokenHash);
  if (!link?.product_id || !(await spendLink(trx, tokenHash, atMs))) return false;
  const { product_id: productId, email } = link;
  await putAlertAddress(trx, { product_id: productId, email, confirmed_at: atMs });
  await writeLog(trx, { type: 'alert.rule', message: `Alerts may be mailed to ${email}`, atMs, productId, ip });
  return true;
}
