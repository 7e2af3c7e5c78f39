import { type ExecutionState, type RolloutSettings, usualPollS } from '@moorage/api';
import type { Assigned, HookedDevice } from '../../../core/ota/hooks.ts';
import type { Assignment } from '../../../core/ota/rules.ts';
import { type Reads, Work } from '../../../engine/db/work.ts';
import { keptFilter } from '../filters/parse.ts';
import { type DeviceFacts, fitsFilter } from '../filters/predicate.ts';
import { partsOf, readFacts } from '../filters/queries.ts';
import { type ExecutionRow, executionsOf } from './execution-queries.ts';
import {
  countsOf,
  noHolds,
  type ProductHolds,
  pinRows,
  productHolds,
  type RolloutRow,
  rolloutRows,
  zoneLabels,
} from './queries.ts';
import { holds, onlyBringsBack, openOf, waitsToReturn } from './rules.ts';
import { restsUntilMs, whyPaced, whyWait } from './turns.ts';
import { opensAtMs, zoneFor } from './windows.ts';

export type FleetAssignment = Assignment<'freeze' | 'pin' | 'rollout'>;

/** Devices in these states may be offered the bundle; all but the first enter anew. */
const mayEnter: readonly ExecutionState[] = ['waiting', 'left', 'skipped'];

const isOver = (untilMs: number | null, nowMs: number): boolean => untilMs !== null && untilMs <= nowMs;

/** What is known of a device when its rollouts are looked at, and what comes of that beside what it gets. */
interface Member {
  readonly reads: Reads;
  readonly device: HookedDevice;
  readonly product: ProductHolds;
  readonly executions: readonly ExecutionRow[];
  readonly nowMs: number;
  /** Whether it fits a filter; what filters see of it is read with the first. */
  readonly fits: (filter: string) => Promise<boolean>;
  readonly poll: { isSoon: boolean; atMs: number | undefined };
  /** Where it waits, and does not fit the filter of the rollout any more. */
  readonly leaving: ExecutionRow[];
}

/** Looks at filters of the rollouts of a device. */
function fitting(reads: Reads, device: HookedDevice, rollouts: readonly RolloutRow[], nowMs: number): Member['fits'] {
  let facts: Promise<DeviceFacts | undefined> | undefined;
  const filters = ({ filter, settings }: RolloutRow) => [filter, ...settings.stages.map((stage) => stage.filter)];
  return async (text) => {
    const texts = rollouts.flatMap(filters).filter((one) => one !== undefined && one !== null);
    facts ??= readFacts(reads, device.id, new Set(texts.flatMap((one) => partsOf(keptFilter(one)))));
    const known = await facts;
    return known !== undefined && fitsFilter(keptFilter(text), known, nowMs);
  };
}

/** What pins, freezes and rollouts have a device get now. In a work its rollouts are locked, so that a pace is kept. */
export async function assignmentsOf(
  reads: Reads,
  device: HookedDevice,
  nowMs: number,
): Promise<Assigned<FleetAssignment> & Pick<Member, 'leaving'>> {
  const product = (await reads.get(productHolds, device.product_id)) ?? noHolds;
  const { freeze, pollIntervalS, rolloutIds } = product;
  const isMember = rolloutIds.length > 0;
  const [pin, executions, rollouts] = await reads.together(
    async () => (product.pins ? reads.get(pinRows, device.id) : undefined),
    async () => (isMember ? executionsOf(reads, device.id) : []),
    () => reads.all(rolloutRows, rolloutIds),
  );
  const fits = fitting(reads, device, rollouts, nowMs);
  const poll: Member['poll'] = { isSoon: false, atMs: undefined };
  const member: Member = { reads, device, product, executions, nowMs, fits, poll, leaving: [] };
  const assignments: FleetAssignment[] = [];
  if (freeze && !isOver(freeze.until, nowMs)) {
    const reason = `Nothing new is offered in the product: ${freeze.reason}`;
    assignments.push({ by: 'freeze', reason, bundleId: undefined });
  }
  if (pin && !isOver(pin.until, nowMs)) {
    assignments.push({ by: 'pin', reason: `The device is held here: ${pin.reason}`, bundleId: pin.bundle_id });
  }
  for (const rollout of rollouts) {
    const assigned = await assignedBy(member, rollout);
    if (assigned) {
      assignments.push(assigned);
      break;
    }
  }
  const intervalMs = (pollIntervalS ?? usualPollS) * 1000;
  return { assignments, poll: { ...poll, intervalMs }, leaving: member.leaving };
}

/** What a rollout has a device get: something that it has brought the device, or what it brings now. */
async function assignedBy(member: Member, rollout: RolloutRow): Promise<FleetAssignment | undefined> {
  const { executions, poll } = member;
  const { id, title, state, bundle_id, settings } = rollout;
  const assigned = { by: 'rollout', id, reason: `The rollout "${title}" brings it` } as const;
  const execution = executions.find(({ rollout_id }) => rollout_id === id);
  if (execution && waitsToReturn(state, execution)) {
    poll.isSoon = true;
    if (await mayReturn(member, rollout)) return { ...assigned, bundleId: execution.bundle_id, isTurn: true };
    return { ...assigned, reason: `The rollout "${title}" is rolled back, at its pace`, bundleId: undefined };
  }
  const isCalledOff = execution?.bundle_id === bundle_id && onlyBringsBack(state, execution.state);
  if (execution && !isCalledOff && holds(state, execution.state)) {
    poll.isSoon ||= execution.state !== 'done';
    const isGoingOn = state === 'running' || state === 'paused';
    const mayContradict = isGoingOn && (execution.state === 'done' || execution.state === 'probation');
    const install = await installOf(member, settings);
    return { ...assigned, bundleId: execution.bundle_id, mayContradict, install };
  }
  if (state !== 'running' || !(await isTurn(member, rollout, execution))) return undefined;
  poll.isSoon = true;
  return { ...assigned, bundleId: bundle_id, isTurn: true, install: await installOf(member, settings) };
}

/** Devices that shall only fetch a bundle are told to wait with it for this long, and told so again. */
const downloadOnlyMs = 86_400_000;

/** How a device shall install at a time: what is soft is forced from a time on, where its rollout has one. */
const forceAt = ({ force = 'forced', force_at: atMs }: RolloutSettings, nowMs: number) =>
  atMs !== undefined && nowMs >= atMs ? 'forced' : force;

/** How a device shall install what a rollout brings; `undefined` when the rollout says nothing. */
async function installOf(member: Member, settings: RolloutSettings): Promise<Assignment['install']> {
  const { force, window, download_only: isDownload } = settings;
  if (force === undefined && !window && !isDownload) return undefined;
  const opens = window?.download_outside ? await windowOpensAtMs(member, settings) : member.nowMs;
  return { force: forceAt(settings, member.nowMs), waitMs: isDownload ? downloadOnlyMs : opens - member.nowMs };
}

/** When the window of a rollout is open next for a device, epoch ms. */
async function windowOpensAtMs(
  { reads, device, product, nowMs }: Member,
  { window }: RolloutSettings,
): Promise<number> {
  if (!window) return nowMs;
  return opensAtMs(window, zoneFor(window, await reads.get(zoneLabels, device.id), product.zone), nowMs);
}

const locked = async (reads: Reads, rollout: RolloutRow): Promise<RolloutRow | undefined> =>
  reads instanceof Work ? (await reads.lock(rolloutRows, [rollout.id]))[0] : rollout;

/** What the pace of a rollout goes by, from its row as it is locked. */
async function paceOf(reads: Reads, { id, settings, pace_from, pace_count }: RolloutRow) {
  const counts = settings.pace?.open === undefined ? [] : await countsOf(reads, id, settings.stages.length);
  return { settings, open: openOf(counts), paceFromMs: pace_from, paceCount: pace_count };
}

/** Whether a device may be offered the bundle of a running rollout now, and fits its filter still. */
async function isTurn(member: Member, seen: RolloutRow, execution: ExecutionRow | undefined): Promise<boolean> {
  const { reads, executions, nowMs, poll } = member;
  if (execution && !mayEnter.includes(execution.state)) return false;
  const isWaiting = execution?.state === 'waiting';
  // What does not change while the row is waited for is asked before.
  const stage = isWaiting ? execution.stage : await stageOf(member, seen);
  if (stage === undefined || stage > seen.stage) return false;
  const opens = seen.settings.window?.download_outside ? nowMs : await windowOpensAtMs(member, seen.settings);
  const rollout = await locked(reads, seen);
  if (!rollout) return false;
  const turn = {
    ...(await paceOf(reads, rollout)),
    state: rollout.state,
    openStage: rollout.stage,
    stage,
    dueAtMs: execution?.due_at ?? null,
    opensAtMs: opens,
    restsUntilMs: restsUntilMs(rollout.settings, rollout.id, executions),
  };
  const why = whyWait(turn, nowMs);
  if (why?.untilMs !== undefined) poll.atMs = Math.min(poll.atMs ?? Number.POSITIVE_INFINITY, why.untilMs);
  else poll.isSoon ||= why !== undefined;
  if (why !== undefined || !isWaiting || rollout.filter === null) return why === undefined;
  const isFit = await member.fits(rollout.filter);
  if (!isFit) member.leaving.push(execution);
  return isFit;
}

/** Whether the pace of a rollout lets a device be brought back now. */
async function mayReturn({ reads, nowMs }: Member, seen: RolloutRow): Promise<boolean> {
  const rollout = await locked(reads, seen);
  return rollout !== undefined && whyPaced(await paceOf(reads, rollout), nowMs) === undefined;
}

/** The stage in which a device would enter a rollout that it has not been in; `undefined` when it does not fit. */
async function stageOf(member: Member, { filter, stage, settings }: RolloutRow): Promise<number | undefined> {
  if (filter !== null && !(await member.fits(filter))) return undefined;
  for (const [index, { filter: ofStage }] of settings.stages.entries()) {
    if (ofStage !== undefined && (await member.fits(ofStage))) return Math.max(index, stage);
  }
  return stage;
}
