import type { AlertCondition } from '@moorage/api';
import { dayMs, minuteMs } from '@moorage/base';
import { expressionBuilder, type SqlBool, sql } from 'kysely';
import { deviceHealth } from '../../core/devices/health.ts';
import { countOf, onePage, type Paging } from '../../engine/db/paging.ts';
import type { NewRow, Row, RowChange, Schema } from '../../engine/db/schema.ts';
import type { Db, Expressions } from '../../engine/db/storage.ts';
import type { Filter } from '../fleet/filters/parse.ts';
import { filterCondition } from '../fleet/filters/queries.ts';
import { pollInterval } from '../fleet/rollouts/wanted.ts';
import type { OpenAlert } from './rules.ts';

/** The last sample of a stream counts for so long, in ms: a device that is silent is for another rule. */
const sampleLifeMs = dayMs;
/** Devices that one look at a rule finds at most. */
const wrongLimit = 100_000;
/** Rows of one statement: both databases limit its parameters. */
const statementRows = 1_000;

const rules = (db: Db) =>
  db
    .selectFrom('alert_rules as r')
    .innerJoin('products as p', 'p.id', 'r.product_id')
    .leftJoin('segments as s', 's.id', 'r.segment_id')
    .selectAll('r')
    .select(['p.product', 's.title as segment', 's.filter'])
    .select((eb) =>
      eb
        .selectFrom('alerts')
        .select((counting) => counting.fn.countAll<number>().as('n'))
        .whereRef('alerts.rule_id', '=', 'r.id')
        .where('alerts.over_at', 'is', null)
        .as('open'),
    );

export type RuleView = Awaited<ReturnType<ReturnType<typeof rules>['executeTakeFirstOrThrow']>>;

export const ruleById = (db: Db, id: string): Promise<RuleView | undefined> =>
  rules(db).where('r.id', '=', id).executeTakeFirst();

/** The same, locked until the transaction ends. */
export async function lockRule(trx: Db, expressions: Expressions, id: string): Promise<RuleView | undefined> {
  const row = trx.selectFrom('alert_rules').select('id').where('id', '=', id);
  return (await expressions.lockRows(row).execute()).length === 0 ? undefined : ruleById(trx, id);
}

/** Ids of the rules that are looked at. */
export const enabledRules = (db: Db) => db.selectFrom('alert_rules').select('id').where('enabled', '=', 1).execute();

/** How many rules a product has. */
export const countRules = (db: Db, productId: string): Promise<number> =>
  countOf(db.selectFrom('alert_rules').where('product_id', '=', productId));

/** One page of the rules of a product. */
export async function listRules(db: Db, productId: string, page: Paging<'created_at' | 'title'>) {
  const items = rules(db)
    .where('r.product_id', '=', productId)
    .orderBy(`r.${page.field}`, page.direction)
    .orderBy('r.id', page.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { items: await items, total: await countRules(db, productId) };
}

export const insertRule = (trx: Db, row: NewRow<'alert_rules'>) => trx.insertInto('alert_rules').values(row).execute();

export const changeRule = (trx: Db, id: string, change: RowChange<'alert_rules'>) =>
  trx.updateTable('alert_rules').set(change).where('id', '=', id).execute();

export const deleteRule = (trx: Db, id: string) => trx.deleteFrom('alert_rules').where('id', '=', id).execute();

/** Whether a segment and connectors are there, and of this product. */
export async function belongTo(
  db: Db,
  productId: string,
  segmentId: string | null,
  connectorIds: readonly string[],
): Promise<{ readonly segment: boolean; readonly connectors: boolean }> {
  const segment =
    segmentId === null ||
    (await db
      .selectFrom('segments')
      .select('id')
      .where('id', '=', segmentId)
      .where('product_id', '=', productId)
      .executeTakeFirst()) !== undefined;
  const found =
    connectorIds.length === 0
      ? []
      : await db
          .selectFrom('connectors')
          .select('id')
          .where('id', 'in', connectorIds)
          .where('product_id', '=', productId)
          .execute();
  return { segment, connectors: found.length === new Set(connectorIds).size };
}

interface Watched {
  readonly productId: string;
  readonly filter: Filter | undefined;
  readonly condition: AlertCondition;
  /** When the rule was made: what failed before is not news. */
  readonly sinceMs: number;
}

/** Ids of the devices that a condition holds for at a time, epoch ms. Spec: API-RULE-alert-1. */
export async function wrongDevices(
  db: Db,
  expressions: Expressions,
  { productId, filter, condition, sinceMs }: Watched,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  let rows = db
    .selectFrom('devices')
    .select('devices.id')
    .where('devices.product_id', '=', productId)
    .where('devices.state', '!=', 'disabled');
  if (condition.kind === 'offline') {
    rows = rows
      .where('devices.last_seen_at', '<=', nowMs - condition.minutes * minuteMs)
      .where('devices.id', 'not in', (on) => on.selectFrom('channels').select('channels.device_id'));
  } else if (condition.kind === 'silent') {
    rows = rows.where(deviceHealth({ pollInterval }, nowMs), '=', 'silent');
  } else if (condition.kind === 'update_failed') {
    rows = rows.where('devices.update_id', 'in', (failed) =>
      failed
        .selectFrom('updates')
        .select('updates.id')
        .whereRef('updates.device_id', '=', 'devices.id')
        .where('updates.state', '=', 'failed')
        .where('updates.finished_at', '>=', sinceMs),
    );
  } else {
    rows = rows.where(sql<SqlBool>`exists (${outOfRange(condition, nowMs)})`);
  }
  const fits = filter && filterCondition(filter, expressions, nowMs)(expressionBuilder<Schema, 'devices'>());
  const found = await (fits ? rows.where(fits) : rows).limit(wrongLimit).execute();
  return new Set(found.map(({ id }) => id));
}

/**
 * Whether a stream has been beyond a limit for a time: so was its last sample before that time, and every one since.
 * A value holds until the next one comes.
 */
function outOfRange({ stream, side, limit, minutes }: Extract<AlertCondition, { kind: 'stream' }>, nowMs: number) {
  const fromMs = nowMs - minutes * minuteMs;
  const beyond = sql.raw(side === 'above' ? '>' : '<');
  return sql`select 1 from streams s where s.device_id = devices.id and s.name = ${stream}
    and (select m.number from samples m where m.stream_id = s.id and m.at <= ${fromMs} and m.at > ${fromMs - sampleLifeMs}
         order by m.at desc, m.seq desc limit 1) ${beyond} ${limit}
    and not exists (select 1 from samples m where m.stream_id = s.id and m.at > ${fromMs} and m.at <= ${nowMs}
         and (m.number is null or not (m.number ${beyond} ${limit})))`;
}

/** Alerts of a rule that are open, with the devices that they are about still. */
export async function openAlerts(db: Db, ruleId: string): Promise<OpenAlert[]> {
  const rows = await db
    .selectFrom('alerts as a')
    .leftJoin('alert_devices as d', (join) => join.onRef('d.alert_id', '=', 'a.id').on('d.over_at', 'is', null))
    .select(['a.id', 'a.opened_at', 'd.device_id'])
    .where('a.rule_id', '=', ruleId)
    .where('a.over_at', 'is', null)
    .execute();
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, of]) => ({
    id,
    openedMs: of[0]?.opened_at ?? 0,
    deviceIds: new Set(of.flatMap(({ device_id }) => (device_id === null ? [] : [device_id]))),
  }));
}

export const insertAlert = (trx: Db, row: NewRow<'alerts'>) => trx.insertInto('alerts').values(row).execute();

export const changeAlert = (trx: Db, id: string, change: RowChange<'alerts'>) =>
  trx.updateTable('alerts').set(change).where('id', '=', id).execute();

/** Adds devices to an alert; one that it was about before is so again. */
export async function addDevices(trx: Db, alertId: string, ids: readonly string[], atMs: number): Promise<void> {
  for (let at = 0; at < ids.length; at += statementRows) {
    const rows = ids.slice(at, at + statementRows).map((device_id) => ({ alert_id: alertId, device_id, since: atMs }));
    await trx
      .insertInto('alert_devices')
      .values(rows.map((row) => ({ ...row, over_at: null })))
      .onConflict((conflict) => conflict.columns(['alert_id', 'device_id']).doUpdateSet({ over_at: null }))
      .execute();
  }
}

/** An alert is no longer about some devices. */
export async function endDevices(trx: Db, alertId: string, ids: readonly string[], atMs: number): Promise<void> {
  for (let at = 0; at < ids.length; at += statementRows) {
    await trx
      .updateTable('alert_devices')
      .set({ over_at: atMs })
      .where('alert_id', '=', alertId)
      .where('device_id', 'in', ids.slice(at, at + statementRows))
      .execute();
  }
}

/** How many devices an alert has been about, and is about still. */
export const countDevices = (db: Db, alertId: string) =>
  db
    .selectFrom('alert_devices')
    .select((eb) => [
      eb.fn.countAll<number>().as('devices'),
      eb.fn.count<number>(eb.case().when('over_at', 'is', null).then(1).end()).as('devices_open'),
    ])
    .where('alert_id', '=', alertId)
    .executeTakeFirstOrThrow();

const alerts = (db: Db) =>
  db
    .selectFrom('alerts as a')
    .innerJoin('alert_rules as r', 'r.id', 'a.rule_id')
    .innerJoin('products as p', 'p.id', 'a.product_id')
    .leftJoin('users as u', 'u.id', 'a.acknowledged_by')
    .selectAll('a')
    .select(['r.title as rule', 'r.silenced_until', 'p.product', 'u.username as acknowledger']);

export type AlertView = Awaited<ReturnType<ReturnType<typeof alerts>['executeTakeFirstOrThrow']>>;

export const alertById = (db: Db, id: string): Promise<AlertView | undefined> =>
  alerts(db).where('a.id', '=', id).executeTakeFirst();

/** Alerts of a rule of which something may have to be told still. */
export const untoldAlerts = (db: Db, ruleId: string): Promise<Row<'alerts'>[]> =>
  db
    .selectFrom('alerts')
    .selectAll()
    .where('rule_id', '=', ruleId)
    .where((where) => where.or([where('over_at', 'is', null), where('told', '>', 0)]))
    .execute();

/** Ends the open alerts of a rule without a word. */
export const endAlerts = (trx: Db, ruleId: string, atMs: number) =>
  trx
    .updateTable('alerts')
    .set({ over_at: atMs, devices_open: 0, told: 0, tell_at: null })
    .where('rule_id', '=', ruleId)
    .where('over_at', 'is', null)
    .execute();

interface AlertQuery {
  readonly product_id?: string;
  readonly state?: 'open' | 'over';
  readonly unseen?: boolean;
}

/** One page of alerts. `products` are those that the caller may see; all of them without it. */
export function listAlerts(
  db: Db,
  products: readonly string[] | undefined,
  { product_id, state, unseen }: AlertQuery,
  page: Paging<'opened_at'>,
  nowMs: number,
): Promise<{ items: AlertView[]; total: number }> {
  let fitting = alerts(db);
  if (products) fitting = fitting.where('a.product_id', 'in', products.length === 0 ? [''] : [...products]);
  if (product_id) fitting = fitting.where('a.product_id', '=', product_id);
  if (state) fitting = fitting.where('a.over_at', state === 'open' ? 'is' : 'is not', null);
  if (unseen) {
    fitting = fitting
      .where('a.over_at', 'is', null)
      .where('a.acknowledged_at', 'is', null)
      .where((where) => where.or([where('r.silenced_until', 'is', null), where('r.silenced_until', '<=', nowMs)]));
  }
  const items = fitting.orderBy('a.opened_at', page.direction).orderBy('a.id', page.direction);
  return onePage(items, fitting, page);
}

/** One page of the devices of an alert. */
export async function listAlertDevices(db: Db, alertId: string, page: Paging<'since'>) {
  const rows = db
    .selectFrom('alert_devices as d')
    .innerJoin('devices as v', 'v.id', 'd.device_id')
    .where('d.alert_id', '=', alertId);
  const items = rows
    .select(['d.device_id', 'v.title as device', 'd.since', 'd.over_at'])
    .orderBy(sql`case when d.over_at is null then 0 else 1 end`)
    .orderBy('d.since', page.direction)
    .orderBy('d.device_id', page.direction);
  return onePage(items, rows, page);
}

/** Some of the devices that an alert is about, by title: those that it is about still, or all that it has been about. */
export const someDevices = (db: Db, alertId: string, which: 'open' | 'all', limit: number) =>
  db
    .selectFrom('alert_devices as d')
    .innerJoin('devices as v', 'v.id', 'd.device_id')
    .select(['v.id', 'v.title'])
    .where('d.alert_id', '=', alertId)
    .$if(which === 'open', (some) => some.where('d.over_at', 'is', null))
    .orderBy('v.title')
    .limit(limit)
    .execute();

/** Removes a batch of alerts that were over before a moment; returns how many. */
export async function deleteAlertsBefore(db: Db, beforeMs: number, batch: number): Promise<number> {
  const old = db.selectFrom('alerts').select('id').where('over_at', '<', beforeMs).limit(batch);
  const { numDeletedRows } = await db.deleteFrom('alerts').where('id', 'in', old).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

export type MailRow = Row<'alert_mails'>;

export const insertMail = (trx: Db, row: NewRow<'alert_mails'>) => trx.insertInto('alert_mails').values(row).execute();

export const changeMail = (trx: Db, id: string, change: RowChange<'alert_mails'>) =>
  trx.updateTable('alert_mails').set(change).where('id', '=', id).execute();

/** Mails that are due, those that have waited longest first. */
export const dueMails = (db: Db, nowMs: number, limit: number): Promise<MailRow[]> =>
  db
    .selectFrom('alert_mails')
    .selectAll()
    .where('due_at', '<=', nowMs)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Mails of a product since a moment, sent or not. */
export const countMails = (db: Db, productId: string, sinceMs: number): Promise<number> =>
  countOf(db.selectFrom('alert_mails').where('product_id', '=', productId).where('created_at', '>', sinceMs));

/** Removes a batch of mails from before a moment that wait no more; returns how many. */
export async function deleteMailsBefore(db: Db, beforeMs: number, batch: number): Promise<number> {
  const over = db.selectFrom('alert_mails').select('id').where('created_at', '<', beforeMs).where('due_at', 'is', null);
  const { numDeletedRows } = await db
    .deleteFrom('alert_mails')
    .where('id', 'in', over.limit(batch))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** The addresses that alerts of a product may be mailed to, in lower case. */
export async function confirmedAddresses(db: Db, productId: string): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('alert_addresses').select('email').where('product_id', '=', productId).execute();
  return new Set(rows.map(({ email }) => email));
}

/** Notes that the address of a user may get alerts of a product, when it is one of these and has been confirmed. */
export async function confirmOwn(
  trx: Db,
  own: { readonly productId: string; readonly userId: string; readonly emails: readonly string[] },
  atMs: number,
): Promise<void> {
  if (own.emails.length === 0) return;
  const user = await trx
    .selectFrom('users')
    .select('email')
    .where('id', '=', own.userId)
    .where('email', 'in', own.emails)
    .where('email_confirmed_at', 'is not', null)
    .executeTakeFirst();
  if (!user) return;
  await trx
    .insertInto('alert_addresses')
    .values({ product_id: own.productId, email: user.email, confirmed_at: atMs })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
