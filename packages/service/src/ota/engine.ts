import { type OtaReport, type Refusal, refusal, type SelectionRecord } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { LiveEvent } from '../bus/topics.ts';
import type { Deps } from '../core/types.ts';
import type { Db } from '../db/storage.ts';
import { afterCommit } from '../db/transaction.ts';
import { sameLocation } from '../devices/rules.ts';
import { compileOtaReads, findProduct, namedBundle, staleUpdates, toUpdateRecord, type UpdateRow } from './queries.ts';
import { applyBridgedReport, applyReport } from './reports.ts';
import {
  type BundleRequest,
  type Candidate,
  chosenOf,
  decideOta,
  followedBundle,
  isExplicit,
  mismatchReason,
  type OtaDecision,
  type Selection,
  type Standing,
  selectBundle,
  selectNamed,
  type UpdateCause,
  updateTimeouts,
} from './rules.ts';
import { advance, begin, endOpen, move } from './steps.ts';
import {
  type Actor,
  currentUpdate,
  type DeviceLedger,
  type OtaDeviceRow,
  type OtaWork,
  type ReportedColumns,
  type Requester,
  type UpdateFleet,
  type UpdateRequest,
} from './work.ts';

/** The response to a query: the bundle, and whether it has to be installed. */
export interface OtaResponse {
  readonly kind: 'none' | 'update';
  readonly bundle: Candidate;
}

/** Decisions about updates, and their records. All changes of one query or report are one transaction. */
export interface OtaEngine {
  request(device: OtaDeviceRow, request: UpdateRequest, by: Requester): Promise<Result<OtaResponse, Refusal>>;
  report(device: OtaDeviceRow, report: OtaReport, by: Requester): Promise<Result<undefined, Refusal>>;
  /** A person reports what a BLE device runs: that is done at once. */
  reportBridged(device: OtaDeviceRow, bundleId: string, by: Requester): Promise<Result<undefined, Refusal>>;
  /** Ends the open update of a device that goes elsewhere. Runs in the caller's transaction. */
  supersede(trx: Db, device: Pick<OtaDeviceRow, 'update_id'>): Promise<void>;
  current(db: Db, device: OtaDeviceRow): Promise<UpdateRow | undefined>;
  /** The version that an update would bring a device that follows `tag` on a product. */
  onOffer(db: Db, device: Pick<OtaDeviceRow, 'product_id' | 'tag'>): Promise<string | null>;
  /** Which bundle a device gets that names none, and why. */
  selection(db: Db, device: OtaDeviceRow): Promise<SelectionRecord>;
  /** A file of an update is about to be sent. */
  fetching(deviceId: string, updateId: number): Promise<void>;
  /** Ends updates whose device has been silent for too long; for the background. */
  expire(): Promise<void>;
}

/** Notifies those who watch a device. */
export interface OtaWatchers {
  notify(deviceId: string, event: LiveEvent): void;
}

type Run<T> = (trx: Db, device: OtaDeviceRow) => Promise<Result<T, Refusal>>;

/** One step of an update: a transaction in which its device is locked. Refusal: NOT_FOUND. */
type InStep = <T>(deviceId: string, run: Run<T>) => Promise<Result<T, Refusal>>;

/** Makes the engine that answers update queries and takes their results; `ledger` is what it may do to devices. */
export function openOtaEngine(
  deps: Pick<Deps, 'storage' | 'clock' | 'settings' | 'log'>,
  ledger: DeviceLedger,
  watchers: OtaWatchers,
  fleet: UpdateFleet,
): OtaEngine {
  const { storage, clock, log } = deps;
  const reads = compileOtaReads(storage);
  const work: OtaWork = {
    reads,
    ledger,
    fleet,
    nowMs: () => clock.now(),
    changed: (trx, update) =>
      afterCommit(trx, () => watchers.notify(update.device_id, { type: 'update', data: toUpdateRecord(update) })),
  };
  const inStep: InStep = (deviceId, run) =>
    storage.transaction(async (trx) => {
      const locked = await ledger.lock(trx, deviceId);
      return locked ? run(trx, locked) : failure(refusal('NOT_FOUND', { what: 'Device' }));
    });
  /** Moves an update on that may have ended meanwhile, or lost its device: then it stays as it is. */
  const moveOn = async (deviceId: string, run: Run<unknown>) => {
    const moved = await inStep(deviceId, run);
    if (!moved.ok) log.info({ deviceId, code: moved.error.code }, 'An update has ended meanwhile');
  };

  return {
    async request(device, request, by) {
      const response = await respond(work, inStep, storage.db, device, request, by);
      // Most queries write no row: activity counts them without one. Spec: API-RULE-metrics-1.
      if (response.ok) storage.hot.countPoll(device.product_id, device.user_id, clock.now());
      return response;
    },
    report: (device, report, by) => inStep(device.id, (trx, locked) => applyReport(work, trx, locked, report, by)),
    reportBridged: (device, bundleId, by) =>
      inStep(device.id, (trx, locked) => applyBridgedReport(work, trx, locked, bundleId, by)),
    fetching: (deviceId, updateId) =>
      moveOn(deviceId, async (trx) => {
        const row = await reads.updateById(trx, updateId);
        return row ? move(work, trx, row, { trigger: 'fetch' }) : success(undefined);
      }),
    /** Spec: API-RULE-ota-11. */
    async expire() {
      for (const { state, ms, reason } of updateTimeouts(deps.settings.updateTimeoutHours)) {
        for await (const { id, device_id } of allStale(storage.db, state, clock.now() - ms)) {
          await moveOn(device_id, async (trx, device) => {
            const row = await reads.updateById(trx, id);
            // It may have moved meanwhile.
            if (row?.state !== state) return success(undefined);
            return advance(work, trx, device, row, { trigger: 'expire', reason }, theService);
          });
        }
      }
    },
    supersede: async (trx, device) => endOpen(work, trx, await currentUpdate(work, trx, device)),
    current: (db, device) => currentUpdate(work, db, device),
    async selection(db, device) {
      const { by, reason, bundle, standing } = await follow(work, db, device);
      const rollout_id = by === 'rollout' ? (standing.rollout?.id ?? null) : null;
      return { by, reason, bundle_id: bundle?.id ?? null, bundle: bundle?.version ?? null, rollout_id };
    },
    async onOffer(db, device) {
      return followedBundle(device, await reads.taggedBundles(db, device.product_id))?.version ?? null;
    },
  };
}

/** What ends an update by itself. */
const theService: Actor = { cause: 'service', userId: null, client: null, ip: null };

/** Updates looked at in one query of those that wait too long. */
const staleLimit = 500;

/** Updates that have been in a state since before a time, page by page. */
async function* allStale(db: Db, state: 'downloading' | 'installed', beforeMs: number) {
  for (let after = 0; ; ) {
    const page = await staleUpdates(db, state, beforeMs, after, staleLimit);
    yield* page;
    after = page.at(-1)?.id ?? 0;
    if (page.length < staleLimit) return;
  }
}

interface Choice {
  readonly chosen: Candidate;
  readonly current: UpdateRow | undefined;
  readonly decision: OtaDecision;
  /** The rollout whose turn it is to bring the chosen bundle. */
  readonly rolloutId: string | undefined;
}

/** What a device follows that names no bundle. */
async function follow(
  { reads, fleet }: OtaWork,
  db: Db,
  device: OtaDeviceRow,
): Promise<Selection & { standing: Standing }> {
  const { product_id: productId } = device;
  const standing = await fleet.standing(db, device);
  const tagged = await reads.taggedBundles(db, productId);
  const named: Candidate[] = [];
  for (const id of [standing.pin?.bundleId, standing.rollout?.bundleId]) {
    if (id !== undefined) named.push(...(await namedBundle(db, productId, { id })));
  }
  return { ...selectBundle(device, [...named, ...tagged], standing), standing };
}

/** A frozen device: an open update goes on, nothing else begins. Refusal: NOT_FOUND when there is no bundle at all. */
async function chooseFrozen(
  { reads }: OtaWork,
  db: Db,
  device: OtaDeviceRow,
  request: BundleRequest,
  { current, cause }: { readonly current: UpdateRow | undefined; readonly cause: UpdateCause },
): Promise<Result<Choice, Refusal>> {
  const held = current?.to_bundle_id ? await namedBundle(db, device.product_id, { id: current.to_bundle_id }) : [];
  const chosen = held[0] ?? followedBundle(device, await reads.taggedBundles(db, device.product_id));
  if (!chosen) return failure(refusal('NOT_FOUND', { what: 'Bundle for this device' }));
  const decision = decideOta(chosen, request, current, cause);
  const isNew = decision.kind === 'offer';
  return success({
    chosen,
    current,
    decision: isNew ? { kind: 'none', record: 'nothing' } : decision,
    rolloutId: undefined,
  });
}

async function select(
  db: Db,
  device: OtaDeviceRow,
  request: BundleRequest,
  cause: UpdateCause,
): Promise<Result<Candidate, Refusal>> {
  const { product_id: productId } = device;
  const { bundle_id: id, version = '' } = request;
  const candidates = await namedBundle(db, productId, id ? { id } : { version });
  return selectNamed(device, await findProduct(db, productId), candidates, request, cause);
}

async function choose(
  work: OtaWork,
  db: Db,
  device: OtaDeviceRow,
  request: BundleRequest,
  { cause }: Requester,
): Promise<Result<Choice, Refusal>> {
  const current = await currentUpdate(work, db, device);
  const chose = (chosen: Candidate, rolloutId?: string) =>
    success({ chosen, current, decision: decideOta(chosen, request, current, cause), rolloutId });
  if (isExplicit(request)) {
    const chosen = await select(db, device, request, cause);
    return chosen.ok ? chose(chosen.value) : chosen;
  }
  const { standing, ...selection } = await follow(work, db, device);
  const { by } = selection;
  if (by === 'freeze') return chooseFrozen(work, db, device, request, { current, cause });
  const chosen = chosenOf(selection);
  if (!chosen.ok) return chosen;
  return chose(chosen.value, by === 'rollout' && standing.rollout?.isNew ? standing.rollout.id : undefined);
}

/** What a query reports that the device's record does not have yet; an address of another device is passed over. */
async function newlyReported(
  { ledger }: OtaWork,
  db: Db,
  device: OtaDeviceRow,
  { bversion, mac, location }: UpdateRequest,
): Promise<ReportedColumns> {
  const isNewAddress = mac && device.mac === null && !(await ledger.addressTaken(db, mac));
  return {
    ...(bversion && bversion !== device.bversion && { bversion }),
    ...(isNewAddress && { mac }),
    // API-RULE-location-1
    ...(location && !sameLocation(location, device) && location),
  };
}

/**
 * Answers a query. Most bring nothing new: they are answered from three reads and write nothing, so what they cost is
 * the record of when the device was last seen.
 */
async function respond(
  work: OtaWork,
  inStep: InStep,
  db: Db,
  device: OtaDeviceRow,
  request: UpdateRequest,
  by: Requester,
): Promise<Result<OtaResponse, Refusal>> {
  const seen = await choose(work, db, device, request, by);
  if (!seen.ok) return seen;
  const { decision, rolloutId } = seen.value;
  const isSettled = decision.kind === 'resume' || (decision.kind === 'none' && decision.record === 'nothing');
  const isQuiet = isSettled && rolloutId === undefined;
  const isKnown = async () => Object.keys(await newlyReported(work, db, device, request)).length === 0;
  if (isQuiet && (await isKnown())) return success(responseOf(seen.value));
  return inStep(device.id, async (trx, locked) => {
    // Another query of this device may have been faster: what holds now decides.
    const choice = await choose(work, trx, locked, request, by);
    if (!choice.ok) return choice;
    const done = await carryOut(work, trx, locked, choice.value, request, by);
    return done.ok ? success(responseOf(choice.value)) : done;
  });
}

const responseOf = ({ chosen, decision }: Choice): OtaResponse => ({
  kind: decision.kind === 'none' ? 'none' : 'update',
  bundle: chosen,
});

/** Writes what a query leads to, and counts it for the rollout whose turn it was. */
async function carryOut(
  work: OtaWork,
  trx: Db,
  device: OtaDeviceRow,
  choice: Choice,
  request: UpdateRequest,
  by: Requester,
): Promise<Result<unknown, Refusal>> {
  const done = await write(work, trx, device, choice, request, by);
  const { rolloutId, decision, current } = choice;
  if (!done.ok || rolloutId === undefined) return done;
  const updateId = done.value?.id ?? current?.id ?? null;
  await work.fleet.took(trx, device, rolloutId, updateId, decision.kind === 'none');
  return done;
}

/** The update that begins, if one does. */
async function write(
  work: OtaWork,
  trx: Db,
  device: OtaDeviceRow,
  { chosen, current, decision }: Choice,
  request: UpdateRequest,
  by: Requester,
): Promise<Result<UpdateRow | undefined, Refusal>> {
  const reported = await newlyReported(work, trx, device, request);
  if (Object.keys(reported).length > 0) await work.ledger.change(trx, device.id, reported);
  if (decision.kind === 'resume') return success(undefined);
  const beginning = {
    to: { bundleId: chosen.id, version: chosen.version, bversion: chosen.bversion },
    current,
    bid: request.bid,
    fromBversion: request.bversion || device.bversion,
  };
  if (decision.kind === 'none') {
    if (decision.record === 'confirm' && current)
      return advance(work, trx, device, current, { trigger: 'confirm' }, by);
    if (decision.record !== 'adopt') return success(undefined);
    return success(await begin(work, trx, device, { ...beginning, state: 'done' }, by));
  }
  if (decision.ends !== 'mismatch' || !current) {
    return success(await begin(work, trx, device, { ...beginning, state: 'offered' }, by));
  }
  const reason = mismatchReason(request.bversion ?? '');
  const ended = await advance(work, trx, device, current, { trigger: 'mismatch', reason }, by);
  if (!ended.ok) return ended;
  return success(await begin(work, trx, device, { ...beginning, current: ended.value, state: 'offered' }, by));
}
