import type { FailureKind } from '@moorage/api';
import { type Clock, transition } from '@moorage/base';
import type { Assigned, HookedDevice, MovedUpdate, UpdateExtension } from '../../../core/ota/hooks.ts';
import type { Assignment } from '../../../core/ota/rules.ts';
import type { Reads, Work } from '../../../engine/db/work.ts';
import { logFailure } from './events.ts';
import {
  dropExecution,
  type ExecutionRow,
  executionOf,
  executionsByDevice,
  executionsOf,
  executionsToRetry,
  leaveOutWaiting,
  newExecution,
  putExecution,
  releaseExecution,
} from './execution-queries.ts';
import { type KnownFacts, readFacts } from './facts.ts';
import { deleteForeignPins } from './hold-queries.ts';
import { deviceHolds } from './in-force.ts';
import { type FleetDeps, Lifecycle } from './lifecycle.ts';
import { type Move, movesFor } from './moves.ts';
import { assignmentsOf, type FleetAssignment, type RolloutWait } from './poll.ts';
import { addCount, changeRollout, lockRollout, type RolloutRow, rolloutRows } from './queries.ts';
import { type ExecutionTrigger, executionTransitions, goesOn, waitsToReturn } from './rules.ts';
import { deadlineKinds, expiryMs, failureKind, isProbed, paceAfter, retryAtMs } from './turns.ts';

type OfRollout = Pick<Assignment, 'id'>;

/** A device in a rollout, which is locked. */
interface Member {
  readonly rollout: RolloutRow;
  readonly execution: ExecutionRow;
}

/** Whether a device has the bundle of its rollout. */
const hadIt = ({ state }: ExecutionRow): boolean => state === 'done' || state === 'probation';

async function memberOf(work: Work, rolloutId: string, deviceId: string): Promise<Member | undefined> {
  const rollout = await lockRollout(work, rolloutId);
  const execution = rollout && (await executionOf(work, rolloutId, deviceId));
  return execution && { rollout, execution };
}

/** Moves of devices in their rollouts: by what their updates come to, and by what else is so of them. */
export class Fleet implements UpdateExtension {
  readonly #clock: Clock;
  readonly #lifecycle: Lifecycle;

  constructor({ clock }: { readonly clock: Clock }, lifecycle: Lifecycle) {
    this.#clock = clock;
    this.#lifecycle = lifecycle;
  }

  #now(): number {
    return this.#clock.now();
  }

  /** What pins, freezes and rollouts have a device get now. In a work its rollouts are locked, so that a pace is kept. */
  assign(
    reads: Reads,
    device: HookedDevice,
  ): Promise<Assigned<FleetAssignment> & { readonly waits: RolloutWait | undefined }> {
    return assignmentsOf(reads, device, this.#now());
  }

  /** Reads what holds and moves devices that take a step each. */
  async begin(work: Work, deviceIds: readonly string[]): Promise<void> {
    await work.all(executionsByDevice, deviceIds);
    await work.all(deviceHolds, deviceIds);
  }

  /** Records that a device has been offered the bundle of a rollout, or runs it already: other rollouts have it no more. */
  async offered(
    work: Work,
    { id: deviceId }: HookedDevice,
    { id = '' }: OfRollout,
    { updateId, isDone }: Parameters<UpdateExtension['offered']>[3],
  ): Promise<void> {
    const member = await memberOf(work, id, deviceId);
    if (!member) return;
    const rollout = await changeRollout(work, id, paceAfter(member.rollout, this.#now()));
    const { execution } = member;
    const isBack = waitsToReturn(rollout.state, execution);
    const offer = { update_id: updateId, ...(isBack ? { due_at: null } : { bundle_id: rollout.bundle_id }) };
    const taken = isBack ? await this.#write(work, { rollout, execution }, 'offer', offer) : { rollout, execution };
    await this.#move(work, taken, isDone ? 'confirm' : 'offer', offer);
    await this.reconcile(work, [deviceId]);
  }

  /** An update has moved: its execution moves with it, in the same transaction. */
  async moved(work: Work, { id, device_id, trigger, kind }: MovedUpdate): Promise<void> {
    const execution = (await executionsOf(work, device_id)).find(({ update_id }) => update_id === id);
    const rollout = execution && (await lockRollout(work, execution.rollout_id));
    if (!rollout) return;
    const member = { rollout, execution };
    // What it has brought for good is nothing of one that is over.
    if (hadIt(execution) && !goesOn(rollout)) return;
    switch (trigger) {
      case 'fetch':
      case 'install':
        return this.#move(work, member, trigger);
      case 'confirm':
        return this.#confirm(work, member);
      case 'supersede':
        return this.#move(work, member, 'withdraw', { update_id: null });
      default:
        return this.#fail(
          work,
          member,
          hadIt(execution) ? 'contradict' : 'fail',
          kind ?? failureKind(trigger, execution.state),
        );
    }
  }

  /**
   * Makes of devices in rollouts what follows from what is so now: whoever changes something of a device, a pin, a label or
   * a rollout calls it in its transaction. Devices that are right already change nothing. Returns how many moves it took.
   */
  async reconcile(work: Work, deviceIds: readonly string[]): Promise<number> {
    let moves = 0;
    for (const facts of await readFacts(work, deviceIds, this.#now())) {
      for (const move of movesFor(facts)) {
        await this.#make(work, facts, move);
        moves++;
      }
    }
    return moves;
  }

  async #make(work: Work, { device }: KnownFacts, { rolloutId, trigger, kind, stage }: Move): Promise<void> {
    const rollout = await lockRollout(work, rolloutId);
    // A move before this one may have ended it.
    if (!rollout || !goesOn(rollout)) return;
    const known = await executionOf(work, rolloutId, device.id);
    if (!known) {
      const execution = await putExecution(work, newExecution(rollout, device.id, stage ?? rollout.stage, this.#now()));
      await addCount(work, execution, 1);
      await this.#lifecycle.settle(work, rolloutId);
      return;
    }
    const member = { rollout, execution: known };
    switch (trigger) {
      case 'fail':
      case 'contradict':
        // Safe: these moves name a kind of failure.
        return this.#fail(work, member, trigger, kind as FailureKind);
      case 'confirm':
        return known.state === 'waiting' ? this.#move(work, member, 'confirm') : this.#confirm(work, member);
      case 'join':
        return this.#move(work, member, 'join', { kind: null, stage: stage ?? known.stage });
      case 'withdraw':
        return this.#move(work, member, 'withdraw', { update_id: null });
      default:
        return this.#move(work, member, trigger, { kind: kind ?? null });
    }
  }

  /** A device runs the bundle: for good, or on probation first. */
  #confirm(work: Work, member: Member): Promise<void> {
    const { settings, state } = member.rollout;
    return this.#move(work, member, isProbed(settings, state) ? 'try' : 'confirm');
  }

  /** The time of a device in its state is over: its probation has passed, or its deadline. */
  async expire(work: Work, rolloutId: string, deviceId: string): Promise<void> {
    const member = await memberOf(work, rolloutId, deviceId);
    const expiresAtMs = member?.execution.expires_at ?? Number.POSITIVE_INFINITY;
    // It may have moved meanwhile, or another process was faster.
    if (!member || expiresAtMs > this.#now()) return;
    const { state } = member.execution;
    if (state === 'probation') await this.#move(work, member, 'pass');
    else if (state === 'offered' || state === 'downloading' || state === 'installed') {
      await this.#fail(work, member, 'fail', deadlineKinds[state]);
    }
  }

  /** A device will be deleted: the rollouts that count it count it no more. */
  async forget(work: Work, deviceId: string): Promise<void> {
    for (const execution of await executionsOf(work, deviceId)) {
      if (!(await lockRollout(work, execution.rollout_id))) continue;
      await addCount(work, execution, -1);
      await dropExecution(work, execution);
      await this.#lifecycle.settle(work, execution.rollout_id);
    }
    // Before the device goes.
    await work.flush();
  }

  /** Devices are taken back to what they were when they left the factory: they leave, until they show themselves again. */
  async reset(work: Work, deviceIds: readonly string[]): Promise<void> {
    for (const deviceId of deviceIds) {
      for (const { rollout_id } of await executionsOf(work, deviceId)) {
        const member = await memberOf(work, rollout_id, deviceId);
        if (member) await this.#move(work, member, 'leave', { kind: 'reset' });
      }
    }
  }

  /**
   * Devices are given another tag or product, by a person who means them by it: rollouts that are over have no say over them any
   * more, and pins to bundles of another product go.
   */
  async letGo(work: Work, deviceIds: readonly string[]): Promise<void> {
    if (await deleteForeignPins(work.db, deviceIds)) work.touch('devices', deviceIds);
    const inForce = (await work.all(executionsByDevice, deviceIds)).flat().filter(({ in_force }) => in_force === 1);
    await work.all(
      rolloutRows,
      inForce.map(({ rollout_id }) => rollout_id),
    );
    for (const execution of inForce) {
      const rollout = await work.get(rolloutRows, execution.rollout_id);
      if (rollout && !goesOn(rollout)) await releaseExecution(work, execution);
    }
  }

  /**
   * Lets the failed devices of a rollout wait again, and those that it has brought another bundle than it brings now; they
   * are due at once. Returns how many.
   */
  async retry(work: Work, rollout: RolloutRow): Promise<number> {
    const again = await executionsToRetry(work.db, rollout.id, rollout.bundle_id);
    const ids = again.map(({ device_id }) => device_id);
    await this.begin(work, ids);
    for (const execution of again) {
      const change = { attempt: execution.attempt + 1, due_at: null, update_id: null, kind: null };
      await this.#write(work, { rollout, execution }, 'retry', change);
    }
    await this.reconcile(work, ids);
    return again.length;
  }

  /** Leaves devices out of a rollout that still wait: all, or those not seen since a time, epoch ms. Returns how many. */
  async leaveOut(work: Work, rollout: RolloutRow, unseenSinceMs: number | undefined): Promise<number> {
    const stages = await leaveOutWaiting(work, rollout.id, unseenSinceMs, this.#now());
    let all = 0;
    for (const { stage, n } of stages) {
      const counted = { rollout_id: rollout.id, stage, kind: null };
      await addCount(work, { ...counted, state: 'waiting' }, -n);
      await addCount(work, { ...counted, state: 'left' }, n);
      all += n;
    }
    await this.#lifecycle.settle(work, rollout.id);
    return all;
  }

  /** A device has failed, for good or until its next attempt. */
  async #fail(work: Work, member: Member, trigger: 'fail' | 'contradict', kind: FailureKind): Promise<void> {
    const { rollout, execution } = member;
    const dueAtMs = retryAtMs(rollout.settings, kind, execution.attempt, this.#now());
    const failed = await this.#write(work, member, trigger, { kind });
    // A move that is not in the table has changed nothing.
    if (failed.execution.state !== 'failed' || failed === member) return;
    if (dueAtMs === undefined) await logFailure(work.db, rollout, failed.execution);
    else await this.#write(work, failed, 'retry', { attempt: execution.attempt + 1, due_at: dueAtMs });
    await this.#lifecycle.settle(work, rollout.id);
  }

  /** Moves a device in its rollout, its counts, and what follows for the rollout. */
  async #move(
    work: Work,
    member: Member,
    trigger: ExecutionTrigger,
    change: Partial<ExecutionRow> = {},
  ): Promise<void> {
    await this.#write(work, member, trigger, change);
    await this.#lifecycle.settle(work, member.rollout.id);
  }

  /** Moves a device in its rollout, and its counts. A move that is not in the table changes nothing. */
  async #write(work: Work, member: Member, trigger: ExecutionTrigger, change: Partial<ExecutionRow>): Promise<Member> {
    const { rollout, execution } = member;
    const state = transition(executionTransitions, execution.state, trigger);
    if (state === undefined) return member;
    const changed_at = this.#now();
    const expires_at = expiryMs(rollout.settings, state, changed_at);
    const next = { ...execution, ...change, state, expires_at, changed_at };
    if (state === 'done' || state === 'probation') next.kind = null;
    await addCount(work, execution, -1);
    await addCount(work, next, 1);
    const written = await putExecution(work, next);
    this.#lifecycle.planAt(work, expires_at);
    return { rollout, execution: written };
  }
}

/** Makes what moves rollouts, and what moves devices in them. */
export function openFleet(deps: FleetDeps): { readonly fleet: Fleet; readonly lifecycle: Lifecycle } {
  const lifecycle = new Lifecycle(deps);
  return { fleet: new Fleet(deps, lifecycle), lifecycle };
}
