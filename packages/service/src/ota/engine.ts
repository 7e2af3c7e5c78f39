import { type OtaReport, type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { LiveEvent } from '../data/rules.ts';
import type { Db } from '../db/storage.ts';
import { sameLocation } from '../devices/rules.ts';
import type { Deps } from '../http/types.ts';
import {
  compileOtaReads,
  findProduct,
  markDownloading,
  namedBundle,
  staleUpdates,
  toUpdateRecord,
  type UpdateRow,
} from './queries.ts';
import { applyBridgedReport, applyReport } from './reports.ts';
import {
  type Candidate,
  decideOta,
  isExplicit,
  mismatchReason,
  type OtaAsk,
  type OtaDecision,
  selectBundle,
  type UpdateTimeout,
  updateTimeouts,
} from './rules.ts';
import { advance, begin, endOpen } from './steps.ts';
import {
  type Asked,
  currentUpdate,
  type DeviceLedger,
  type OtaDeviceRow,
  type OtaWork,
  type Speaker,
  type ToldColumns,
} from './work.ts';

/** The answer to a query: the bundle, and whether it has to be installed. */
export interface Answer {
  readonly kind: 'none' | 'update';
  readonly bundle: Candidate;
}

/** Decisions about updates, and their records. All changes of one query or report are one transaction. */
export interface OtaEngine {
  ask(device: OtaDeviceRow, ask: Asked, by: Speaker): Promise<Result<Answer, Refusal>>;
  report(device: OtaDeviceRow, report: OtaReport, by: Speaker): Promise<Result<undefined, Refusal>>;
  /** A person reports what a BLE device runs: that is done at once. */
  reportBridged(device: OtaDeviceRow, bundleId: string, by: Speaker): Promise<Result<undefined, Refusal>>;
  /** Ends the open update of a device that goes elsewhere. Runs in the caller's transaction. */
  supersede(trx: Db, device: Pick<OtaDeviceRow, 'update_id'>): Promise<void>;
  current(db: Db, device: OtaDeviceRow): Promise<UpdateRow | undefined>;
  /** The version that an update would bring a device that follows `tag` on a product. */
  onOffer(db: Db, device: Pick<OtaDeviceRow, 'product_id' | 'tag'>): Promise<string | null>;
  /** A file of an update is about to be sent. */
  fetching(deviceId: string, updateId: number): Promise<void>;
  /** Ends updates of which nothing was heard for too long; for the background. */
  expire(): Promise<void>;
}

/** Tells those who watch a device. */
export interface OtaWatchers {
  isWatched(deviceId: string): boolean;
  tell(deviceId: string, event: LiveEvent): void;
}

/** One step of an update: a transaction in which nobody else changes the device. */
type Step = <T>(
  deviceId: string,
  run: (work: OtaWork, trx: Db, device: OtaDeviceRow) => Promise<Result<T, Refusal>>,
) => Promise<Result<T, Refusal>>;

/** Makes the engine that answers update queries and takes their results; `ledger` is what it may do to devices. */
export function openOtaEngine(
  deps: Pick<Deps, 'storage' | 'clock' | 'settings'>,
  ledger: DeviceLedger,
  watchers: OtaWatchers,
): OtaEngine {
  const { storage, clock } = deps;
  const timeouts = updateTimeouts(deps.settings.updateTimeoutHours);
  const reads = compileOtaReads(storage);
  const workOf = (changed: Set<number>): OtaWork => ({ reads, ledger, nowMs: () => clock.now(), changed });

  async function tell(deviceId: string, changed: Iterable<number>): Promise<void> {
    if (!watchers.isWatched(deviceId)) return;
    for (const id of changed) {
      const row = await reads.updateById(storage.db, id);
      if (row) watchers.tell(deviceId, { type: 'update', data: toUpdateRecord(row) });
    }
  }

  const step: Step = async (deviceId, run) => {
    const changed = new Set<number>();
    const done = await storage.transaction(async (trx) => {
      changed.clear();
      const locked = await ledger.lock(trx, deviceId);
      return locked ? run(workOf(changed), trx, locked) : failure(refusal('NOT_FOUND', { what: 'Device' }));
    });
    await tell(deviceId, changed);
    return done;
  };

  return {
    async ask(device, ask, by) {
      const answer = await askForUpdate(workOf(new Set()), step, storage.db, device, ask, by);
      // Most queries write no row: activity counts them without one. Spec: API-RULE-metrics-1.
      if (answer.ok) storage.hot.countPoll(device.product_id, device.user_id, clock.now());
      return answer;
    },
    report: (device, report, by) => step(device.id, (work, trx, locked) => applyReport(work, trx, locked, report, by)),
    reportBridged: (device, bundleId, by) =>
      step(device.id, (work, trx, locked) => applyBridgedReport(work, trx, locked, bundleId, by)),
    async fetching(deviceId, updateId) {
      await markDownloading(storage.db, updateId, clock.now());
      await tell(deviceId, [updateId]);
    },
    expire: () => expireUpdates(storage.db, step, clock.now(), timeouts),
    async supersede(trx, device) {
      const work = workOf(new Set());
      await endOpen(work, trx, await currentUpdate(work, trx, device));
    },
    current: (db, device) => currentUpdate({ reads }, db, device),
    async onOffer(db, device) {
      const standing = { ...device, state: 'active', product: '', production: 0 } as const;
      const chosen = selectBundle(standing, await reads.taggedBundles(db, device.product_id), {}, 'device');
      return chosen.ok ? chosen.value.version : null;
    },
  };
}

/** Updates looked at in one query of those that wait too long. */
const expiringLimit = 500;

const byTime: Speaker = { from: 'device', userId: null, client: null, ip: null };

/** Ends the updates of devices that have not been heard of for too long. Spec: API-RULE-ota-11. */
async function expireUpdates(db: Db, step: Step, nowMs: number, timeouts: readonly UpdateTimeout[]): Promise<void> {
  for (const { state, ms, reason } of timeouts) {
    for (let after = 0; ; ) {
      const stale = await staleUpdates(db, state, nowMs - ms, after, expiringLimit);
      for (const { id, device_id } of stale) {
        await step(device_id, async (work, trx, device) => {
          const row = await work.reads.updateById(trx, id);
          // It may have moved meanwhile.
          if (row?.state !== state) return success(undefined);
          return advance(work, trx, device, row, { trigger: 'expire', reason }, byTime);
        });
      }
      after = stale.at(-1)?.id ?? 0;
      if (stale.length < expiringLimit) break;
    }
  }
}

interface Choice {
  readonly chosen: Candidate;
  readonly current: UpdateRow | undefined;
  readonly decision: OtaDecision;
}

async function choose(
  work: OtaWork,
  db: Db,
  device: OtaDeviceRow,
  ask: OtaAsk,
  from: Speaker['from'],
): Promise<Result<Choice, Refusal>> {
  const { product_id } = device;
  // Only an explicit choice asks what kind of product it is.
  const product = isExplicit(ask) ? await findProduct(db, product_id) : { product: '', production: 0 as const };
  const candidates = await (ask.bundle_id
    ? namedBundle(db, product_id, { id: ask.bundle_id })
    : ask.version
      ? namedBundle(db, product_id, { version: ask.version })
      : work.reads.taggedBundles(db, product_id));
  const chosen = selectBundle({ ...device, ...product }, candidates, ask, from);
  if (!chosen.ok) return chosen;
  const current = await currentUpdate(work, db, device);
  return success({ chosen: chosen.value, current, decision: decideOta(chosen.value, ask, current) });
}

/** What a query tells of the device that its record does not have yet; an address of another device is no news. */
async function news(
  { ledger }: OtaWork,
  db: Db,
  device: OtaDeviceRow,
  { bversion, mac, location }: Asked,
): Promise<ToldColumns> {
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
async function askForUpdate(
  work: OtaWork,
  step: Step,
  db: Db,
  device: OtaDeviceRow,
  ask: Asked,
  by: Speaker,
): Promise<Result<Answer, Refusal>> {
  const seen = await choose(work, db, device, ask, by.from);
  if (!seen.ok) return seen;
  const { decision } = seen.value;
  const isQuiet = decision.kind === 'resume' || (decision.kind === 'none' && decision.record === 'nothing');
  if (isQuiet && Object.keys(await news(work, db, device, ask)).length === 0) return success(answerOf(seen.value));
  return step(device.id, async (work, trx, locked) => {
    // Another query of this device may have been faster: what holds now decides.
    const choice = await choose(work, trx, locked, ask, by.from);
    if (!choice.ok) return choice;
    await carryOut(work, trx, locked, choice.value, ask, by);
    return success(answerOf(choice.value));
  });
}

const answerOf = ({ chosen, decision }: Choice): Answer => ({
  kind: decision.kind === 'none' ? 'none' : 'update',
  bundle: chosen,
});

async function carryOut(
  work: OtaWork,
  trx: Db,
  device: OtaDeviceRow,
  { chosen, current, decision }: Choice,
  ask: Asked,
  by: Speaker,
): Promise<void> {
  const told = await news(work, trx, device, ask);
  if (Object.keys(told).length > 0) await work.ledger.change(trx, device.id, told);
  if (decision.kind === 'resume') return;
  const beginning = {
    to: { bundleId: chosen.id, version: chosen.version, bversion: chosen.bversion },
    current,
    bid: ask.bid,
    fromBversion: ask.bversion || device.bversion,
  };
  if (decision.kind === 'none') {
    if (decision.record === 'confirm' && current) await advance(work, trx, device, current, { trigger: 'confirm' }, by);
    if (decision.record === 'adopt') await begin(work, trx, device, { ...beginning, state: 'done' }, by);
    return;
  }
  const isBackOld = decision.ends === 'mismatch' && current !== undefined;
  if (isBackOld) {
    const reason = mismatchReason(ask.bversion ?? '');
    await advance(work, trx, device, current, { trigger: 'mismatch', reason }, by);
  }
  const ended = isBackOld ? { ...current, state: 'failed' as const } : current;
  await begin(work, trx, device, { ...beginning, current: ended, state: 'offered' }, by);
}
