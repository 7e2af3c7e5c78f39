import { randomUUID } from 'node:crypto';
import { type ConnectorRecord, type connectorsContract, type Refusal, refusal, resultOk } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import { refuseHeld } from '../../engine/db/references.ts';
import type { Db } from '../../engine/db/storage.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import type { Outbound } from '../../engine/outbound/ports.ts';
import { allowedProduct, growingProduct } from '../access/products.ts';
import { refuseQuota } from '../access/quotas.ts';
import { sendNow } from './messages.ts';
import {
  type ConnectorRow,
  type ConnectorView,
  changeConnector,
  connectorByCode,
  connectorById,
  countConnectors,
  deleteConnector,
  insertConnector,
  listConnectors,
  listDeliveries,
  optionsOf,
} from './queries.ts';
import { connectorRecord, deliveryRecord } from './records.ts';
import { readOptions } from './rules.ts';
import { defaultTimeoutMs, type SendFailure } from './send.ts';

type Contract = typeof connectorsContract;
type ConnectorsDeps = Deps & { readonly outbound: Outbound };

/** Connectors of one product. Spec: API-LIMIT-connectors. */
const connectorsLimit = 50;

/** Why a user may not send through a connector. Refusals: NOT_FOUND, FORBIDDEN. */
export async function refuseConnectorUser(
  db: Db,
  connector: Pick<ConnectorRow, 'product_id'>,
  caller: Caller,
): Promise<Refusal | undefined> {
  const allowed = await allowedProduct(db, connector.product_id, caller, 'product.connectors', 'Connector');
  return allowed.ok ? undefined : allowed.error;
}

/** The connector of a path, if the caller may use it: what is allowed with a product is allowed with its connectors. */
async function allowedConnector(db: Db, id: string, caller: Caller): Promise<Result<ConnectorView, Refusal>> {
  const connector = await connectorById(db, id);
  if (!connector) return failure(refusal('NOT_FOUND', { what: 'Connector' }));
  const refused = await refuseConnectorUser(db, connector, caller);
  return refused ? failure(refused) : success(connector);
}

const refuseTarget = (host: string): Refusal =>
  refusal('TARGET_NOT_ALLOWED', { host }, { source: 'body', keys: ['opts.url'] });

/** Options that may be stored: of the right form, and not obviously aimed at our own network. */
function acceptOptions(outbound: Outbound, sent: Readonly<Record<string, unknown>>, stored?: ConnectorRow) {
  const read = readOptions(sent, stored && { type: stored.type, opts: optionsOf(stored) });
  if (!read.ok) return read;
  const host = outbound.refusedHost(read.value.opts.url);
  if (host === undefined) return read;
  return failure(refuseTarget(host));
}

/** API-EP-POST-products-product_id-connectors */
async function create({ storage, clock, outbound, settings }: ConnectorsDeps, call: Call<Contract['create']>) {
  const { body, caller, params } = call;
  const { code } = body;
  const atMs = clock.now();
  return transactionOverConflicts(storage, async (trx): Promise<Result<ConnectorRecord, Refusal>> => {
    const allowed = await growingProduct(trx, params.product_id, caller, 'product.connectors');
    if (!allowed.ok) return allowed;
    const read = acceptOptions(outbound, body.opts ?? {});
    if (!read.ok) return read;
    const { id: productId, product } = allowed.value;
    if (await connectorByCode(trx, productId, code)) {
      return failure(refusal('DUPLICATE', { what: 'Connector', value: code }));
    }
    if ((await countConnectors(trx, productId)) >= connectorsLimit) {
      const blanks = { what: `Product "${product}"`, limit: connectorsLimit, things: 'connectors' };
      return failure(refusal('LIMIT_REACHED', blanks));
    }
    const full = await refuseQuota(settings, trx, allowed.value.user_id, 'connectors');
    if (full) return failure(full);
    const { type, opts } = read.value;
    const row = {
      id: randomUUID(),
      product_id: productId,
      title: body.title,
      code,
      type,
      opts: JSON.stringify(opts),
      state: 'ok' as const,
      last_used_at: null,
      last_error: null,
      created_at: atMs,
      updated_at: atMs,
    };
    await insertConnector(trx, row);
    noteMade(row.id);
    const message = `Connector ${code} added to product ${product}`;
    const data = { connector_id: row.id, code };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'connector.create', message, productId, data });
    return success(connectorRecord({ ...row, product }));
  });
}

/** API-EP-PUT-connectors-connector_id. Without `opts` they stay as they are. */
async function update({ storage, clock, outbound }: ConnectorsDeps, call: Call<Contract['update']>) {
  const { body, caller, params } = call;
  const { code } = body;
  const atMs = clock.now();
  return transactionOverConflicts(storage, async (trx): Promise<Result<ConnectorRecord, Refusal>> => {
    const allowed = await allowedConnector(trx, params.connector_id, caller);
    if (!allowed.ok) return allowed;
    const before = allowed.value;
    const { product_id: productId } = before;
    const read = body.opts ? acceptOptions(outbound, body.opts, before) : success({ opts: optionsOf(before) });
    if (!read.ok) return read;
    const namesake = await connectorByCode(trx, productId, code);
    if (namesake && namesake.id !== before.id) {
      return failure(refusal('DUPLICATE', { what: 'Connector', value: code }));
    }
    const after = { ...before, title: body.title, code, opts: JSON.stringify(read.value.opts) };
    const fields = (['title', 'code', 'opts'] as const).filter((field) => after[field] !== before[field]);
    if (fields.length === 0) return success(connectorRecord(before));
    const changed = { ...after, updated_at: atMs };
    await changeConnector(trx, changed);
    const message = `Connector ${code} of product ${before.product} changed`;
    const data = { connector_id: before.id, code, fields };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'connector.update', message, productId, data });
    return success(connectorRecord(changed));
  });
}

/** API-EP-DELETE-connectors-connector_id */
async function remove({ storage, clock }: ConnectorsDeps, call: Call<Contract['remove']>) {
  const atMs = clock.now();
  return storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const allowed = await allowedConnector(trx, call.params.connector_id, call.caller);
    if (!allowed.ok) return allowed;
    const { id, code, product, product_id: productId } = allowed.value;
    const held = await refuseHeld(storage, trx, 'connectors', { id, named: `Connector ${code}` });
    if (held) return failure(held);
    await deleteConnector(trx, id);
    const message = `Connector ${code} of product ${product} deleted`;
    const data = { connector_id: id, code };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'connector.delete', message, productId, data });
    return success(resultOk);
  });
}

/** The refusal for a test call that failed. Spec: API-ERR-502, API-ERR-504. */
function testRefusal({ error, text }: SendFailure, timeoutMs: number): Refusal {
  if (error.kind === 'timed_out') return refusal('CONNECTOR_TIMED_OUT', { timeoutMs });
  if (error.kind === 'not_allowed') return refuseTarget(error.host);
  return refusal('CONNECTOR_FAILED', { detail: text });
}

/** API-EP-POST-connectors-connector_id-test */
async function test(deps: ConnectorsDeps, { params, caller }: Call<Contract['test']>) {
  const allowed = await allowedConnector(deps.storage.db, params.connector_id, caller);
  if (!allowed.ok) return allowed;
  const connector = allowed.value;
  const sent = await sendNow(deps, connector, {
    id: randomUUID(),
    event: 'test',
    code: connector.code,
    device: null,
    product: { id: connector.product_id, product: connector.product },
    data: { test: true },
    atMs: deps.clock.now(),
  });
  if (sent.ok) return success({ ...resultOk, status: sent.value.status });
  return failure(testRefusal(sent.error, optionsOf(connector).timeout_ms ?? defaultTimeoutMs));
}

/** API-EP-GET-products-product_id-connectors */
async function list(deps: ConnectorsDeps, { params, query, caller }: Call<Contract['list']>) {
  const allowed = await allowedProduct(deps.storage.db, params.product_id, caller, 'product.connectors');
  if (!allowed.ok) return allowed;
  const { items, total } = await listConnectors(deps.storage.db, allowed.value.id, paging(query, '-created_at'));
  return success({ items: items.map(connectorRecord), total });
}

/** API-EP-GET-connectors-connector_id */
async function get(deps: ConnectorsDeps, { params, caller }: Call<Contract['get']>) {
  const allowed = await allowedConnector(deps.storage.db, params.connector_id, caller);
  return allowed.ok ? success(connectorRecord(allowed.value)) : allowed;
}

/** API-EP-GET-connectors-connector_id-deliveries */
async function deliveries(deps: ConnectorsDeps, { params, query, caller }: Call<Contract['deliveries']>) {
  const allowed = await allowedConnector(deps.storage.db, params.connector_id, caller);
  if (!allowed.ok) return allowed;
  const page = paging(query, '-created_at');
  const { items, total } = await listDeliveries(deps.storage.db, allowed.value.id, query.state, page);
  return success({ items: items.map(deliveryRecord), total });
}

/** Connectors of products, and what went through them. */
export const connectorsRoutes = (deps: ConnectorsDeps): Handlers<Contract> =>
  handlers(deps, { list, create, get, update, remove, test, deliveries });
