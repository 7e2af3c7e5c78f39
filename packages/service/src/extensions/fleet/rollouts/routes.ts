import { randomUUID } from 'node:crypto';
import {
  type BodyOf,
  type QueryOf,
  type Refusal,
  type RolloutAction,
  type RolloutRecord,
  refusal,
  type rolloutsContract,
  rolloutTemplates,
  templateNames,
} from '@moorage/api';
import { dayMs, failure, type Result, success } from '@moorage/base';
import { allowedProduct } from '../../../core/access/products.ts';
import { type Action, isServiceAccount } from '../../../core/access/rules.ts';
import type { DeviceRow } from '../../../engine/db/hot.ts';
import { byCaller, writeLog } from '../../../engine/db/logs.ts';
import { noteMade } from '../../../engine/db/observer.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { sharedReads, type Work } from '../../../engine/db/work.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../../engine/http/types.ts';
import { parseFilter } from '../filters/parse.ts';
import type { Fleet } from './engine.ts';
import { listExecutions } from './execution-queries.ts';
import { fleetSettingsOf } from './hold-queries.ts';
import type { Lifecycle } from './lifecycle.ts';
import { refuseSizes } from './members.ts';
import { endsOf, mayAct } from './prospects.ts';
import {
  changeRollout,
  insertRollout,
  listRollouts,
  lockRollout,
  type RolloutFilter,
  type RolloutRow,
  rolloutById,
} from './queries.ts';
import { rolloutRecord } from './records.ts';
import { goesOn, notBegun, notGated, type RolloutTrigger, wantedStates, wrongState } from './rules.ts';
import { chosenSettings, refuseAddresses, type SettingsChoice, type Targets } from './settings.ts';

type Contract = typeof rolloutsContract;
type RolloutDraft = BodyOf<Contract['create']>;

/** What rollouts need of other slices. */
export interface RolloutDeps extends Deps {
  readonly fleet: Fleet;
  readonly lifecycle: Lifecycle;
  readonly outbound: Targets;
  deviceFor(db: Db, caller: Caller, action: Action, name: string): Promise<Result<DeviceRow, Refusal>>;
  /** The version of a published bundle of a product, and what its files have together, in bytes. */
  publishedBundle(db: Db, productId: string, bundleId: string): Promise<{ version: string; bytes: number } | undefined>;
}

/** The rollout of a path: what is allowed with the fleet of a product is allowed with its rollouts. */
export async function allowedRollout(db: Db, id: string, caller: Caller): Promise<Result<RolloutRow, Refusal>> {
  const rollout = await rolloutById(db, id);
  if (!rollout) return failure(refusal('NOT_FOUND', { what: 'Rollout' }));
  const product = await allowedProduct(db, rollout.product_id, caller, 'product.fleet', 'Rollout');
  return product.ok ? success(rollout) : product;
}

export const wrongBundle = (product: string) =>
  failure(refusal('WRONG_BUNDLE', { product }, { source: 'body', keys: ['bundle_id'] }));

/** The settings of rollouts of a product that name none. */
async function defaultsOf(db: Db, productId: string): Promise<SettingsChoice> {
  const { template, settings } = await fleetSettingsOf(db, productId);
  return {
    ...(template !== null && { template }),
    ...(settings !== null && { settings: JSON.parse(settings) }),
  };
}

/** A draft of what is asked for. Refusals: INVALID_FILTER, INVALID_REQUEST, TARGET_NOT_ALLOWED, WRONG_BUNDLE. */
export async function draftOf(
  deps: RolloutDeps,
  db: Db,
  { id: productId, product }: { readonly id: string; readonly product: string },
  { body, caller: { userId } }: { readonly body: RolloutDraft; readonly caller: Caller },
) {
  const filter = body.filter === undefined ? undefined : parseFilter(body.filter);
  if (filter && !filter.ok) return filter;
  const nowMs = deps.clock.now();
  const settings = chosenSettings(body, await defaultsOf(db, productId), nowMs);
  if (!settings.ok) return settings;
  const refused = refuseAddresses(settings.value, deps.outbound);
  if (refused) return failure(refused);
  const bundle = await deps.publishedBundle(db, productId, body.bundle_id);
  if (!bundle) return wrongBundle(product);
  const row: RolloutRow = {
    id: randomUUID(),
    product_id: productId,
    bundle_id: body.bundle_id,
    version: bundle.version,
    product,
    title: body.title,
    filter: body.filter ?? null,
    priority: body.priority ?? 0,
    settings: settings.value,
    created_at: nowMs,
    ...notBegun,
    author_id: userId,
  };
  return success(row);
}

async function page(db: Db, filter: RolloutFilter, query: QueryOf<Contract['list']>) {
  const { items, total } = await listRollouts(db, filter, query);
  const reads = sharedReads(db);
  return success({ items: await Promise.all(items.map((row) => rolloutRecord(reads, row))), total });
}

/** API-EP-GET-rollouts */
const listAll = async (
  { storage: { db } }: RolloutDeps,
  { caller, query: { state, ...query } }: Call<Contract['listAll']>,
) => page(db, { of: caller.role === 'admin' ? 'everyone' : caller, state }, query);

/** API-EP-GET-products-product_id-rollouts */
async function list({ storage: { db } }: RolloutDeps, { caller, params, query }: Call<Contract['list']>) {
  const product = await allowedProduct(db, params.product_id, caller, 'product.fleet');
  return product.ok ? page(db, { of: { productId: product.value.id } }, query) : product;
}

/** API-EP-POST-products-product_id-rollouts */
const create = async (deps: RolloutDeps, call: Call<Contract['create']>) =>
  deps.storage.transaction(async (trx, work): Promise<Result<RolloutRecord, Refusal>> => {
    const product = await allowedProduct(trx, call.params.product_id, call.caller, 'product.fleet');
    if (!product.ok) return product;
    const { id: productId } = product.value;
    const draft = await draftOf(deps, trx, product.value, call);
    if (!draft.ok) return draft;
    const atMs = deps.clock.now();
    const sized = await refuseSizes(trx, deps.storage.expressions, draft.value, atMs);
    if (!sized.ok) return sized;
    const row = draft.value;
    await insertRollout(trx, row);
    noteMade(row.id);
    const message = `Rollout "${row.title}" of bundle ${row.version} drafted`;
    const data = { rollout: row.id, filter: row.filter };
    const bundleId = row.bundle_id;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'rollout.create', message, productId, bundleId, data });
    return success(await rolloutRecord(work, row));
  });

async function get({ storage: { db } }: RolloutDeps, { caller, params }: Call<Contract['get']>) {
  const rollout = await allowedRollout(db, params.rollout_id, caller);
  return rollout.ok ? success(await rolloutRecord(sharedReads(db), rollout.value)) : rollout;
}

type OfRollout = Pick<Call<Contract['get']>, 'caller' | 'ip' | 'params'>;

/** Changes a rollout in one transaction, in which it is locked; its record as it is afterwards. */
const changing = (
  { storage }: RolloutDeps,
  { caller, params }: OfRollout,
  change: (work: Work, rollout: RolloutRow) => Promise<Result<unknown, Refusal>>,
) =>
  storage.transaction(async (trx, work): Promise<Result<RolloutRecord, Refusal>> => {
    const found = await allowedRollout(trx, params.rollout_id, caller);
    if (!found.ok) return found;
    const rollout = await lockRollout(work, found.value.id);
    if (!rollout) return failure(refusal('NOT_FOUND', { what: 'Rollout' }));
    const changed = await change(work, rollout);
    if (!changed.ok) return changed;
    return success(await rolloutRecord(work, (await lockRollout(work, rollout.id)) ?? rollout));
  });

/** What a person's word says beside the state. */
const reasons: Readonly<Partial<Record<RolloutAction, string>>> = {
  pause: 'by a person',
  abort: 'by a person',
  cancel: 'by a person',
  roll_back: 'by a person',
};

/** What a person's word moves. One that starts a rollout may have to wait for another person, or for a time. */
function triggerOf(action: RolloutAction, rollout: RolloutRow, nowMs: number): RolloutTrigger {
  const { approval, start_at } = rollout.settings;
  const isLater = start_at !== undefined && start_at > nowMs;
  if (action === 'approve') return isLater ? 'schedule' : 'start';
  if (action !== 'start' || rollout.state !== 'draft') return action;
  if (approval) return 'ask';
  return isLater ? 'schedule' : 'start';
}

/** What a person's word would lead to, where that is no state. */
const refusedTo: Readonly<Partial<Record<RolloutAction, string>>> = { approve: 'approved', pass: 'the next' };

/** Why a person's word does not count here. Refusals: FORBIDDEN, ILLEGAL_TRANSITION. */
function refuseAct(action: RolloutAction, rollout: RolloutRow, caller: Caller): Refusal | undefined {
  if (!mayAct(action, rollout)) {
    const isLast = action === 'pass' && goesOn(rollout);
    const to = refusedTo[action] ?? wantedStates[triggerOf(action, rollout, 0)] ?? action;
    return refusal('ILLEGAL_TRANSITION', { what: 'A rollout', from: isLast ? 'its last stage' : rollout.state, to });
  }
  // Where the author has gone, it is anybody's.
  if (action === 'approve' && rollout.author_id === caller.userId) {
    return refusal('FORBIDDEN', { action: 'approve a rollout of your own' });
  }
  // Its tokens may be the author's.
  if (action === 'approve' && isServiceAccount(caller)) {
    return refusal('FORBIDDEN', { action: 'approve a rollout: that takes a person' });
  }
  return undefined;
}

/**
 * Ends a rollout, and brings the devices that it has moved to a bundle, which they keep until a tag of the product is moved.
 * Refusals: INVALID_REQUEST, WRONG_BUNDLE, ILLEGAL_TRANSITION.
 */
async function rollBackTo(deps: RolloutDeps, work: Work, rollout: RolloutRow, call: Call<Contract['act']>) {
  const { action, bundle_id = '' } = call.body;
  if (action !== 'roll_back') {
    const detail = 'Only a rollout that is rolled back takes a bundle';
    return failure(refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: ['bundle_id'] }));
  }
  const bundle = await deps.publishedBundle(work.db, rollout.product_id, bundle_id);
  if (!bundle) return wrongBundle(rollout.product);
  const reason = `by a person, to version ${bundle.version}`;
  const moved = await deps.lifecycle.trigger(work, rollout, 'roll_back', reason, { bundleId: bundle_id });
  if (!moved.ok) return moved;
  await writePerson(deps, work.db, call, rollout, `roll back to version ${bundle.version}`);
  return moved;
}

/** API-EP-POST-rollouts-rollout_id-state. Spec: API-RULE-rollout-2. */
async function act(deps: RolloutDeps, call: Call<Contract['act']>) {
  const { action } = call.body;
  const { lifecycle, clock } = deps;
  return changing(deps, call, async (work, rollout) => {
    if (call.body.bundle_id !== undefined) return rollBackTo(deps, work, rollout, call);
    const refused = refuseAct(action, rollout, call.caller);
    if (refused) return failure(refused);
    const trigger = triggerOf(action, rollout, clock.now());
    const moved =
      trigger === 'start'
        ? await lifecycle.start(work, rollout, null)
        : await lifecycle.trigger(work, rollout, trigger, reasons[action] ?? null, { isAsked: true });
    if (!moved.ok) return moved;
    if (action === 'approve') await changeRollout(work, rollout.id, { approver_id: call.caller.userId });
    if (action === 'pass') await lifecycle.openNext(work, moved.value);
    await writePerson(deps, work.db, call, rollout, action.replace('_', ' '));
    await lifecycle.settle(work, rollout.id);
    return moved;
  });
}

/** API-EP-POST-rollouts-rollout_id-signal */
const signal = async (deps: RolloutDeps, call: Call<Contract['signal']>) =>
  changing(deps, call, async (work, rollout) => {
    const { pass, reason = 'The signal says no' } = call.body;
    const moved = await deps.lifecycle.signal(work, rollout, { pass, reason });
    if (moved.ok)
      await writePerson(deps, work.db, call, rollout, pass ? 'signal to go on' : `signal to stop: ${reason}`);
    return moved;
  });

/** API-EP-GET-rollout-templates */
const templates = async () => success(templateNames.map((name) => ({ name, ...rolloutTemplates[name] })));

const writePerson = ({ clock }: RolloutDeps, trx: Db, call: OfRollout, rollout: RolloutRow, what: string) =>
  writeLog(trx, {
    ...byCaller(call, clock.now()),
    type: 'rollout.act',
    message: `Rollout "${rollout.title}": ${what}`,
    productId: rollout.product_id,
    data: { rollout: rollout.id },
  });

/** API-EP-POST-rollouts-rollout_id-retry */
const retry = async (deps: RolloutDeps, call: Call<Contract['retry']>) =>
  changing(deps, call, async (work, rollout) => {
    const bundleId = call.body.bundle_id ?? rollout.bundle_id;
    const bundle = await deps.publishedBundle(work.db, rollout.product_id, bundleId);
    if (!bundle) return wrongBundle(rollout.title);
    const moved = await deps.lifecycle.trigger(work, rollout, 'retry', null);
    if (!moved.ok) return moved;
    // Another bundle has to prove itself from the first stage on.
    const isOther = bundleId !== rollout.bundle_id;
    const brings = { bundle_id: bundleId, version: bundle.version };
    const again = await changeRollout(work, rollout.id, { ...brings, ...(isOther && { ...notGated, stage: 0 }) });
    const waiting = await deps.fleet.retry(work, again);
    await deps.lifecycle.wake(work, again);
    await writePerson(deps, work.db, call, rollout, `retry of ${waiting} devices with bundle ${bundle.version}`);
    await deps.lifecycle.settle(work, rollout.id);
    return moved;
  });

/** API-EP-POST-rollouts-rollout_id-leave-out */
async function leaveOut(deps: RolloutDeps, call: Call<Contract['leaveOut']>) {
  const days = call.body.unseen_days;
  let left = 0;
  const changed = await changing(deps, call, async (work, rollout) => {
    if (!goesOn(rollout)) return wrongState(rollout.state, 'one without those that wait');
    left = await deps.fleet.leaveOut(work, rollout, days === undefined ? undefined : deps.clock.now() - days * dayMs);
    const who = days === undefined ? 'that wait' : `that were not seen for ${days} days`;
    await writePerson(deps, work.db, call, rollout, `${left} devices ${who} are left out`);
    return success(undefined);
  });
  return changed.ok ? success({ left_out: left, rollout: changed.value }) : changed;
}

/** API-EP-GET-rollouts-rollout_id-executions */
async function executions({ storage: { db } }: RolloutDeps, { caller, params, query }: Call<Contract['executions']>) {
  const rollout = await allowedRollout(db, params.rollout_id, caller);
  if (!rollout.ok) return rollout;
  const { items, total } = await listExecutions(db, rollout.value.id, query);
  const { version, state: of } = rollout.value;
  const records = items.map(({ device_id, device, stage, state, kind, attempt, update_id, brought, changed_at }) => ({
    device_id,
    device,
    stage,
    state,
    kind,
    attempt,
    update_id,
    // One that runs it already was brought none by an update.
    bundle: brought ?? (state === 'done' || state === 'probation' ? version : null),
    can_still: endsOf(of, { state, kind }),
    changed_at: String(changed_at),
  }));
  return success({ items: records, total });
}

/** Bundles on their way in stages; `holdRoutes` has pins and freezes. */
export const rolloutRoutes = (deps: RolloutDeps) =>
  handlers(deps, {
    listAll,
    list,
    create,
    get,
    act,
    signal,
    templates,
    retry,
    leaveOut,
    executions,
  }) satisfies Partial<Handlers<Contract>>;
