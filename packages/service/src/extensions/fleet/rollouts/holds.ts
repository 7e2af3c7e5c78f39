import {
  type FleetSettings,
  optionalTimestamp,
  type Refusal,
  refusal,
  resultOk,
  type rolloutsContract,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { allowedProduct } from '../../../core/access/products.ts';
import { authorise, generalRoles } from '../../../core/access/rules.ts';
import { follow } from '../../../core/ota/engine.ts';
import { topics } from '../../../engine/bus/topics.ts';
import { byCaller, writeLog } from '../../../engine/db/logs.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { sharedReads, type Work } from '../../../engine/db/work.ts';
import { type Call, type Handlers, handlers } from '../../../engine/http/types.ts';
import {
  deleteFreeze,
  deletePin,
  fleetSettingsOf,
  freezeEverywhere,
  freezeOf,
  listFreezes,
  pinOf,
  putFleetSettings,
  putFreeze,
  putPin,
  thawEverywhere,
} from './hold-queries.ts';
import { lockRollout, runningRollouts } from './queries.ts';
import type { RolloutDeps } from './routes.ts';
import { refuseFleetSettings } from './settings.ts';

type Contract = typeof rolloutsContract;

const gone = (what: string) => failure(refusal('NOT_FOUND', { what }));

/** API-EP-PUT-products-product_id-freeze */
const freeze = async ({ storage, clock }: RolloutDeps, call: Call<Contract['freeze']>) =>
  storage.transaction(async (trx) => {
    const product = await allowedProduct(trx, call.params.product_id, call.caller, 'product.fleet');
    if (!product.ok) return product;
    const { id: productId, product: code } = product.value;
    const { reason, until = null } = call.body;
    const atMs = clock.now();
    await putFreeze(trx, { product_id: productId, reason, until, everywhere: 0, created_at: atMs });
    const message = `Product ${code} is frozen: ${reason}`;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'rollout.freeze', level: 'warning', message, productId });
    return success({ reason, until: optionalTimestamp(until), created_at: String(atMs) });
  });

/** API-EP-GET-products-product_id-freeze */
async function frozen({ storage: { db } }: RolloutDeps, { caller, params }: Call<Contract['frozen']>) {
  const product = await allowedProduct(db, params.product_id, caller, 'product.fleet');
  if (!product.ok) return product;
  const found = await freezeOf(db, product.value.id);
  if (!found) return gone('Freeze');
  const { reason, until, created_at } = found;
  return success({ reason, until: optionalTimestamp(until), created_at: String(created_at) });
}

/** API-EP-GET-freezes */
async function freezes(
  { storage: { db }, clock }: RolloutDeps,
  { caller, query: { product_id: productId, everywhere, ...query } }: Call<Contract['freezes']>,
) {
  const viewer = caller.role === 'admin' ? 'everyone' : caller;
  const { items, total } = await listFreezes(db, { viewer, productId, everywhere, nowMs: clock.now() }, query);
  const records = items.map(({ product_id, product, reason, until, everywhere: isStop, created_at }) => ({
    product_id,
    product,
    everywhere: isStop === 1,
    reason,
    until: optionalTimestamp(until),
    created_at: String(created_at),
  }));
  return success({ items: records, total });
}

/** API-EP-DELETE-products-product_id-freeze */
const thaw = async ({ storage, clock }: RolloutDeps, call: Call<Contract['thaw']>) =>
  storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const product = await allowedProduct(trx, call.params.product_id, call.caller, 'product.fleet');
    if (!product.ok) return product;
    const { id: productId, product: code } = product.value;
    if (!(await freezeOf(trx, productId))) return gone('Freeze');
    await deleteFreeze(trx, productId);
    const message = `Product ${code} is not frozen any more`;
    await writeLog(trx, { ...byCaller(call, clock.now()), type: 'rollout.freeze', message, productId });
    return success(resultOk);
  });

/** Pauses what runs in a product, or in all. Returns how many rollouts these were. */
async function pauseRunning(
  { lifecycle }: Pick<RolloutDeps, 'lifecycle'>,
  work: Work,
  productId: string | undefined,
  reason: string,
): Promise<number> {
  let paused = 0;
  for (const { id } of await runningRollouts(work.db, productId)) {
    const rollout = await lockRollout(work, id);
    const moved = rollout && (await lifecycle.trigger(work, rollout, 'pause', `Emergency stop: ${reason}`));
    if (moved?.ok) paused++;
  }
  return paused;
}

/** API-EP-POST-stop */
async function stopAll(deps: RolloutDeps, call: Call<Contract['stopAll']>) {
  const refused = authorise('fleet.stop', generalRoles(call.caller), 'Service');
  if (refused) return failure(refused);
  const { reason } = call.body;
  return deps.storage.transaction(async (trx, work) => {
    const atMs = deps.clock.now();
    const frozen = await freezeEverywhere(trx, `Emergency stop: ${reason}`, atMs);
    const message = `Emergency stop of everything: ${reason}`;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'rollout.freeze', level: 'warning', message });
    const paused = await pauseRunning(deps, work, undefined, reason);
    return success({ paused, frozen });
  });
}

/** API-EP-DELETE-stop */
async function liftStop({ storage, clock }: RolloutDeps, call: Call<Contract['liftStop']>) {
  const refused = authorise('fleet.stop', generalRoles(call.caller), 'Service');
  if (refused) return failure(refused);
  return storage.transaction(async (trx) => {
    const thawed = await thawEverywhere(trx);
    const message = 'The emergency stop of everything is lifted';
    await writeLog(trx, { ...byCaller(call, clock.now()), type: 'rollout.freeze', message });
    return success({ thawed });
  });
}

/** What holds for a fleet, as its record has it. */
async function settingsRecord(db: Db, productId: string): Promise<FleetSettings> {
  const { settings, ...row } = await fleetSettingsOf(db, productId);
  return { ...row, settings: settings === null ? null : JSON.parse(settings) };
}

/** API-EP-GET-products-product_id-fleet */
async function fleetSettings({ storage: { db } }: RolloutDeps, { caller, params }: Call<Contract['fleetSettings']>) {
  const product = await allowedProduct(db, params.product_id, caller, 'product.fleet');
  return product.ok ? success(await settingsRecord(db, product.value.id)) : product;
}

/** API-EP-PUT-products-product_id-fleet */
const setFleetSettings = async ({ storage, clock, outbound }: RolloutDeps, call: Call<Contract['setFleetSettings']>) =>
  storage.transaction(async (trx): Promise<Result<FleetSettings, Refusal>> => {
    const product = await allowedProduct(trx, call.params.product_id, call.caller, 'product.fleet');
    if (!product.ok) return product;
    const { id: productId, product: code } = product.value;
    const all = { ...(await settingsRecord(trx, productId)), ...call.body };
    // One by one: a request may have more in it.
    const { zone, wake_per_minute, poll_interval_s, template } = all;
    const next = { zone, wake_per_minute, poll_interval_s, template, settings: all.settings };
    const refused = refuseFleetSettings(next, outbound);
    if (refused) return failure(refused);
    const atMs = clock.now();
    const settings = next.settings === null ? null : JSON.stringify(next.settings);
    await putFleetSettings(trx, { ...next, settings, product_id: productId, updated_at: atMs });
    const message = `Settings of the fleet of product ${code} changed`;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'product.update', message, productId });
    return success(next);
  });

/** API-EP-POST-products-product_id-stop */
const stop = async ({ storage, clock, lifecycle }: RolloutDeps, call: Call<Contract['stop']>) =>
  storage.transaction(async (trx, work): Promise<Result<{ paused: number }, Refusal>> => {
    const product = await allowedProduct(trx, call.params.product_id, call.caller, 'product.fleet');
    if (!product.ok) return product;
    const { id: productId, product: code } = product.value;
    const { reason } = call.body;
    const atMs = clock.now();
    await putFreeze(trx, { product_id: productId, reason, until: null, everywhere: 0, created_at: atMs });
    const message = `Emergency stop of product ${code}: ${reason}`;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'rollout.freeze', level: 'warning', message, productId });
    const paused = await pauseRunning({ lifecycle }, work, productId, reason);
    return success({ paused });
  });

/** API-EP-PUT-devices-device_id-pin */
async function pin(deps: RolloutDeps, call: Call<Contract['pin']>) {
  const { storage, clock } = deps;
  const done = await storage.transaction(async (trx, work) => {
    const device = await deps.deviceFor(trx, call.caller, 'device.pin', call.params.device_id);
    if (!device.ok) return device;
    const { id: deviceId, product_id: productId } = device.value;
    const { bundle_id, reason, until = null } = call.body;
    const bundle = await deps.publishedBundle(trx, productId, bundle_id);
    if (!bundle) return failure(refusal('NOT_FOUND', { what: 'Published bundle' }));
    const atMs = clock.now();
    await putPin(trx, { device_id: deviceId, bundle_id, reason, until, created_at: atMs });
    work.touch('devices', [deviceId]);
    const message = `Device is held at version ${bundle.version}: ${reason}`;
    await writeLog(trx, {
      ...byCaller(call, atMs),
      type: 'device.pin',
      message,
      deviceId,
      productId,
      bundleId: bundle_id,
    });
    return success({
      deviceId,
      record: { bundle_id, bundle: bundle.version, reason, until: optionalTimestamp(until) },
    });
  });
  if (!done.ok) return done;
  storage.bus.publish(topics.otaDue, { deviceId: done.value.deviceId });
  return success(done.value.record);
}

/** API-EP-GET-devices-device_id-pin */
async function pinned(deps: RolloutDeps, { caller, params }: Call<Contract['pinned']>) {
  const { db } = deps.storage;
  const device = await deps.deviceFor(db, caller, 'device.read', params.device_id);
  if (!device.ok) return device;
  const found = await pinRecord(deps, device.value);
  return found ? success(found) : gone('Pin');
}

/** The pin of a device at a published bundle; nothing without one. */
async function pinRecord(
  { storage: { db }, publishedBundle }: RolloutDeps,
  { id, product_id }: { readonly id: string; readonly product_id: string },
) {
  const found = await pinOf(db, id);
  const bundle = found && (await publishedBundle(db, product_id, found.bundle_id));
  if (!found || !bundle) return undefined;
  const { bundle_id, reason, until } = found;
  return { bundle_id, bundle: bundle.version, reason, until: optionalTimestamp(until) };
}

/** API-EP-DELETE-devices-device_id-pin */
const unpin = async (deps: RolloutDeps, call: Call<Contract['unpin']>) =>
  deps.storage.transaction(async (trx, work): Promise<Result<typeof resultOk, Refusal>> => {
    const device = await deps.deviceFor(trx, call.caller, 'device.pin', call.params.device_id);
    if (!device.ok) return device;
    const { id: deviceId, product_id: productId } = device.value;
    if (!(await pinOf(trx, deviceId))) return gone('Pin');
    await deletePin(trx, deviceId);
    work.touch('devices', [deviceId]);
    const message = 'Device is not held at a version any more';
    await writeLog(trx, { ...byCaller(call, deps.clock.now()), type: 'device.pin', message, deviceId, productId });
    return success(resultOk);
  });

/** API-EP-GET-devices-device_id-selection */
async function selection(deps: RolloutDeps, { caller, params }: Call<Contract['selection']>) {
  const { db } = deps.storage;
  const device = await deps.deviceFor(db, caller, 'device.read', params.device_id);
  if (!device.ok) return device;
  const reads = sharedReads(db);
  const { by, reason, bundle, assignment, waits } = await follow(reads, device.value, () =>
    deps.fleet.assign(reads, device.value),
  );
  const of = { bundle_id: bundle?.id ?? null, bundle: bundle?.version ?? null };
  const waiting = waits && {
    rollout_id: waits.rolloutId,
    reason: waits.reason,
    until: optionalTimestamp(waits.untilMs ?? null),
  };
  const held = (await pinRecord(deps, device.value)) ?? null;
  return success({ by, reason, ...of, rollout_id: assignment?.id ?? null, pin: held, waits: waiting ?? null });
}

/** What holds devices where they are. */
export const holdRoutes = (deps: RolloutDeps) =>
  handlers(deps, {
    stop,
    stopAll,
    liftStop,
    fleetSettings,
    setFleetSettings,
    freeze,
    freezes,
    frozen,
    thaw,
    pin,
    pinned,
    unpin,
    selection,
  }) satisfies Partial<Handlers<Contract>>;
