import { type RolloutSettings, usualPollS } from '@moorage/api';
import type { Assigned, HookedDevice } from '../../../core/ota/hooks.ts';
import type { Assignment } from '../../../core/ota/rules.ts';
import { type Reads, Work } from '../../../engine/db/work.ts';
import { executionsOf } from './execution-queries.ts';
import { type DeviceHolds, deviceHolds, type InForce, inForceOf } from './in-force.ts';
import { countsOf, rolloutRows } from './queries.ts';
import { heldBundle, isHeldUntil, openOf, waitsToReturn } from './rules.ts';
import { restsUntilMs, type Wait, whyPaced, whyWait } from './turns.ts';
import { opensAtMs, zoneFor } from './windows.ts';

export type FleetAssignment = Assignment<'freeze' | 'pin' | 'rollout'>;

/** What a device waits for that a rollout would bring something else. */
export interface RolloutWait extends Wait {
  readonly rolloutId: string;
}

/** A device that asks, and what comes of its rollouts beside what it gets. */
interface Asking {
  readonly reads: Reads;
  readonly device: HookedDevice;
  readonly held: DeviceHolds | undefined;
  readonly nowMs: number;
  readonly poll: { isSoon: boolean; atMs: number | undefined };
  waits: RolloutWait | undefined;
}

/** What pins, freezes and rollouts have a device get now. In a work its rollouts are locked, so that a pace is kept. */
export async function assignmentsOf(
  reads: Reads,
  device: HookedDevice,
  nowMs: number,
): Promise<Assigned<FleetAssignment> & Pick<Asking, 'waits'>> {
  const [held, inForce] = await reads.together(
    () => reads.get(deviceHolds, device.id),
    () => inForceOf(reads, device.id, device.product_id),
  );
  const asking: Asking = { reads, device, held, nowMs, poll: { isSoon: false, atMs: undefined }, waits: undefined };
  const assignments = held ? holding(held, nowMs) : [];
  for (const one of inForce) {
    const assigned = await assignedBy(asking, one);
    if (assigned) {
      assignments.push(assigned);
      break;
    }
  }
  const intervalMs = (held?.poll_interval_s ?? usualPollS) * 1000;
  return { assignments, poll: { ...asking.poll, intervalMs }, waits: asking.waits };
}

/** What freezes and pins have a device get. */
function holding({ freeze, pin }: DeviceHolds, nowMs: number): FleetAssignment[] {
  const assignments: FleetAssignment[] = [];
  if (freeze && isHeldUntil(freeze.until, nowMs)) {
    const reason = `Nothing new is offered in the product: ${freeze.reason}`;
    assignments.push({ by: 'freeze', reason, bundleId: undefined });
  }
  if (pin && isHeldUntil(pin.until, nowMs)) {
    assignments.push({ by: 'pin', reason: `The device is held here: ${pin.reason}`, bundleId: pin.bundle_id });
  }
  return assignments;
}

/** What a rollout has a device get: something that it has brought the device, or what it brings now. */
async function assignedBy(asking: Asking, { rollout, execution }: InForce): Promise<FleetAssignment | undefined> {
  const { poll } = asking;
  const { id, title, state, bundle_id, settings } = rollout;
  const assigned = { by: 'rollout', id, reason: `The rollout "${title}" brings it` } as const;
  if (waitsToReturn(state, execution)) {
    poll.isSoon = true;
    if (await mayReturn(asking, rollout)) return { ...assigned, bundleId: execution.bundle_id, isTurn: true };
    return { ...assigned, reason: `The rollout "${title}" is rolled back, at its pace`, bundleId: undefined };
  }
  const held = heldBundle({ rollout, execution });
  if (held !== undefined) {
    poll.isSoon ||= execution.state !== 'done';
    return { ...assigned, bundleId: held, install: installOf(asking, settings) };
  }
  if (execution.state !== 'waiting' || !(await isTurn(asking, rollout, execution))) return undefined;
  poll.isSoon = true;
  return { ...assigned, bundleId: bundle_id, isTurn: true, install: installOf(asking, settings) };
}

/** Devices that shall only fetch a bundle are told to wait with it for this long, and told so again. */
const downloadOnlyMs = 86_400_000;

/** How a device shall install at a time: what is soft is forced from a time on, where its rollout has one. */
const forceAt = ({ force = 'forced', force_at: atMs }: RolloutSettings, nowMs: number) =>
  atMs !== undefined && nowMs >= atMs ? 'forced' : force;

/** How a device shall install what a rollout brings; `undefined` when the rollout says nothing. */
function installOf(asking: Asking, settings: RolloutSettings): Assignment['install'] {
  const { force, window, download_only: isDownload } = settings;
  if (force === undefined && !window && !isDownload) return undefined;
  const opens = window?.download_outside ? windowOpensAtMs(asking, settings) : asking.nowMs;
  return { force: forceAt(settings, asking.nowMs), waitMs: isDownload ? downloadOnlyMs : opens - asking.nowMs };
}

/** When the window of a rollout is open next for a device, epoch ms. */
function windowOpensAtMs({ held, nowMs }: Asking, { window }: RolloutSettings): number {
  if (!window) return nowMs;
  return opensAtMs(window, zoneFor(window, held?.zone ?? undefined, held?.product_zone ?? null), nowMs);
}

type OfRollout = InForce['rollout'];

const locked = async (reads: Reads, rollout: OfRollout): Promise<OfRollout | undefined> =>
  reads instanceof Work ? (await reads.lock(rolloutRows, [rollout.id]))[0] : rollout;

/** What the pace of a rollout goes by, from its row as it is locked. */
async function paceOf(reads: Reads, { id, settings, pace_from, pace_count }: OfRollout) {
  const counts = settings.pace?.open === undefined ? [] : await countsOf(reads, id, settings.stages.length);
  return { settings, open: openOf(counts), paceFromMs: pace_from, paceCount: pace_count };
}

/** Whether a device that waits may be offered the bundle of a rollout now. */
async function isTurn(asking: Asking, seen: OfRollout, { stage, due_at }: InForce['execution']): Promise<boolean> {
  const { reads, device, nowMs, poll } = asking;
  const rollout = await locked(reads, seen);
  if (!rollout) return false;
  const { settings } = rollout;
  const tried = settings.penalty ? await executionsOf(reads, device.id) : [];
  const why = whyWait(
    {
      ...(await paceOf(reads, rollout)),
      state: rollout.state,
      openStage: rollout.stage,
      stage,
      dueAtMs: due_at,
      opensAtMs: settings.window?.download_outside ? nowMs : windowOpensAtMs(asking, settings),
      restsUntilMs: restsUntilMs(settings, rollout.id, tried),
    },
    nowMs,
  );
  if (!why) return true;
  asking.waits ??= { ...why, rolloutId: rollout.id };
  if (why.untilMs !== undefined) poll.atMs = Math.min(poll.atMs ?? Number.POSITIVE_INFINITY, why.untilMs);
  else poll.isSoon ||= rollout.state === 'running' && stage <= rollout.stage;
  return false;
}

/** Whether the pace of a rollout lets a device be brought back now. */
async function mayReturn({ reads, nowMs }: Asking, seen: OfRollout): Promise<boolean> {
  const rollout = await locked(reads, seen);
  return rollout !== undefined && whyPaced(await paceOf(reads, rollout), nowMs) === undefined;
}
