import { randomUUID } from 'node:crypto';
import {
  type BodyOf,
  type Refusal,
  type RolloutAction,
  type RolloutRecord,
  refusal,
  type rolloutsContract,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { allowedProduct } from '../access/products.ts';
import type { Action } from '../auth/rules.ts';
import type { Call, Caller, Deps, Handler, Handlers } from '../core/types.ts';
import { byCaller, writeLog } from '../db/logs.ts';
import type { Db } from '../db/storage.ts';
import { parseFilter } from '../filters/parse.ts';
import type { Fleet } from './engine.ts';
import { enlist, previewOf } from './members.ts';
import {
  changeRollout,
  insertRollout,
  listExecutions,
  listRollouts,
  lockRollout,
  type RolloutRow,
  rolloutById,
  settingsOf,
} from './queries.ts';
import { rolloutRecord } from './records.ts';
import { refuseSettings } from './rules.ts';

type Contract = typeof rolloutsContract;
type Asked = BodyOf<Contract['create']>;

/** What rollouts need of other slices. */
export interface RolloutDeps extends Deps {
  readonly fleet: Fleet;
  deviceFor(
    db: Db,
    caller: Caller,
    action: Action,
    name: string,
  ): Promise<Result<{ readonly id: string; readonly product_id: string }, Refusal>>;
  /** The version of a published bundle of a product, and what its files have together, in bytes. */
  publishedBundle(db: Db, productId: string, bundleId: string): Promise<{ version: string; bytes: number } | undefined>;
}

/** The rollout of a path: what is allowed with the fleet of a product is allowed with its rollouts. */
async function allowed(db: Db, id: string, caller: Caller): Promise<Result<RolloutRow, Refusal>> {
  const rollout = await rolloutById(db, id);
  if (!rollout) return failure(refusal('NOT_FOUND', { what: 'Rollout' }));
  const product = await allowedProduct(db, rollout.product_id, caller, 'product.fleet', 'Rollout');
  return product.ok ? success(rollout) : product;
}

const wrongBundle = (product: string) =>
  failure(refusal('WRONG_BUNDLE', { product }, { source: 'body', keys: ['bundle_id'] }));

/** A draft of what is asked for, and the bytes of its bundle. Refusals: INVALID_FILTER, INVALID_REQUEST, WRONG_BUNDLE. */
async function draftOf(deps: RolloutDeps, db: Db, productId: string, product: string, body: Asked) {
  const filter = body.filter === undefined ? undefined : parseFilter(body.filter);
  if (filter && !filter.ok) return filter;
  const refused = refuseSettings(body.settings);
  if (refused) return failure(refused);
  const bundle = await deps.publishedBundle(db, productId, body.bundle_id);
  if (!bundle) return wrongBundle(product);
  const row: RolloutRow = {
    id: randomUUID(),
    product_id: productId,
    bundle_id: body.bundle_id,
    version: bundle.version,
    title: body.title,
    filter: body.filter ?? null,
    priority: body.priority ?? 0,
    settings: JSON.stringify(body.settings),
    state: 'draft',
    holds: 0,
    reason: null,
    stage: 0,
    gate_at: null,
    pace_from: 0,
    pace_count: 0,
    created_at: deps.clock.now(),
    started_at: null,
    finished_at: null,
  };
  return success({ row, bytes: bundle.bytes });
}

/** API-EP-GET-products-product_id-rollouts */
const list =
  ({ storage: { db } }: RolloutDeps): Handler<Contract['list']> =>
  async ({ caller, params, query }) => {
    const product = await allowedProduct(db, params.product_id, caller, 'product.fleet');
    if (!product.ok) return product;
    const { items, total } = await listRollouts(db, product.value.id, query);
    const records: RolloutRecord[] = [];
    for (const row of items) records.push(await rolloutRecord(db, row));
    return success({ items: records, total });
  };

/** API-EP-POST-products-product_id-rollouts */
const create =
  (deps: RolloutDeps): Handler<Contract['create']> =>
  async (call) =>
    deps.storage.transaction(async (trx): Promise<Result<RolloutRecord, Refusal>> => {
      const product = await allowedProduct(trx, call.params.product_id, call.caller, 'product.fleet');
      if (!product.ok) return product;
      const { id: productId, product: code } = product.value;
      const draft = await draftOf(deps, trx, productId, code, call.body);
      if (!draft.ok) return draft;
      const { version, ...row } = draft.value.row;
      await insertRollout(trx, row);
      const message = `Rollout "${row.title}" of bundle ${version} drafted`;
      const data = { rollout: row.id, filter: row.filter };
      const atMs = deps.clock.now();
      const bundleId = row.bundle_id;
      await writeLog(trx, { ...byCaller(call, atMs), type: 'rollout.create', message, productId, bundleId, data });
      return success(await rolloutRecord(trx, draft.value.row));
    });

/** API-EP-POST-products-product_id-rollouts-preview */
const preview =
  (deps: RolloutDeps): Handler<Contract['preview']> =>
  async ({ caller, params, body }) => {
    const { db, expressions } = deps.storage;
    const product = await allowedProduct(db, params.product_id, caller, 'product.fleet');
    if (!product.ok) return product;
    const draft = await draftOf(deps, db, product.value.id, product.value.product, body);
    return draft.ok ? previewOf(db, expressions, draft.value.row, draft.value.bytes, deps.clock.now()) : draft;
  };

const get =
  ({ storage: { db } }: RolloutDeps): Handler<Contract['get']> =>
  async ({ caller, params }) => {
    const rollout = await allowed(db, params.rollout_id, caller);
    return rollout.ok ? success(await rolloutRecord(db, rollout.value)) : rollout;
  };

type OfRollout = Pick<Call<Contract['get']>, 'caller' | 'ip' | 'params'>;

/** Changes a rollout in one transaction, in which it is locked; its record as it is afterwards. */
const changing = (
  { storage }: RolloutDeps,
  { caller, params }: OfRollout,
  change: (trx: Db, rollout: RolloutRow) => Promise<Result<unknown, Refusal>>,
) =>
  storage.transaction(async (trx): Promise<Result<RolloutRecord, Refusal>> => {
    const found = await allowed(trx, params.rollout_id, caller);
    if (!found.ok) return found;
    const rollout = await lockRollout(trx, storage.expressions, found.value.id);
    if (!rollout) return failure(refusal('NOT_FOUND', { what: 'Rollout' }));
    const changed = await change(trx, rollout);
    if (!changed.ok) return changed;
    const after = await rolloutById(trx, rollout.id);
    return success(await rolloutRecord(trx, after ?? rollout));
  });

/** What a person's word says beside the state. */
const reasons: Readonly<Record<RolloutAction, string | null>> = {
  start: null,
  pause: 'by a person',
  resume: null,
  pass: null,
  abort: 'by a person',
  roll_back: 'by a person',
};

/** API-EP-POST-rollouts-rollout_id-state. Spec: API-RULE-rollout-2. */
const act =
  (deps: RolloutDeps): Handler<Contract['act']> =>
  async (call) => {
    const { action } = call.body;
    const { fleet, storage, clock } = deps;
    return changing(deps, call, async (trx, rollout) => {
      const moved = await fleet.trigger(trx, rollout, action, reasons[action]);
      if (!moved.ok) return moved;
      if (action === 'start') {
        await enlist(trx, storage.expressions, rollout, clock.now());
        await fleet.wake(trx, moved.value);
      }
      if (action === 'pass') {
        if (rollout.stage === settingsOf(rollout).stages.length - 1) {
          return failure(refusal('ILLEGAL_TRANSITION', { what: 'A rollout', from: 'its last stage', to: 'the next' }));
        }
        await fleet.openNext(trx, moved.value);
      }
      await writePerson(deps, trx, call, rollout, action.replace('_', ' '));
      if (moved.value.state === 'running') await fleet.settleRollout(trx, rollout.id);
      return moved;
    });
  };

const writePerson = ({ clock }: RolloutDeps, trx: Db, call: OfRollout, rollout: RolloutRow, what: string) =>
  writeLog(trx, {
    ...byCaller(call, clock.now()),
    type: 'rollout.act',
    message: `Rollout "${rollout.title}": ${what}`,
    productId: rollout.product_id,
    data: { rollout: rollout.id },
  });

/** API-EP-POST-rollouts-rollout_id-retry */
const retry =
  (deps: RolloutDeps): Handler<Contract['retry']> =>
  async (call) =>
    changing(deps, call, async (trx, rollout) => {
      const bundleId = call.body.bundle_id ?? rollout.bundle_id;
      const bundle = await deps.publishedBundle(trx, rollout.product_id, bundleId);
      if (!bundle) return wrongBundle(rollout.title);
      const moved = await deps.fleet.trigger(trx, rollout, 'retry', null);
      if (!moved.ok) return moved;
      await changeRollout(trx, rollout.id, { bundle_id: bundleId });
      const failed = await deps.fleet.retryFailed(trx, rollout);
      await writePerson(deps, trx, call, rollout, `retry of ${failed} devices with bundle ${bundle.version}`);
      await deps.fleet.settleRollout(trx, rollout.id);
      return moved;
    });

/** API-EP-GET-rollouts-rollout_id-executions */
const executions =
  ({ storage: { db } }: RolloutDeps): Handler<Contract['executions']> =>
  async ({ caller, params, query }) => {
    const rollout = await allowed(db, params.rollout_id, caller);
    if (!rollout.ok) return rollout;
    const { items, total } = await listExecutions(db, rollout.value.id, query);
    const records = items.map(({ device_id, device, stage, state, kind, attempt, update_id, changed_at }) => ({
      device_id,
      device,
      stage,
      state,
      kind,
      attempt,
      update_id,
      changed_at: String(changed_at),
    }));
    return success({ items: records, total });
  };

/** Bundles on their way in stages; `holdRoutes` has pins and freezes. */
export const rolloutRoutes = (deps: RolloutDeps) =>
  ({
    list: list(deps),
    create: create(deps),
    preview: preview(deps),
    get: get(deps),
    act: act(deps),
    retry: retry(deps),
    executions: executions(deps),
  }) satisfies Partial<Handlers<Contract>>;
