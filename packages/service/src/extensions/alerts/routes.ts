import { randomUUID } from 'node:crypto';
import {
  type AlertCondition,
  type AlertRecord,
  type AlertRuleRecord,
  type alertsContract,
  optionalTimestamp,
  type Refusal,
  refusal,
  resultOk,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { watchedProducts } from '../../core/access/logs.ts';
import { allowedProduct, growingProduct } from '../../core/access/products.ts';
import { viewerFor } from '../../core/access/rules.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteBefore, noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import type { Db } from '../../engine/db/storage.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { conditionOf } from './engine.ts';
import {
  type AlertView,
  alertById,
  belongTo,
  changeAlert,
  changeRule,
  confirmedAddresses,
  confirmOwn,
  countRules,
  deleteRule,
  endAlerts,
  insertRule,
  listAlertDevices,
  listAlerts,
  listRules,
  type RuleView,
  ruleById,
} from './queries.ts';
import { unconfirmed } from './rules.ts';

type Contract = typeof alertsContract;

export interface AlertDeps extends Deps {
  /** Mails links by which addresses are confirmed for the alerts of a product, in a transaction of the caller. */
  readonly askAddresses: (
    trx: Db,
    asked: { readonly productId: string; readonly userId: string; readonly emails: readonly string[] },
  ) => Promise<Refusal | undefined>;
}

/** Alert rules of one product. Spec: API-LIMIT-alert-rules. */
const rulesLimit = 50;

const ruleRecord = (row: RuleView, confirmed: ReadonlySet<string>): AlertRuleRecord => ({
  id: row.id,
  product_id: row.product_id,
  product: row.product,
  title: row.title,
  segment_id: row.segment_id,
  segment: row.segment,
  condition: conditionOf(row),
  at_least: row.at_least,
  gather_minutes: row.gather_minutes,
  connectors: JSON.parse(row.connectors),
  mail_to: JSON.parse(row.mail_to ?? '[]'),
  mail_unconfirmed: unconfirmed(JSON.parse(row.mail_to ?? '[]'), confirmed),
  enabled: row.enabled === 1,
  silenced_until: optionalTimestamp(row.silenced_until),
  open: row.open ?? 0,
  created_at: String(row.created_at),
  updated_at: String(row.updated_at),
});

const alertRecord = (row: AlertView): AlertRecord => ({
  id: row.id,
  rule_id: row.rule_id,
  rule: row.rule,
  product_id: row.product_id,
  product: row.product,
  text: row.text,
  state: row.over_at === null ? 'open' : 'over',
  devices: row.devices,
  devices_open: row.devices_open,
  opened_at: String(row.opened_at),
  over_at: optionalTimestamp(row.over_at),
  acknowledged_at: optionalTimestamp(row.acknowledged_at),
  acknowledged_by: row.acknowledger,
  silenced_until: optionalTimestamp(row.silenced_until),
});

/** What is allowed with a product's fleet is allowed with its rules and alerts. Refusals: NOT_FOUND, FORBIDDEN. */
async function allowed<T extends { readonly product_id: string }>(
  db: Db,
  found: T | undefined,
  caller: Caller,
  what: 'Alert rule' | 'Alert',
): Promise<Result<T, Refusal>> {
  if (!found) return failure(refusal('NOT_FOUND', { what }));
  const product = await allowedProduct(db, found.product_id, caller, 'product.fleet', what);
  return product.ok ? success(found) : product;
}

const allowedRule = async (db: Db, id: string, caller: Caller) =>
  allowed(db, await ruleById(db, id), caller, 'Alert rule');

const allowedAlert = async (db: Db, id: string, caller: Caller) =>
  allowed(db, await alertById(db, id), caller, 'Alert');

interface RuleBody {
  readonly title: string;
  readonly segment_id?: string | null;
  readonly condition: AlertCondition;
  readonly at_least?: number;
  readonly gather_minutes?: number;
  readonly connectors?: readonly string[];
  readonly mail_to?: readonly string[];
  readonly enabled?: boolean;
}

/** The columns that people decide, from a request; what is not sent is as for a new rule. */
const columnsOf = (body: RuleBody) => ({
  title: body.title,
  segment_id: body.segment_id ?? null,
  condition: JSON.stringify(body.condition),
  at_least: body.at_least ?? 1,
  gather_minutes: body.gather_minutes ?? 10,
  connectors: JSON.stringify([...new Set(body.connectors)]),
  mail_to: JSON.stringify([...new Set(body.mail_to)]),
  enabled: body.enabled === false ? (0 as const) : (1 as const),
});

/** Why a rule of a product cannot be about these; nothing when it can. Refusals: NOT_FOUND, NO_MAIL_SERVER. */
async function refuseParts(
  { smtpUrl }: Deps['settings'],
  db: Db,
  productId: string,
  body: RuleBody,
): Promise<Refusal | undefined> {
  if (smtpUrl === undefined && body.mail_to && body.mail_to.length > 0) return refusal('NO_MAIL_SERVER');
  const are = await belongTo(db, productId, body.segment_id ?? null, body.connectors ?? []);
  if (!are.segment) return refusal('NOT_FOUND', { what: 'Segment' });
  return are.connectors ? undefined : refusal('NOT_FOUND', { what: 'Connector' });
}

/**
 * Asks for alerts at the addresses of a rule: the caller's own, which was confirmed, is so for the product too, and the
 * others get a link. The refusal is LIMIT_REACHED. Spec: API-RULE-alert-6.
 */
async function askAddresses(
  deps: AlertDeps,
  trx: Db,
  productId: string,
  { userId }: Caller,
  { mail_to = [] }: RuleBody,
): Promise<Refusal | undefined> {
  const emails = [...new Set(mail_to.map((address) => address.toLowerCase()))];
  await confirmOwn(trx, { productId, userId, emails }, deps.clock.now());
  const asked = unconfirmed(emails, await confirmedAddresses(trx, productId));
  return deps.askAddresses(trx, { productId, userId, emails: asked });
}

/** The record of a rule that was there in this very transaction. */
async function recordOf(trx: Db, id: string): Promise<AlertRuleRecord> {
  const row = await ruleById(trx, id);
  if (!row) throw new Error(`Alert rule ${id} is not there in the transaction that wrote it`);
  return ruleRecord(row, await confirmedAddresses(trx, row.product_id));
}

/** API-EP-GET-products-product_id-alert-rules */
async function rules({ storage: { db } }: Deps, { caller, params, query }: Call<Contract['rules']>) {
  const product = await allowedProduct(db, params.product_id, caller, 'product.fleet');
  if (!product.ok) return product;
  const { items, total } = await listRules(db, product.value.id, paging(query, '-created_at'));
  const confirmed = await confirmedAddresses(db, product.value.id);
  return success({ items: items.map((row) => ruleRecord(row, confirmed)), total });
}

/** API-EP-POST-products-product_id-alert-rules */
const createRule = (deps: AlertDeps, call: Call<Contract['createRule']>) =>
  deps.storage.transaction(async (trx): Promise<Result<AlertRuleRecord, Refusal>> => {
    const { body, caller, params } = call;
    const product = await growingProduct(trx, params.product_id, caller, 'product.fleet');
    if (!product.ok) return product;
    const { id: productId, product: code } = product.value;
    if ((await countRules(trx, productId)) >= rulesLimit) {
      const blanks = { what: `Product "${code}"`, limit: rulesLimit, things: 'alert rules' };
      return failure(refusal('LIMIT_REACHED', blanks));
    }
    const refused =
      (await refuseParts(deps.settings, trx, productId, body)) ??
      (await askAddresses(deps, trx, productId, caller, body));
    if (refused) return failure(refused);
    const [id, atMs] = [randomUUID(), deps.clock.now()];
    const times = { silenced_until: null, created_at: atMs, updated_at: atMs };
    await insertRule(trx, { id, product_id: productId, ...columnsOf(body), ...times });
    noteMade(id);
    const message = `Alert rule "${body.title}" added to product ${code}`;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'alert.rule', message, productId, data: { rule: id } });
    return success(await recordOf(trx, id));
  });

/** API-EP-PUT-alert-rules-rule_id */
const updateRule = (deps: AlertDeps, call: Call<Contract['updateRule']>) =>
  deps.storage.transaction(async (trx): Promise<Result<AlertRuleRecord, Refusal>> => {
    const { body, caller, params } = call;
    const rule = await allowedRule(trx, params.rule_id, caller);
    if (!rule.ok) return rule;
    const { id, product_id: productId } = rule.value;
    const refused =
      (await refuseParts(deps.settings, trx, productId, body)) ??
      (await askAddresses(deps, trx, productId, caller, body));
    if (refused) return failure(refused);
    const atMs = deps.clock.now();
    noteBefore(await recordOf(trx, id));
    const columns = columnsOf(body);
    await changeRule(trx, id, { ...columns, updated_at: atMs });
    if (columns.enabled === 0) await endAlerts(trx, id, atMs);
    const message = `Alert rule "${body.title}" changed`;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'alert.rule', message, productId, data: { rule: id } });
    return success(await recordOf(trx, id));
  });

/** API-EP-DELETE-alert-rules-rule_id */
const removeRule = ({ storage, clock }: Deps, call: Call<Contract['removeRule']>) =>
  storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const rule = await allowedRule(trx, call.params.rule_id, call.caller);
    if (!rule.ok) return rule;
    const { id, title, product_id: productId } = rule.value;
    await deleteRule(trx, id);
    const message = `Alert rule "${title}" deleted`;
    await writeLog(trx, { ...byCaller(call, clock.now()), type: 'alert.rule', message, productId });
    return success(resultOk);
  });

/** API-EP-POST-alert-rules-rule_id-silence */
const silence = ({ storage, clock }: Deps, call: Call<Contract['silence']>) =>
  storage.transaction(async (trx): Promise<Result<AlertRuleRecord, Refusal>> => {
    const rule = await allowedRule(trx, call.params.rule_id, call.caller);
    if (!rule.ok) return rule;
    const { id, title, silenced_until, product_id: productId } = rule.value;
    const { until } = call.body;
    noteBefore({ until: silenced_until });
    await changeRule(trx, id, { silenced_until: until });
    const message = until === null ? `Alert rule "${title}" speaks again` : `Alert rule "${title}" silenced`;
    const data = { rule: id, until };
    await writeLog(trx, { ...byCaller(call, clock.now()), type: 'alert.rule', message, productId, data });
    return success(await recordOf(trx, id));
  });

/** API-EP-GET-alerts */
async function list({ storage: { db }, clock }: Deps, { caller, query }: Call<Contract['list']>) {
  const viewer = viewerFor('product.fleet', caller);
  const products = viewer === 'everyone' ? undefined : await watchedProducts(db, viewer);
  const { items, total } = await listAlerts(db, products, query, paging(query, '-opened_at'), clock.now());
  return success({ items: items.map(alertRecord), total });
}

/** API-EP-GET-alerts-alert_id */
async function get({ storage: { db } }: Deps, { caller, params }: Call<Contract['get']>) {
  const alert = await allowedAlert(db, params.alert_id, caller);
  return alert.ok ? success(alertRecord(alert.value)) : alert;
}

/** API-EP-GET-alerts-alert_id-devices */
async function devices({ storage: { db } }: Deps, { caller, params, query }: Call<Contract['devices']>) {
  const alert = await allowedAlert(db, params.alert_id, caller);
  if (!alert.ok) return alert;
  const { items, total } = await listAlertDevices(db, alert.value.id, paging(query, '-since'));
  const records = items.map((row) => ({
    ...row,
    since: String(row.since),
    over_at: optionalTimestamp(row.over_at),
  }));
  return success({ items: records, total });
}

/** API-EP-POST-alerts-alert_id-acknowledge */
const acknowledge = ({ storage, clock }: Deps, call: Call<Contract['acknowledge']>) =>
  storage.transaction(async (trx): Promise<Result<AlertRecord, Refusal>> => {
    const alert = await allowedAlert(trx, call.params.alert_id, call.caller);
    if (!alert.ok || alert.value.acknowledged_at !== null) return alert.ok ? success(alertRecord(alert.value)) : alert;
    const { id, rule, product_id: productId } = alert.value;
    const atMs = clock.now();
    const { userId, username } = call.caller;
    await changeAlert(trx, id, { acknowledged_at: atMs, acknowledged_by: userId });
    const message = `Alert "${rule}" acknowledged`;
    const data = { alert: id };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'alert.acknowledge', message, productId, data });
    return success(alertRecord({ ...alert.value, acknowledged_at: atMs, acknowledger: username }));
  });

/** Rules over devices, and what they find. */
export const alertsRoutes = (deps: AlertDeps): Handlers<Contract> =>
  handlers(deps, { rules, createRule, updateRule, removeRule, silence, list, get, devices, acknowledge });
