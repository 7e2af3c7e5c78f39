import { randomInt } from 'node:crypto';
import { type OtaReport, type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { DeviceRow } from '../../engine/db/hot.ts';
import type { Db } from '../../engine/db/storage.ts';
import { workOf } from '../../engine/db/transaction.ts';
import { type Reads, type RowKind, sharedReads } from '../../engine/db/work.ts';
import type { Deps } from '../../engine/http/types.ts';
import { addressRows } from '../devices/device-rows.ts';
import { type LocationColumns, sameLocation } from '../devices/rules.ts';
import { type ActionReport, applyActionReport } from './actions.ts';
import { type Assigned, type HookedDevice, noUpdateHooks, type UpdateExtension, type UpdateHooks } from './hooks.ts';
import type { PollLoad } from './poll-load.ts';
import {
  bundleRows,
  currentUpdate,
  findProduct,
  namedBundle,
  staleUpdates,
  taggedBundles,
  type UpdateRow,
  updateRows,
} from './queries.ts';
import { applyBridgedReport, applyReport } from './reports.ts';
import {
  type Assignment,
  type BundleRequest,
  type Candidate,
  chosenOf,
  decideOta,
  followedBundle,
  isExplicit,
  mismatchReason,
  nextPollS,
  type OtaDecision,
  type Poll,
  selectBundle,
  selectNamed,
  type UpdateCause,
  updateTimeouts,
} from './rules.ts';
import {
  type Actor,
  advance,
  begin,
  type DeviceStep,
  endOpen,
  keepReported,
  move,
  type OtaWatchers,
  type Requester,
  type StepParts,
} from './steps.ts';
import { openSteps, type Run } from './turns.ts';

/** A query, with what else the device reports of itself. */
export type UpdateRequest = BundleRequest & {
  readonly mac?: string | undefined;
  readonly location?: LocationColumns | undefined;
};

/** The response to a query: the bundle, and whether it has to be installed. */
export interface OtaResponse {
  readonly kind: 'none' | 'update';
  readonly bundle: Candidate;
  /** Seconds until the device asks again, where it follows what the service says. */
  readonly nextPollS: number | undefined;
  readonly install: Assignment['install'];
}

/** What extensions are told of version texts. */
interface VersionHooks {
  /** Devices report other version texts, by device; inside the transaction that records them. */
  versionsReported?(trx: Db, bversions: ReadonlyMap<string, string>): Promise<unknown>;
}

/** The version texts that are reported in a work: extensions are told of them together. */
const versionTexts = (told: VersionHooks['versionsReported']): RowKind<string, string> => ({
  read: async () => new Map(),
  async write(trx, changes) {
    await told?.(trx, new Map(changes.map(({ key, after = '' }) => [key, after])));
  },
});

/** Decisions about updates, and their records. All changes of one query or report are one transaction. */
export type OtaEngine = ReturnType<typeof openOtaEngine>;

/**
 * Makes the engine that answers update queries and takes their results.
 *
 * @param extensions what they say of updates; `versionsReported` is called in the transaction that records other version texts
 */
export function openOtaEngine(
  { load, ...deps }: Pick<Deps, 'storage' | 'clock' | 'settings' | 'log'> & { readonly load: PollLoad },
  watchers: OtaWatchers,
  { updateHooks: hooks, versionsReported }: UpdateHooks & VersionHooks = noUpdateHooks,
) {
  const { storage, clock, log } = deps;
  const reads = sharedReads(storage.db);
  const readsOf = (db: Db): Reads => (db === storage.db ? reads : sharedReads(db));
  const parts: StepParts = { hooks, versionTexts: versionTexts(versionsReported), watchers, nowMs: () => clock.now() };
  const { grouped, single } = openSteps({ storage, hooks });
  /** What devices ask for themselves is done together; the audit wants what people do by itself. */
  const step = <T>(device: DeviceRow, by: Requester, run: (step: DeviceStep) => Promise<Result<T, Refusal>>) =>
    (by.cause === 'device' ? grouped : single)(device, (work, locked) => run({ ...parts, work, device: locked, by }));
  /** Moves an update on that may have ended meanwhile, or lost its device: then it stays as it is. */
  const moveOn = async (device: HookedDevice, run: Run<unknown>) => {
    const moved = await grouped(device, run);
    if (!moved.ok) log.info({ deviceId: device.id, code: moved.error.code }, 'An update has ended meanwhile');
  };

  return {
    async request(device: DeviceRow, request: UpdateRequest, by: Requester): Promise<Result<OtaResponse, Refusal>> {
      load.note(clock.now());
      const seen = await choose(hooks, reads, device, request, by);
      if (!seen.ok) return seen;
      // Most bring nothing new: they write no row of their own, and only the mark of when the device was seen.
      const reported = bringsNothing(seen.value) && (await newlyReported(reads, device, request, clock.now()));
      const isAnswered = reported && Object.keys(reported).length === 0;
      const choice = isAnswered ? seen : await step(device, by, (taken) => carryOut(taken, request));
      if (!choice.ok) return choice;
      // Activity counts them without one. Spec: API-RULE-metrics-1.
      storage.hot.countPoll(device.product_id, device.user_id, clock.now());
      return success(responseOf(choice.value, clock.now(), load.stretch(clock.now())));
    },
    report: (device: DeviceRow, report: OtaReport, by: Requester) =>
      step(device, by, (taken) => applyReport(taken, report)),
    /** A client says how one update goes. Refusals: NOT_FOUND for one of another device, UPDATE_OVER. */
    reportAction: (device: DeviceRow, report: ActionReport, by: Requester) =>
      step(device, by, (taken) => applyActionReport(taken, report)),
    /** A person reports what a BLE device runs: that is done at once. */
    reportBridged: (device: DeviceRow, bundleId: string, by: Requester) =>
      step(device, by, (taken) => applyBridgedReport(taken, bundleId)),
    /** A file of an update is about to be sent. */
    fetching: (device: HookedDevice, updateId: number) =>
      moveOn(device, async (work) => {
        const row = await work.get(updateRows, updateId);
        return row ? move({ ...parts, work }, row, { trigger: 'fetch' }) : success(undefined);
      }),
    /** Notifies those who watch a device of how much of an update it has been sent, in percent. */
    progress: (deviceId: string, update: number | null, percent: number | null) =>
      watchers.notify(deviceId, { type: 'progress', data: { update, percent } }),
    /** Ends updates whose device has been silent for too long; for the background. */
    expire: () => expireStale(deps, parts, moveOn),
    /** Ends the open update of a device that goes elsewhere. Runs in the caller's transaction. */
    async supersede(trx: Db, device: Pick<DeviceRow, 'update_id'>): Promise<void> {
      const work = workOf(trx);
      await endOpen({ ...parts, work }, await currentUpdate(work, device));
      // What else is done in that transaction finds it in the tables.
      await work.flush();
    },
    current: (db: Db, device: Pick<DeviceRow, 'update_id'>) => currentUpdate(readsOf(db), device),
    /** The version that an update would bring a device that follows `tag` on a product. */
    async onOffer(db: Db, device: Pick<DeviceRow, 'product_id' | 'tag'>): Promise<string | null> {
      return followedBundle(device, (await readsOf(db).get(taggedBundles, device.product_id)) ?? [])?.version ?? null;
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

/** Ends updates whose device has been silent for too long. Spec: API-RULE-ota-11. */
async function expireStale(
  { storage, clock, settings }: Pick<Deps, 'storage' | 'clock' | 'settings'>,
  parts: StepParts,
  moveOn: (device: HookedDevice, run: Run<unknown>) => Promise<void>,
): Promise<void> {
  for (const { state, ms, reason } of updateTimeouts(settings.updateTimeoutHours)) {
    for await (const { id, device_id, product_id } of allStale(storage.db, state, clock.now() - ms)) {
      await moveOn({ id: device_id, product_id }, async (work, device) => {
        const row = await work.get(updateRows, id);
        // It may have moved meanwhile.
        if (row?.state !== state) return success(undefined);
        return advance({ ...parts, work, device, by: serviceActor }, row, { trigger: 'expire', reason });
      });
    }
  }
}

interface Choice {
  readonly chosen: Candidate;
  readonly current: UpdateRow | undefined;
  readonly decision: OtaDecision;
  /** What brings the device the chosen bundle now, where it is its turn. */
  readonly turn?: Assignment | undefined;
  readonly install?: Assignment['install'];
  readonly poll?: Poll | undefined;
}

/** Whether a choice leads to no row. */
const bringsNothing = ({ decision, turn }: Choice): boolean =>
  turn === undefined && (decision.kind === 'resume' || (decision.kind === 'none' && decision.record === 'nothing'));

/** Which bundle a device gets that names none, why, and from what that was chosen. */
export async function follow<A extends Assignment, S extends Assigned<A>>(
  reads: Reads,
  device: DeviceRow,
  assign: () => Promise<S & Assigned<A>>,
) {
  const [assigned, tagged = []] = await reads.together(assign, () => reads.get(taggedBundles, device.product_id));
  const named = assigned.assignments.flatMap(({ bundleId }) => bundleId ?? []);
  const candidates = [...(await reads.all(bundleRows, named)), ...tagged];
  return { ...selectBundle(device, candidates, assigned.assignments), ...assigned, tagged };
}

type Followed = Awaited<ReturnType<typeof follow<Assignment, Assigned>>>;

/** Decides a query; nothing is written. Refusals: DEVICE_DISABLED, PRODUCTION_BUNDLE_CHOICE, NOT_FOUND. */
async function choose(
  hooks: UpdateExtension,
  reads: Reads,
  device: DeviceRow,
  request: BundleRequest,
  { cause }: Requester,
): Promise<Result<Choice, Refusal>> {
  if (isExplicit(request)) {
    const current = await currentUpdate(reads, device);
    const named = await select(reads.db, device, request, cause);
    if (!named.ok) return named;
    return success({ chosen: named.value, current, decision: decideOta(named.value, request, current, cause) });
  }
  const [current, followed] = await reads.together(
    () => currentUpdate(reads, device),
    () => follow(reads, device, () => hooks.assign(reads, device)),
  );
  const { assignment, bundle, assignments, poll } = followed;
  const stays = assignment !== undefined && bundle === undefined;
  const chosen = stays ? await keptBundle(reads, device, current, followed) : chosenOf(followed);
  if (!chosen.ok) return chosen;
  // Who asks a device to look again wants what has failed tried again, and so does an extension whose turn it is.
  const isAgain = assignment?.isTurn || (device.update_asked_at ?? 0) > (current?.finished_at ?? 0);
  const once = request.once && (stays || !isAgain);
  const decided = decideOta(chosen.value, { ...request, once }, current, cause);
  return success({
    chosen: chosen.value,
    current,
    decision: stays && decided.kind === 'offer' ? { kind: 'none', record: 'nothing' } : decided,
    turn: assignment?.isTurn ? assignment : undefined,
    install: assignments.find(({ bundleId, install }) => install && bundleId === chosen.value.id)?.install,
    poll,
  });
}

/** The bundle of a query that names it. */
async function select(
  db: Db,
  device: DeviceRow,
  request: BundleRequest,
  cause: UpdateCause,
): Promise<Result<Candidate, Refusal>> {
  const { product_id: productId } = device;
  const { bundle_id: id, version = '' } = request;
  const candidates = await namedBundle(db, productId, id ? { id } : { version });
  return selectNamed(device, await findProduct(db, productId), candidates, request, cause);
}

/** What a device is answered with that stays where it is: the bundle that it had last, or the one that it follows. */
async function keptBundle(
  reads: Reads,
  device: DeviceRow,
  current: UpdateRow | undefined,
  { tagged }: Followed,
): Promise<Result<Candidate, Refusal>> {
  const held = current?.to_bundle_id ? await reads.get(bundleRows, current.to_bundle_id) : undefined;
  const isOfProduct = held?.product_id === device.product_id;
  const kept = isOfProduct ? held : followedBundle(device, tagged);
  return kept ? success(kept) : failure(refusal('NOT_FOUND', { what: 'Bundle for this device' }));
}

/** What a query reports that the device's record does not have yet; an address of another device is passed over. */
async function newlyReported(
  reads: Reads,
  device: DeviceRow,
  { bversion, mac, location }: UpdateRequest,
  nowMs: number,
): Promise<Partial<DeviceRow>> {
  const isNewAddress = mac && device.mac === null && !(await reads.get(addressRows, mac));
  return {
    ...(bversion && bversion !== device.bversion && { bversion }),
    // The device reports its address itself, and that of another device proves nothing.
    ...(isNewAddress && { mac, mac_reported: 1 as const }),
    // API-RULE-location-1
    ...(location && !sameLocation(location, device) && location),
    // API-RULE-ask-1
    ...(device.update_asked_at !== null && device.update_looked_at === null && { update_looked_at: nowMs }),
  };
}

/** Writes what a query leads to, in a transaction in which its device is locked. */
async function carryOut(step: DeviceStep, request: UpdateRequest): Promise<Result<Choice, Refusal>> {
  const { hooks, work, device, by } = step;
  // Another query of this device may have been faster: what holds now decides.
  let choice = await choose(hooks, work, device, request, by);
  if (!choice.ok) return choice;
  const reported = await newlyReported(work, device, request, step.nowMs());
  if (Object.keys(reported).length > 0) await keepReported(step, reported);
  if (reported.bversion && choice.value.decision.kind === 'offer') {
    // It runs something else than it did: what follows from that says what it gets.
    await work.settle();
    choice = await choose(hooks, work, device, request, by);
    if (!choice.ok) return choice;
  }
  if (reported.update_looked_at !== undefined) {
    work.afterCommit(() =>
      step.watchers.notify(device.id, { type: 'progress', data: { update: null, percent: null } }),
    );
  }
  const { turn, decision, current } = choice.value;
  const update = await writeDecision(step, choice.value, request);
  if (!update.ok) return update;
  if (turn) {
    const updateId = update.value?.id ?? current?.id ?? null;
    await hooks.offered(work, device, turn, { updateId, isDone: decision.kind === 'none' });
  }
  return choice;
}

/** The update that begins, or that ends by this, if one does. */
async function writeDecision(
  step: DeviceStep,
  { chosen, current, decision }: Choice,
  { bid, bversion }: UpdateRequest,
): Promise<Result<UpdateRow | undefined, Refusal>> {
  const to = { bundleId: chosen.id, version: chosen.version, bversion: chosen.bversion };
  const beginning = { to, current, bid, fromBversion: bversion || step.device.bversion };
  if (decision.kind === 'resume') return success(undefined);
  if (decision.kind === 'none') {
    if (decision.record === 'confirm' && current) return advance(step, current, { trigger: 'confirm' });
    return success(decision.record === 'adopt' ? await begin(step, { ...beginning, state: 'done' }) : undefined);
  }
  if (decision.ends !== 'mismatch' || !current) return success(await begin(step, { ...beginning, state: 'offered' }));
  const ended = await advance(step, current, { trigger: 'mismatch', reason: mismatchReason(bversion ?? '') });
  if (!ended.ok) return ended;
  return success(await begin(step, { ...beginning, current: ended.value, state: 'offered' }));
}

/** One in so many parts: as fine as a spread needs to be. */
const chanceParts = 1_000;

const responseOf = ({ chosen, decision, poll, install }: Choice, nowMs: number, stretch: number): OtaResponse => ({
  kind: decision.kind === 'none' ? 'none' : 'update',
  bundle: chosen,
  nextPollS: poll && nextPollS(poll, nowMs, stretch, randomInt(chanceParts) / chanceParts),
  install,
});
