import type { FailureKind, Refusal, SkipReason } from '@moorage/api';
import { type Result, success, transition, unwrap } from '@moorage/base';
import type { Assigned, HookedDevice, MovedUpdate, UpdateExtension } from '../../../core/ota/hooks.ts';
import type { Assignment } from '../../../core/ota/rules.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { type Reads, Work } from '../../../engine/db/work.ts';
import type { Deps } from '../../../engine/http/types.ts';
import { logFailure, logRollout } from './events.ts';
import {
  dropExecution,
  type ExecutionRow,
  executionOf,
  executionsByDevice,
  executionsOf,
  failedExecutions,
  newExecution,
  putExecution,
} from './execution-queries.ts';
import { bringBack, skipReasonOf } from './member-queries.ts';
import { enlist } from './members.ts';
import { assignmentsOf, type FleetAssignment } from './membership.ts';
import { addCount, changeRollout, countsOf, lockRollout, type RolloutRow } from './queries.ts';
import {
  type ExecutionTrigger,
  endedStates,
  executionTransitions,
  holdingStates,
  notGated,
  type Outcome,
  type RolloutTrigger,
  rolloutTransitions,
  settle,
  waitsToReturn,
  wantedStates,
  wrongState,
} from './rules.ts';
import { deadlineKinds, expiryMs, failureKind, gateDueAtMs, isProbed, paceAfter, retryAtMs } from './turns.ts';
import { wakeWaiting } from './wakes.ts';

export type FleetDeps = Pick<Deps, 'storage' | 'clock' | 'log'> & {
  /** Gives the bundle of a rollout that is over its tag. */
  readonly tagBundle: (trx: Db, bundleId: string, tag: 'alpha' | 'beta' | 'release', atMs: number) => Promise<void>;
  /** By how much slower the load of the process makes waking, at a time in epoch ms; 1 for not at all. */
  readonly stretch: (nowMs: number) => number;
};

type OfRollout = Pick<Assignment, 'id'>;

/** A device in a rollout, which is locked. */
interface Member {
  readonly rollout: RolloutRow;
  readonly execution: ExecutionRow;
}

async function memberOf(work: Work, rolloutId: string, deviceId: string): Promise<Member | undefined> {
  const rollout = await lockRollout(work, rolloutId);
  const execution = rollout && (await executionOf(work, rolloutId, deviceId));
  return execution && { rollout, execution };
}

/** Moves of rollouts and their devices. What waits for a time is planned by `watchTimes`. */
export class Fleet implements UpdateExtension {
  readonly #deps: FleetDeps;
  #plan: (atMs: number) => void = () => {};

  constructor(deps: FleetDeps) {
    this.#deps = deps;
  }

  /** Calls back with each time, epoch ms, at which something is due, once it is committed. */
  watchTimes(plan: (atMs: number) => void): void {
    this.#plan = plan;
  }

  #now(): number {
    return this.#deps.clock.now();
  }

  /** What pins, freezes and rollouts have a device get now. In a work its rollouts are locked, so that a pace is kept. */
  async assign(reads: Reads, device: HookedDevice): Promise<Assigned<FleetAssignment>> {
    const { leaving, ...assigned } = await assignmentsOf(reads, device, this.#now());
    if (!(reads instanceof Work) || leaving.length === 0) return assigned;
    for (const { rollout_id } of leaving) {
      const member = await memberOf(reads, rollout_id, device.id);
      if (member) await this.#move(reads, member, 'leave');
    }
    // What it gets may depend on what it has left.
    return this.assign(reads, device);
  }

  /** Reads what rollouts have of devices that take a step each. */
  async begin(work: Work, deviceIds: readonly string[]): Promise<void> {
    await work.all(executionsByDevice, deviceIds);
  }

  /** Records that a device has been offered the bundle of a rollout, or runs it already. */
  async offered(
    work: Work,
    { id: deviceId }: HookedDevice,
    { id = '' }: OfRollout,
    { updateId, isDone }: Parameters<UpdateExtension['offered']>[3],
  ): Promise<void> {
    const locked = await lockRollout(work, id);
    if (!locked) return;
    const rollout = await changeRollout(work, id, paceAfter(locked, this.#now()));
    const known = await executionOf(work, id, deviceId);
    const execution = known ?? newExecution(rollout, deviceId, rollout.stage, this.#now());
    if (!known) {
      await putExecution(work, execution);
      await addCount(work, execution, 1);
    }
    // A device that has left, or was skipped, enters anew; for others this is no move.
    const joined = await this.#write(work, { rollout, execution }, 'join', { stage: rollout.stage, kind: null });
    const isBack = waitsToReturn(rollout.state, joined.execution);
    const offer = { update_id: updateId, ...(isBack ? { due_at: null } : { bundle_id: rollout.bundle_id }) };
    const taken = isBack ? await this.#write(work, joined, 'offer', offer) : joined;
    await this.#move(work, taken, isDone ? 'confirm' : 'offer', offer);
  }

  /** An update has moved: its execution moves with it, in the same transaction. */
  async moved(work: Work, { id, device_id, trigger, kind }: MovedUpdate): Promise<void> {
    const execution = (await executionsOf(work, device_id)).find(({ update_id }) => update_id === id);
    const rollout = execution && (await lockRollout(work, execution.rollout_id));
    if (!rollout) return;
    const member = { rollout, execution };
    switch (trigger) {
      case 'fetch':
      case 'install':
        return this.#move(work, member, trigger);
      case 'confirm':
        return this.#move(work, member, isProbed(rollout.settings, rollout.state) ? 'try' : 'confirm');
      case 'supersede':
        await this.#waitAgain(work, member, 'withdraw', { update_id: null });
        return void (await this.#settle(work, rollout));
      default:
        return this.#fail(work, member, 'fail', kind ?? failureKind(trigger, execution.state));
    }
  }

  /** A device that had the bundle of a rollout reports another version, or that it does not work: it has failed after all. */
  async contradicted(work: Work, device: HookedDevice, { id = '' }: OfRollout, kind: 'contradicted' | 'health') {
    const member = await memberOf(work, id, device.id);
    if (member) await this.#fail(work, member, 'contradict', kind);
  }

  /** A device has been blocked or pinned: rollouts in which it waits go on without it. */
  async skip(work: Work, deviceId: string, reason: SkipReason): Promise<void> {
    for (const { rollout_id, state } of await executionsOf(work, deviceId)) {
      const member = state === 'waiting' ? await memberOf(work, rollout_id, deviceId) : undefined;
      if (member) await this.#move(work, member, 'skip', { kind: reason });
    }
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
      const rollout = await lockRollout(work, execution.rollout_id);
      if (!rollout) continue;
      await addCount(work, execution, -1);
      await dropExecution(work, execution);
      await this.#settle(work, rollout);
    }
    // Before the device goes.
    await work.flush();
  }

  /** Lets the failed devices of a rollout wait again; they are due at once. */
  async retryFailed(work: Work, rollout: RolloutRow): Promise<number> {
    const failed = await failedExecutions(work.db, rollout.id);
    await this.begin(
      work,
      failed.map(({ device_id }) => device_id),
    );
    for (const execution of failed) {
      const change = { attempt: execution.attempt + 1, due_at: null, update_id: null };
      await this.#waitAgain(work, { rollout, execution }, 'retry', change);
    }
    return failed.length;
  }

  /** Lets a device wait again, unless something keeps it from getting anything. */
  async #waitAgain(
    work: Work,
    member: Member,
    trigger: 'withdraw' | 'retry',
    change: Partial<ExecutionRow>,
  ): Promise<void> {
    const waits = await this.#write(work, member, trigger, change);
    const { state, device_id } = waits.execution;
    const reason = state === 'waiting' && (await skipReasonOf(work.db, device_id, this.#now()));
    if (reason) await this.#write(work, waits, 'skip', { kind: reason });
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
    await this.#settle(work, rollout);
  }

  /** Moves a device in its rollout, its counts, and what follows for the rollout. */
  async #move(
    work: Work,
    member: Member,
    trigger: ExecutionTrigger,
    change: Partial<ExecutionRow> = {},
  ): Promise<void> {
    await this.#write(work, member, trigger, change);
    await this.#settle(work, member.rollout);
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
    await putExecution(work, next);
    this.#planAt(work, expires_at);
    return { rollout, execution: next };
  }

  #planAt(work: Work, atMs: number | null): void {
    if (atMs !== null) work.afterCommit(() => this.#plan(atMs));
  }

  /** Draws the conclusions from the counts of a rollout, in the transaction that has changed them. */
  async settleRollout(work: Work, rolloutId: string): Promise<void> {
    const locked = await lockRollout(work, rolloutId);
    if (locked) await this.#settle(work, locked);
  }

  /** @param asks whether an answer from outside that is due is about to be asked for; where it is returned */
  async #settle(work: Work, locked: RolloutRow, asks = false): Promise<string | undefined> {
    if (locked.state !== 'running') return undefined;
    const { settings } = locked;
    const counts = await countsOf(work, locked.id, settings.stages.length);
    let rollout = locked;
    // At most as often as there are stages: empty ones pass at once.
    for (let round = 0; round <= settings.stages.length; round++) {
      const { stage, gate_at: gateAtMs, signal_until: signalUntilMs } = rollout;
      const signalled = Boolean(rollout.signalled);
      const outcome = settle({ settings, stage, counts, gateAtMs, signalled, signalUntilMs }, this.#now());
      if (outcome.kind === 'next') rollout = await this.openNext(work, rollout);
      else if (outcome.kind === 'wait') return this.#wait(work, rollout, outcome, asks);
      else {
        const [trigger, reason] =
          outcome.kind === 'finish' ? (['finish', null] as const) : [outcome.action, outcome.reason];
        // A rollout that is running takes all of these.
        unwrap(await this.trigger(work, rollout, trigger, reason));
        return undefined;
      }
    }
    return undefined;
  }

  /** Keeps until when a rollout waits. Returns the address to be asked, when it is time to ask. */
  async #wait(
    work: Work,
    rollout: RolloutRow,
    { gateAtMs: gate_at, signalUntilMs: signal_until, reason }: Extract<Outcome, { kind: 'wait' }>,
    asks: boolean,
  ): Promise<string | undefined> {
    const url = signal_until === null ? undefined : rollout.settings.stages[rollout.stage]?.gate?.ask?.url;
    const due_at = gateDueAtMs({ gate_at, signal_until, isAsked: url !== undefined, asks }, rollout, this.#now());
    this.#planAt(work, due_at);
    await changeRollout(work, rollout.id, { gate_at, signal_until, due_at, reason });
    return asks ? url : undefined;
  }

  /** The time of a rollout has come: a start, a soak time, a signal. Returns where its gate is to be asked for, if so. */
  async due(
    work: Work,
    rolloutId: string,
  ): Promise<{ readonly url: string; readonly rollout: RolloutRow } | undefined> {
    const rollout = await lockRollout(work, rolloutId);
    if (!rollout?.due_at || rollout.due_at > this.#now()) return undefined;
    if (rollout.state === 'scheduled') return void unwrap(await this.start(work, rollout, 'at its time'));
    const url = await this.#settle(work, rollout, true);
    return url === undefined ? undefined : { url, rollout };
  }

  /** Something outside has said whether the next stage may open. Refusal: ILLEGAL_TRANSITION. */
  async signal(
    work: Work,
    rollout: RolloutRow,
    { pass, reason }: { readonly pass: boolean; readonly reason: string },
  ): Promise<Result<RolloutRow, Refusal>> {
    if (rollout.state !== 'running') return wrongState(rollout.state, 'signalled');
    if (!pass) return this.trigger(work, rollout, 'pause', reason);
    const next = await changeRollout(work, rollout.id, { signalled: 1 });
    await this.#log(work, next, `Stage ${next.stage + 1} of rollout "${next.title}" has its signal`);
    await this.#settle(work, next);
    return success(next);
  }

  #log(work: Work, rollout: RolloutRow, message: string, level?: 'warning'): Promise<void> {
    return logRollout(work.db, rollout, this.#now(), message, level);
  }

  /** Opens the next stage of a rollout, and wakes some of its devices. */
  async openNext(work: Work, rollout: RolloutRow): Promise<RolloutRow> {
    const next = await changeRollout(work, rollout.id, { ...notGated, stage: rollout.stage + 1 });
    await this.#log(work, next, `Stage ${next.stage + 1} of rollout "${next.title}" begins`);
    await this.wake(work, next);
    return next;
  }

  /** Wakes devices on the message channel that wait in the open stage or are brought back, at the pace of the rollout or its product. */
  wake(work: Work, rollout: RolloutRow): Promise<void> {
    const { storage, stretch } = this.#deps;
    const nowMs = this.#now();
    return wakeWaiting(work, rollout, { bus: storage.bus, nowMs, slower: stretch(nowMs), plan: this.#plan });
  }

  /** Wakes more devices of a rollout whose time for it has come. */
  async wakeMore(work: Work, rolloutId: string): Promise<void> {
    const rollout = await lockRollout(work, rolloutId);
    const isDue = rollout?.wake_at != null && rollout.wake_at <= this.#now();
    if (isDue && (rollout.state === 'running' || rollout.state === 'rolled_back')) await this.wake(work, rollout);
  }

  /** Starts a rollout: its devices get their stages. Refusal: ILLEGAL_TRANSITION. */
  async start(work: Work, rollout: RolloutRow, reason: string | null): Promise<Result<RolloutRow, Refusal>> {
    const begun = await this.trigger(work, rollout, 'start', reason);
    if (!begun.ok) return begun;
    await enlist(work, this.#deps.storage.expressions, rollout, this.#now());
    await this.wake(work, begun.value);
    await this.#settle(work, begun.value);
    return begun;
  }

  /**
   * Takes a rollout to its next state: beside its first, nothing else writes one. Refusal: ILLEGAL_TRANSITION.
   *
   * @param backTo the bundle that the devices get that it has moved, when it is rolled back; else each the one it had
   */
  async trigger(
    work: Work,
    rollout: RolloutRow,
    trigger: RolloutTrigger,
    reason: string | null,
    backTo?: string,
  ): Promise<Result<RolloutRow, Refusal>> {
    const state = transition(rolloutTransitions, rollout.state, trigger);
    if (state === undefined) return wrongState(rollout.state, wantedStates[trigger] ?? trigger);
    const nowMs = this.#now();
    const { settings, bundle_id, title } = rollout;
    const due_at = state === 'scheduled' ? (settings.start_at ?? nowMs) : null;
    const next = await changeRollout(work, rollout.id, {
      state,
      reason: state === 'running' ? null : reason,
      gate_at: null,
      signal_until: null,
      due_at,
      holds: holdingStates.includes(state) ? 1 : 0,
      finished_at: endedStates.includes(state) ? nowMs : null,
      ...(trigger === 'start' && { started_at: nowMs }),
      ...(state === 'rolled_back' && { wake_after: null }),
    });
    const isBad = state === 'paused' || state === 'aborted' || state === 'rolled_back';
    const message = `Rollout "${title}" is ${state.replace('_', ' ')}${reason === null ? '' : `: ${reason}`}`;
    await this.#log(work, next, message, isBad ? 'warning' : undefined);
    if (state === 'finished' && settings.then_tag !== undefined) {
      await work.restart();
      await this.#deps.tagBundle(work.db, bundle_id, settings.then_tag, nowMs);
    }
    if (state === 'rolled_back') await bringBack(work, rollout, settings.pace ? nowMs : null, backTo);
    if (trigger === 'resume' || state === 'rolled_back') await this.wake(work, next);
    this.#planAt(work, due_at);
    return success(next);
  }
}
