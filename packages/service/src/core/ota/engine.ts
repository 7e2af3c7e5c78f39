import { randomInt } from 'node:crypto';
import { type OtaReport, type Refusal, refusal, type SelectionRecord } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { LiveEvent } from '../../engine/bus/topics.ts';
import type { Db } from '../../engine/db/storage.ts';
import { afterCommit } from '../../engine/db/transaction.ts';
import type { Deps } from '../../engine/http/types.ts';
import { sameLocation } from '../devices/rules.ts';
import { type ActionReport, applyActionReport } from './actions.ts';
import type { PollLoad } from './poll-load.ts';
import { compileOtaReads, findProduct, namedBundle, staleUpdates, toUpdateRecord, type UpdateRow } from './queries.ts';
import { QuietChoices } from './quiet.ts';
import { applyBridgedReport, applyReport } from './reports.ts';
import {
  type BundleRequest,
  type Candidate,
  chosenOf,
  decideOta,
  followedBundle,
  isExplicit,
  mismatchReason,
  nextPollS,
  type OtaDecision,
  type Selection,
  type Standing,
  selectBundle,
  selectNamed,
  type UpdateCause,
  updateTimeouts,
} from './rules.ts';
import { advance, begin, endOpen, move } from './steps.ts';
import { type InStep, openSteps, type Run } from './turns.ts';
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
  /** Seconds until the device asks again, where it follows what the service says. */
  readonly nextPollS: number | undefined;
  readonly install: NonNullable<Standing['rollout']>['install'];
}

/** Decisions about updates, and their records. All changes of one query or report are one transaction. */
export interface OtaEngine {
  request(device: OtaDeviceRow, request: UpdateRequest, by: Requester): Promise<Result<OtaResponse, Refusal>>;
  report(device: OtaDeviceRow, report: OtaReport, by: Requester): Promise<Result<undefined, Refusal>>;
  /** A client says how one update goes. Refusals: NOT_FOUND for one of another device, UPDATE_OVER. */
  reportAction(device: OtaDeviceRow, report: ActionReport, by: Requester): Promise<Result<UpdateRow, Refusal>>;
  /** A person reports what a BLE device runs: that is done at once. */
  reportBridged(device: OtaDeviceRow, bundleId: string, by: Requester): Promise<Result<undefined, Refusal>>;
  /** Ends the open update of a device that goes elsewhere. Runs in the caller's transaction. */
  supersede(trx: Db, device: Pick<OtaDeviceRow, 'update_id'>): Promise<void>;
  current(db: Db, device: Pick<OtaDeviceRow, 'update_id'>): Promise<UpdateRow | undefined>;
  /** The version that an update would bring a device that follows `tag` on a product. */
  onOffer(db: Db, device: Pick<OtaDeviceRow, 'product_id' | 'tag'>): Promise<string | null>;
  /** Which bundle a device gets that names none, and why. */
  selection(db: Db, device: OtaDeviceRow): Promise<SelectionRecord>;
  /** A file of an update is about to be sent. */
  fetching(device: Pick<OtaDeviceRow, 'id' | 'product_id'>, updateId: number): Promise<void>;
  /** Notifies those who watch a device of how much of an update it has been sent, in percent. */
  progress(deviceId: string, updateId: number | null, percent: number | null): void;
  /** Ends updates whose device has been silent for too long; for the background. */
  expire(): Promise<void>;
}

/** Notifies those who watch a device. */
export interface OtaWatchers {
  notify(deviceId: string, event: LiveEvent): void;
}

/** Notifies watchers of how far a download is; without numbers, that something else of it has changed. */
const progressTo =
  (watchers: OtaWatchers): OtaEngine['progress'] =>
  (deviceId, update, percent) =>
    watchers.notify(deviceId, { type: 'progress', data: { update, percent } });

/** Why a device has the bundle that it follows. */
function selectionRecord({ by, reason, bundle, standing }: Awaited<ReturnType<typeof follow>>) {
  const rollout_id = by === 'rollout' ? (standing.rollout?.id ?? null) : null;
  return { by, reason, bundle_id: bundle?.id ?? null, bundle: bundle?.version ?? null, rollout_id };
}

/** Makes the engine that answers update queries and takes their results; `ledger` is what it may do to devices. */
export function openOtaEngine(
  { load, ...deps }: Pick<Deps, 'storage' | 'clock' | 'settings' | 'log'> & { readonly load: PollLoad },
  ledger: DeviceLedger,
  watchers: OtaWatchers,
  fleet: UpdateFleet,
): OtaEngine {
  const { storage, clock, log } = deps;
  const reads = compileOtaReads(storage);
  const notifyProgress = progressTo(watchers);
  const work: QueryWork = {
    quiet: new QuietChoices(storage.changes),
    reads,
    ledger,
    fleet,
    nowMs: () => clock.now(),
    changed: (trx, update) =>
      afterCommit(trx, () => watchers.notify(update.device_id, { type: 'update', data: toUpdateRecord(update) })),
    looked: (trx, deviceId) => afterCommit(trx, () => notifyProgress(deviceId, null, null)),
  };
  const { grouped: inStep, single: byItself } = openSteps({ storage, ledger, fleet });
  /** What devices ask for themselves is done together; the audit wants what people do by itself. */
  const stepBy = ({ cause }: Requester) => (cause === 'device' ? inStep : byItself);
  /** Moves an update on that may have ended meanwhile, or lost its device: then it stays as it is. */
  const moveOn = async (device: Pick<OtaDeviceRow, 'id' | 'product_id'>, run: Run<unknown>) => {
    const moved = await inStep(device, run);
    if (!moved.ok) log.info({ deviceId: device.id, code: moved.error.code }, 'An update has ended meanwhile');
  };

  return {
    async request(device, request, by) {
      load.note(clock.now());
      const choice = await respond(work, stepBy(by), storage.db, device, request, by);
      if (!choice.ok) return choice;
      // Most queries write no row: activity counts them without one. Spec: API-RULE-metrics-1.
      storage.hot.countPoll(device.product_id, device.user_id, clock.now());
      return success(responseOf(choice.value, clock.now(), load.stretch(clock.now())));
    },
    report: (device, report, by) => stepBy(by)(device, (trx, locked) => applyReport(work, trx, locked, report, by)),
    reportAction: (device, report, by) =>
      stepBy(by)(device, (trx, locked) => applyActionReport(work, trx, locked, report, by)),
    reportBridged: (device, bundleId, by) =>
      byItself(device, (trx, locked) => applyBridgedReport(work, trx, locked, bundleId, by)),
    fetching: (device, updateId) =>
      moveOn(device, async (trx) => {
        const row = await reads.updateById(trx, updateId);
        return row ? move(work, trx, row, { trigger: 'fetch' }) : success(undefined);
      }),
    progress: notifyProgress,
    /** Spec: API-RULE-ota-11. */
    async expire() {
      for (const { state, ms, reason } of updateTimeouts(deps.settings.updateTimeoutHours)) {
        for await (const { id, device_id, product_id } of allStale(storage.db, state, clock.now() - ms)) {
          await moveOn({ id: device_id, product_id }, async (trx, device) => {
            const row = await reads.updateById(trx, id);
            // It may have moved meanwhile.
            if (row?.state !== state) return success(undefined);
            return advance(work, trx, device, row, { trigger: 'expire', reason }, serviceActor);
          });
        }
      }
    },
    supersede: async (trx, device) => endOpen(work, trx, await currentUpdate(work, trx, device)),
    current: (db, device) => currentUpdate(work, db, device),
    selection: async (db, device) => selectionRecord(await follow(work, db, device)),
    async onOffer(db, device) {
      return followedBundle(device, await reads.taggedBundles(db, device.product_id))?.version ?? null;
    },
  };
}

/** What ends an update by itself. */
const serviceActor: Actor = { cause: 'service', userId: null, client: null, ip: null };

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
  /** The rollout that has brought the chosen bundle already, which the device contradicts. */
  readonly contradicts?: string;
  readonly standing?: Standing;
}

type QueryWork = OtaWork & { readonly quiet: QuietChoices<Choice> };

/** What a device follows that names no bundle. */
async function follow(
  { reads, fleet }: OtaWork,
  db: Db,
  device: OtaDeviceRow,
): Promise<Selection & { standing: Standing }> {
  const { product_id: productId } = device;
  const asked = fleet.standing(db, device);
  // A transaction has one connection; outside of one neither waits for the other.
  if (db.isTransaction) await asked;
  const [standing, tagged] = await Promise.all([asked, reads.taggedBundles(db, productId)]);
  const named: Candidate[] = [];
  for (const id of [standing.pin?.bundleId, standing.rollout?.bundleId]) {
    if (id !== undefined) named.push(...(await reads.bundleById(db, productId, id)));
  }
  return { ...selectBundle(device, [...named, ...tagged], standing), standing };
}

/** A frozen device: an open update goes on, nothing else begins. Refusal: NOT_FOUND when there is no bundle at all. */
async function chooseFrozen(
  { reads }: OtaWork,
  db: Db,
  device: OtaDeviceRow,
  request: BundleRequest,
  { current, cause, standing }: Pick<Choice, 'current' | 'standing'> & { readonly cause: UpdateCause },
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
    ...(standing && { standing }),
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
  if (isExplicit(request)) {
    const chosen = await select(db, device, request, cause);
    if (!chosen.ok) return chosen;
    const decision = decideOta(chosen.value, request, current, cause);
    return success({ chosen: chosen.value, current, decision, rolloutId: undefined });
  }
  const { standing, ...selection } = await follow(work, db, device);
  const { by } = selection;
  const stays = by === 'freeze' || (by === 'rollout' && standing.rollout?.waits);
  if (stays) return chooseFrozen(work, db, device, request, { current, cause, standing });
  const chosen = chosenOf(selection);
  if (!chosen.ok) return chosen;
  const rollout = by === 'rollout' ? standing.rollout : undefined;
  // Who asks a device to look again wants what has failed tried again, and so does a rollout whose turn it is.
  const isAgain = rollout?.isNew || (device.update_asked_at ?? 0) > (current?.finished_at ?? 0);
  const once = request.once && !isAgain;
  const decision = decideOta(chosen.value, { ...request, once }, current, cause);
  const runsOther = Boolean(request.bversion) && request.bversion !== chosen.value.bversion;
  return success({
    chosen: chosen.value,
    current,
    decision,
    rolloutId: rollout?.isNew ? rollout.id : undefined,
    ...(rollout?.mayContradict && runsOther && decision.kind === 'offer' && { contradicts: rollout.id }),
    standing,
  });
}

/** What a query reports that the device's record does not have yet; an address of another device is passed over. */
async function newlyReported(
  { ledger, nowMs }: OtaWork,
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
    // API-RULE-ask-1
    ...(device.update_asked_at !== null && device.update_looked_at === null && { update_looked_at: nowMs() }),
  };
}

/**
 * Answers a query. Most bring nothing new: they are answered as before, or from three reads, and write nothing, so what they
 * cost is the record of when the device was last seen.
 */
async function respond(
  work: QueryWork,
  inStep: InStep,
  db: Db,
  device: OtaDeviceRow,
  request: UpdateRequest,
  by: Requester,
): Promise<Result<Choice, Refusal>> {
  const known = work.quiet.find(device, request);
  if (known) return success(known);
  const keep = work.quiet.beginRead();
  const seen = await choose(work, db, device, request, by);
  if (!seen.ok) return seen;
  const { decision, rolloutId } = seen.value;
  const isSettled = decision.kind === 'resume' || (decision.kind === 'none' && decision.record === 'nothing');
  const isQuiet = isSettled && rolloutId === undefined;
  const isKnown = async () => Object.keys(await newlyReported(work, db, device, request)).length === 0;
  if (isQuiet && (await isKnown())) {
    keep(device, request, seen.value);
    return seen;
  }
  return inStep(device, async (trx, locked) => {
    // Another query of this device may have been faster: what holds now decides.
    let choice = await choose(work, trx, locked, request, by);
    if (choice.ok && choice.value.contradicts !== undefined) {
      // It has failed after all: what it gets now is to be asked anew.
      await work.fleet.contradicted(trx, locked, choice.value.contradicts, 'contradicted');
      choice = await choose(work, trx, locked, request, by);
    }
    if (!choice.ok) return choice;
    const done = await carryOut(work, trx, locked, choice.value, request, by);
    return done.ok ? choice : done;
  });
}

/** One in so many parts: as fine as a spread needs to be. */
const chanceParts = 1_000;
function responseOf({ chosen, decision, standing }: Choice, nowMs: number, stretch: number): OtaResponse {
  return {
    kind: decision.kind === 'none' ? 'none' : 'update',
    bundle: chosen,
    nextPollS: standing && nextPollS(standing.poll, nowMs, stretch, randomInt(chanceParts) / chanceParts),
    install: standing?.rollout?.bundleId === chosen.id ? standing.rollout.install : undefined,
  };
}

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
  await work.fleet.recordOffer(trx, device, rolloutId, updateId, decision.kind === 'none');
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
  if (reported.update_looked_at !== undefined) work.looked(trx, device.id);
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
