import { randomUUID } from 'node:crypto';
import { type Refusal, refusal, resultOk, type SegmentRecord, type segmentsContract } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { allowedProduct, growingProduct } from '../../../core/access/products.ts';
import { byCaller, writeLog } from '../../../engine/db/logs.ts';
import { noteMade } from '../../../engine/db/observer.ts';
import { paging } from '../../../engine/db/paging.ts';
import { refuseHeld } from '../../../engine/db/references.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../../engine/http/types.ts';
import { keptFilter, parseFilter } from '../filters/parse.ts';
import {
  changeSegment,
  countFitting,
  countSegments,
  deleteSegment,
  insertSegment,
  listSegments,
  type SegmentRow,
  segmentById,
} from './queries.ts';

type Contract = typeof segmentsContract;

/** Segments of one product. Spec: API-LIMIT-segments. */
const segmentsLimit = 100;

/** The record of a segment, its devices counted now. */
async function segmentRecord({ storage, clock }: Deps, row: SegmentRow): Promise<SegmentRecord> {
  const filter = keptFilter(row.filter);
  const devices = await countFitting(storage.db, storage.expressions, row.product_id, filter, clock.now());
  return { ...row, devices, created_at: String(row.created_at), updated_at: String(row.updated_at) };
}

/** The segment of a path: what is allowed with a product's fleet is allowed with its segments. */
async function allowedSegment(db: Db, id: string, caller: Caller): Promise<Result<SegmentRow, Refusal>> {
  const segment = await segmentById(db, id);
  if (!segment) return failure(refusal('NOT_FOUND', { what: 'Segment' }));
  const allowed = await allowedProduct(db, segment.product_id, caller, 'product.fleet', 'Segment');
  return allowed.ok ? success(segment) : allowed;
}

/** API-EP-GET-products-product_id-segments */
async function list(deps: Deps, { caller, params, query }: Call<Contract['list']>) {
  const { db } = deps.storage;
  const product = await allowedProduct(db, params.product_id, caller, 'product.fleet');
  if (!product.ok) return product;
  const { items, total } = await listSegments(db, product.value.id, paging(query, '-created_at'));
  const records: SegmentRecord[] = [];
  for (const row of items) records.push(await segmentRecord(deps, row));
  return success({ items: records, total });
}

/** API-EP-POST-products-product_id-segments */
async function create(deps: Deps, call: Call<Contract['create']>) {
  const { title, filter } = call.body;
  const parsed = parseFilter(filter);
  if (!parsed.ok) return parsed;
  const atMs = deps.clock.now();
  const made = await deps.storage.transaction(async (trx): Promise<Result<SegmentRow, Refusal>> => {
    const product = await growingProduct(trx, call.params.product_id, call.caller, 'product.fleet');
    if (!product.ok) return product;
    const { id: productId, product: code } = product.value;
    if ((await countSegments(trx, productId)) >= segmentsLimit) {
      const blanks = { what: `Product "${code}"`, limit: segmentsLimit, things: 'segments' };
      return failure(refusal('LIMIT_REACHED', blanks));
    }
    const row = { id: randomUUID(), product_id: productId, title, filter, created_at: atMs, updated_at: atMs };
    await insertSegment(trx, row);
    noteMade(row.id);
    const message = `Segment "${title}" added to product ${code}`;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'product.update', message, productId, data: { filter } });
    return success(row);
  });
  return made.ok ? success(await segmentRecord(deps, made.value)) : made;
}

/** API-EP-GET-segments-segment_id */
async function get(deps: Deps, { caller, params }: Call<Contract['get']>) {
  const segment = await allowedSegment(deps.storage.db, params.segment_id, caller);
  return segment.ok ? success(await segmentRecord(deps, segment.value)) : segment;
}

/** API-EP-PUT-segments-segment_id */
async function update(deps: Deps, call: Call<Contract['update']>) {
  const { title, filter } = call.body;
  const parsed = parseFilter(filter);
  if (!parsed.ok) return parsed;
  const atMs = deps.clock.now();
  const changed = await deps.storage.transaction(async (trx): Promise<Result<SegmentRow, Refusal>> => {
    const segment = await allowedSegment(trx, call.params.segment_id, call.caller);
    if (!segment.ok || (segment.value.title === title && segment.value.filter === filter)) return segment;
    const row = { ...segment.value, title, filter, updated_at: atMs };
    await changeSegment(trx, row);
    const { product_id: productId } = row;
    const message = `Segment "${title}" changed`;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'product.update', message, productId, data: { filter } });
    return success(row);
  });
  return changed.ok ? success(await segmentRecord(deps, changed.value)) : changed;
}

/** API-EP-DELETE-segments-segment_id */
const remove = async ({ storage, clock }: Deps, call: Call<Contract['remove']>) =>
  storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const segment = await allowedSegment(trx, call.params.segment_id, call.caller);
    if (!segment.ok) return segment;
    const { id, title, product_id: productId } = segment.value;
    const held = await refuseHeld(storage, trx, 'segments', { id, named: `Segment "${title}"` });
    if (held) return failure(held);
    await deleteSegment(trx, id);
    const message = `Segment "${title}" deleted`;
    await writeLog(trx, { ...byCaller(call, clock.now()), type: 'product.update', message, productId });
    return success(resultOk);
  });

/** Filters with names. */
export const segmentsRoutes = (deps: Deps): Handlers<Contract> => handlers(deps, { list, create, get, update, remove });
