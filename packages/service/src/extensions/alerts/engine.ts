import { randomUUID } from 'node:crypto';
import type { AlertCondition } from '@moorage/api';
import { dayMs, repeat } from '@moorage/base';
import { removeInBatches } from '../../engine/db/batches.ts';
import { doForAll, type WorkLease } from '../../engine/db/leases.ts';
import { writeLog } from '../../engine/db/logs.ts';
import type { Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';
import { keptFilter } from '../fleet/filters/parse.ts';
import { queueMail } from './mails.ts';
import {
  addDevices,
  changeAlert,
  countDevices,
  deleteAlertsBefore,
  enabledRules,
  endDevices,
  insertAlert,
  lockRule,
  openAlerts,
  type RuleView,
  someDevices,
  untoldAlerts,
  wrongDevices,
} from './queries.ts';
import { compare, conditionText, mailText, messageOf, settleMs } from './rules.ts';

/** Between two looks at the rules, in ms. */
const lookMs = 15_000;
/** What the timers of two processes may differ by, in ms. */
const skewMs = 3_000;
/** Devices that a message names; of more it says the number. */
const namedDevices = 20;
/** Alerts that are over are kept as long as the log. Spec: API-RULE-alert-4. */
const retentionMs = 90 * dayMs;

type AlertDeps = Pick<Deps, 'storage' | 'clock' | 'log'>;

/** What a rule watches, as its row says. */
export const conditionOf = ({ condition }: Pick<RuleView, 'condition'>): AlertCondition => JSON.parse(condition);

/** Looks at the devices of a rule, and records and tells what has changed, in one transaction. */
export async function judge({ storage, clock }: AlertDeps, ruleId: string): Promise<void> {
  await storage.transaction(async (trx) => {
    const rule = await lockRule(trx, storage.expressions, ruleId);
    if (!rule?.enabled) return;
    const nowMs = clock.now();
    await find(trx, storage.expressions, rule, nowMs);
    for (const alert of await untoldAlerts(trx, rule.id)) {
      const message = messageOf(alert, rule.silenced_until, nowMs);
      if (message) await tell(trx, rule, alert, message, nowMs);
    }
  });
}

/** Compares the devices of a rule with its open alerts, and writes what follows. Spec: API-RULE-alert-2. */
async function find(
  trx: Db,
  expressions: Deps['storage']['expressions'],
  rule: RuleView,
  nowMs: number,
): Promise<void> {
  const condition = conditionOf(rule);
  const watched = {
    productId: rule.product_id,
    filter: rule.filter === null ? undefined : keptFilter(rule.filter),
    condition,
    sinceMs: rule.created_at,
  };
  const open = await openAlerts(trx, rule.id);
  const { over, joins, opens } = compare(rule, open, await wrongDevices(trx, expressions, watched, nowMs), nowMs);
  for (const [alertId, deviceIds] of over) await endDevices(trx, alertId, deviceIds, nowMs);
  if (joins) await addDevices(trx, joins.alertId, joins.deviceIds, nowMs);
  // Devices may have been deleted since: the rows are counted.
  for (const { id } of open) {
    const counts = await countDevices(trx, id);
    await changeAlert(trx, id, { ...counts, ...(counts.devices_open === 0 && { over_at: nowMs }) });
  }
  if (opens.length === 0) return;
  const id = randomUUID();
  await insertAlert(trx, {
    id,
    rule_id: rule.id,
    product_id: rule.product_id,
    text: conditionText(condition),
    opened_at: nowMs,
    over_at: null,
    devices: opens.length,
    devices_open: opens.length,
    told: 0,
    tell_at: nowMs + settleMs,
    acknowledged_at: null,
    acknowledged_by: null,
  });
  await addDevices(trx, id, opens, nowMs);
}

const levels = { raise: 'warning', grow: 'warning', clear: 'info' } as const;

/** Writes the message of an alert into the log, from where the connectors of its rule send it. */
async function tell(
  trx: Db,
  rule: RuleView,
  alert: Pick<Row<'alerts'>, 'id' | 'text' | 'devices' | 'devices_open'>,
  message: 'raise' | 'grow' | 'clear',
  nowMs: number,
): Promise<void> {
  const isOver = message === 'clear';
  const count = isOver ? alert.devices : alert.devices_open;
  const named = await someDevices(trx, alert.id, isOver ? 'all' : 'open', namedDevices);
  const [only] = named;
  const who = count === 1 && only ? `device "${only.title}"` : `${count} ${count === 1 ? 'device' : 'devices'}`;
  await changeAlert(trx, alert.id, isOver ? { told: 0 } : { told: count, tell_at: null });
  const subject = `Alert "${rule.title}"${isOver ? ' is over' : ''}: ${who}`;
  await writeLog(trx, {
    type: `alert.${message}`,
    level: levels[message],
    message: `${subject}: ${alert.text}`,
    atMs: nowMs,
    productId: rule.product_id,
    deviceId: count === 1 && only ? only.id : null,
    data: { alert: alert.id, rule: rule.id, devices: count, some: named },
    connectorIds: JSON.parse(rule.connectors),
    line: alert.id,
  });
  const { mail_to, product, product_id: productId } = rule;
  const body = mailText({
    text: alert.text,
    product,
    count,
    titles: named.map(({ title }) => title),
    isOver,
    atMs: nowMs,
  });
  await queueMail(trx, { productId, mailTo: JSON.parse(mail_to ?? '[]'), subject, body }, nowMs);
}

/**
 * Looks at the rules again and again until the returned function is called. Of several processes one does it; when that
 * is killed another goes on, and what was found and not told yet is in the records.
 */
export function startAlerts(deps: AlertDeps & { readonly lease: WorkLease }): () => Promise<void> {
  const { storage, clock, log } = deps;
  const onError = (error: unknown) => log.error({ err: error }, 'The alert rules could not be looked at');
  return repeat({ clock, pauseMs: lookMs, onError }, async (isOver) => {
    const rules = await enabledRules(storage.db);
    if (rules.length === 0) return;
    await doForAll(deps, { name: 'alerts', everyMs: lookMs, skewMs }, async () => {
      for (const { id } of rules) {
        if (isOver()) return false;
        // What one rule fails at, the others still do.
        await judge(deps, id).catch((error: unknown) => log.error({ err: error, rule: id }, 'An alert rule failed'));
      }
      return true;
    });
  });
}

/** Removes the alerts that were over longer ago than they are kept. */
export async function removeOldAlerts({ storage, clock }: Pick<AlertDeps, 'storage' | 'clock'>): Promise<void> {
  const beforeMs = clock.now() - retentionMs;
  await removeInBatches(storage, (trx, rows) => deleteAlertsBefore(trx, beforeMs, rows));
}
