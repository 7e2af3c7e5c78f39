import type { FailureKind, Refusal, SkipReason } from '@moorage/api';
import { type Result, success, transition, unwrap } from '@moorage/base';
import type { Assigned, HookedDevice, MovedUpdate, UpdateHooks } from '../../../core/ota/hooks.ts';
import type { Assignment } from '../../../core/ota/rules.ts';
import { type Reads, Work } from '../../../engine/db/work.ts';
import { compileFacts, type ReadFacts } from '../filters/queries.ts';
import type { FleetDeps } from './deps.ts';
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

/** Moves of rollouts and their devices. What waits for a time is planned by `watchTimes`. */
export class Fleet implements Partial<UpdateHooks> {
  readonly #deps: FleetDeps;
  readonly #readFacts: ReadFacts;
  #plan: (atMs: number) => void = () => {};

  constructor(deps: FleetDeps) {
    this.#deps = deps;
    this.#readFacts = compileFacts(deps.storage);
  }

  /** Calls back with each time, epoch ms, at which something is due, once it is committed. */
  watchTimes(plan: (atMs: number) => void): void {
    this.#plan = plan;
  }

  /** What pins, freezes and rollouts have a device get now. In a work its rollouts are locked, so that a pace is kept. */
  async assign(reads: Reads, device: HookedDevice): Promise<Assigned<FleetAssignment>> {
    const { leaving, ...assigned } = await assignmentsOf(this.#readFacts, reads, device, this.#deps.clock.now());
    if (!(reads instanceof Work) || leaving.length === 0) return assigned;
    for (const execution of leaving) {
      const rollout = await lockRollout(reads, execution.rollout_id);
      if (rollout) await this.#move(reads, rollout, execution, 'leave');
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
    device: HookedDevice,
    { id = '' }: Pick<Assignment, 'id'>,
    { updateId, isDone }: { readonly updateId: number | null; readonly isDone: boolean },
  ): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const rollout = await lockRollout(work, id);
    if (!rollout) return;
    const known = await executionOf(work, id, device.id);
    const execution = known ?? newExecution(rollout, device.id, rollout.stage, nowMs);
    if (!known) {
      await putExecution(work, execution);
      await addCount(work, execution, 1);
    }
    // A device that has left, or was skipped, enters anew; for others this is no move.
    const joined = await this.#write(work, rollout, execution, 'join', { stage: rollout.stage, kind: null });
    const paced = await changeRollout(work, id, paceAfter(rollout, nowMs));
    const isBack = waitsToReturn(rollout.state, joined);
    const offered = { update_id: updateId, ...(isBack ? { due_at: null } : { bundle_id: rollout.bundle_id }) };
    const taken = isBack ? await this.#write(work, rollout, joined, 'offer', offered) : joined;
    await this.#move(work, paced, taken, isDone ? 'confirm' : 'offer', offered);
  }

  /** An update has moved: its execution moves with it, in the same transaction. */
  async moved(work: Work, { id, device_id, trigger, kind }: MovedUpdate): Promise<void> {
    const execution = (await executionsOf(work, device_id)).find(({ update_id }) => update_id === id);
    const rollout = execution && (await lockRollout(work, execution.rollout_id));
    if (!rollout) return;
    switch (trigger) {
      case 'fetch':
      case 'install':
        return this.#move(work, rollout, execution, trigger);
      case 'confirm':
        return this.#move(work, rollout, execution, isProbed(rollout.settings, rollout.state) ? 'try' : 'confirm');
      case 'supersede':
        await this.#waitAgain(work, rollout, execution, 'withdraw', { update_id: null });
        return void (await this.#settle(work, rollout));
      default:
        return this.#failed(work, rollout, execution, 'fail', kind ?? failureKind(trigger, execution.state));
    }
  }

  /** Lets a device wait again, unless something keeps it from getting anything. */
  async #waitAgain(
    work: Work,
    rollout: RolloutRow,
    execution: ExecutionRow,
    trigger: 'withdraw' | 'retry',
    change: Partial<ExecutionRow>,
  ): Promise<void> {
    const waits = await this.#write(work, rollout, execution, trigger, change);
    const nowMs = this.#deps.clock.now();
    const reason = waits.state === 'waiting' && (await skipReasonOf(work.db, execution.device_id, nowMs));
    if (reason) await this.#write(work, rollout, waits, 'skip', { kind: reason });
  }

  /** A device has been blocked or pinned: rollouts in which it waits go on without it. */
  async skip(work: Work, deviceId: string, reason: SkipReason): Promise<void> {
    for (const { rollout_id, state } of await executionsOf(work, deviceId)) {
      const rollout = state === 'waiting' ? await lockRollout(work, rollout_id) : undefined;
      const execution = rollout && (await executionOf(work, rollout_id, deviceId));
      if (rollout && execution) await this.#move(work, rollout, execution, 'skip', { kind: reason });
    }
  }

  /** A device that had the bundle of a rollout reports another version, or that it does not work: it has failed after all. */
  async contradicted(
    work: Work,
    device: HookedDevice,
    { id = '' }: Pick<Assignment, 'id'>,
    kind: 'contradicted' | 'health',
  ): Promise<void> {
    const rollout = await lockRollout(work, id);
    const execution = rollout && (await executionOf(work, id, device.id));
    if (execution) await this.#failed(work, rollout, execution, 'contradict', kind);
  }

  /** The time of a device in its state is over: its probation has passed, or its deadline. */
  async expire(work: Work, rolloutId: string, deviceId: string): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const rollout = await lockRollout(work, rolloutId);
    const execution = rollout && (await executionOf(work, rolloutId, deviceId));
    // It may have moved meanwhile, or another process was faster.
    if (!rollout || !execution || execution.expires_at === null || execution.expires_at > nowMs) return;
    const { state } = execution;
    if (state === 'probation') await this.#move(work, rollout, execution, 'pass');
    else if (state === 'offered' || state === 'downloading' || state === 'installed') {
      await this.#failed(work, rollout, execution, 'fail', deadlineKinds[state]);
    }
  }

  /** A device has failed, for good or until its next attempt. */
  async #failed(
    work: Work,
    rollout: RolloutRow,
    execution: ExecutionRow,
    trigger: 'fail' | 'contradict',
    kind: FailureKind,
  ): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const dueAtMs = retryAtMs(rollout.settings, kind, execution.attempt, nowMs);
    const failed = await this.#write(work, rollout, execution, trigger, { kind });
    // A move that is not in the table has changed nothing.
    if (failed.state !== 'failed' || failed === execution) return;
    if (dueAtMs === undefined) {
      await logFailure(work.db, rollout, failed);
    } else {
      const change = { attempt: failed.attempt + 1, due_at: dueAtMs };
      await this.#write(work, rollout, failed, 'retry', change);
    }
    await this.#settle(work, rollout);
  }

  /** Moves an execution, its counts, and what follows for its rollout. A move that is not in the table changes nothing. */
  async #move(
    work: Work,
    rollout: RolloutRow,
    execution: ExecutionRow,
    trigger: ExecutionTrigger,
    change: Partial<ExecutionRow> = {},
  ): Promise<void> {
    await this.#write(work, rollout, execution, trigger, change);
    await this.#settle(work, rollout);
  }

  /** @param execution as it is recorded; what becomes of it besides is the change */
  async #write(
    work: Work,
    rollout: RolloutRow,
    execution: ExecutionRow,
    trigger: ExecutionTrigger,
    change: Partial<ExecutionRow>,
  ): Promise<ExecutionRow> {
    const to = transition(executionTransitions, execution.state, trigger);
    if (to === undefined) return execution;
    const nowMs = this.#deps.clock.now();
    const expires_at = expiryMs(rollout.settings, to, nowMs);
    const next = { ...execution, ...change, state: to, expires_at, changed_at: nowMs };
    if (to === 'done' || to === 'probation') Object.assign(next, { kind: null });
    await addCount(work, execution, -1);
    await addCount(work, next, 1);
    await putExecution(work, next);
    if (expires_at !== null) work.afterCommit(() => this.#plan(expires_at));
    return next;
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
    const nowMs = this.#deps.clock.now();
    let rollout = locked;
    // At most as often as there are stages: empty ones pass at once.
    for (let round = 0; round <= settings.stages.length; round++) {
      const { stage, gate_at: gateAtMs, signal_until: signalUntilMs } = rollout;
      const signalled = Boolean(rollout.signalled);
      const outcome = settle({ settings, stage, counts, gateAtMs, signalled, signalUntilMs }, nowMs);
      if (outcome.kind === 'next') {
        rollout = await this.openNext(work, rollout);
        continue;
      }
      if (outcome.kind === 'wait') return this.#wait(work, rollout, outcome, asks);
      const isOver = outcome.kind === 'finish';
      const moved = await this.trigger(
        work,
        rollout,
        isOver ? 'finish' : outcome.action,
        isOver ? null : outcome.reason,
      );
      // A rollout that is running takes all of these.
      unwrap(moved);
      return undefined;
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
    const nowMs = this.#deps.clock.now();
    const url = signal_until === null ? undefined : rollout.settings.stages[rollout.stage]?.gate?.ask?.url;
    const due_at = gateDueAtMs({ gate_at, signal_until, isAsked: url !== undefined, asks }, rollout, nowMs);
    const change = { gate_at, signal_until, due_at, reason };
    if (due_at !== null) work.afterCommit(() => this.#plan(due_at));
    const isSame = Object.entries(change).every(([name, value]) => rollout[name as keyof typeof change] === value);
    if (!isSame) await changeRollout(work, rollout.id, change);
    return asks ? url : undefined;
  }

  /** The time of a rollout has come: a start, a soak time, a signal. Returns where its gate is to be asked for, if so. */
  async due(
    work: Work,
    rolloutId: string,
  ): Promise<{ readonly url: string; readonly rollout: RolloutRow } | undefined> {
    const rollout = await lockRollout(work, rolloutId);
    if (!rollout?.due_at || rollout.due_at > this.#deps.clock.now()) return undefined;
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
    const nowMs = this.#deps.clock.now();
    const next = await changeRollout(work, rollout.id, { signalled: 1 });
    await logRollout(
      work.db,
      next,
      nowMs,
      `Stage ${next.stage + 1} of rollout "${rollout.title}" has its signal`,
      'info',
    );
    await this.#settle(work, next);
    return success(next);
  }

  /** Opens the next stage of a rollout, and wakes some of its devices. */
  async openNext(work: Work, rollout: RolloutRow): Promise<RolloutRow> {
    const nowMs = this.#deps.clock.now();
    const next = await changeRollout(work, rollout.id, { ...notGated, stage: rollout.stage + 1 });
    await logRollout(work.db, next, nowMs, `Stage ${next.stage + 1} of rollout "${rollout.title}" begins`, 'info');
    await this.wake(work, next);
    return next;
  }

  /** Wakes devices on the message channel that wait in the open stage or are brought back, at the pace of the rollout or its product. */
  wake(work: Work, rollout: RolloutRow): Promise<void> {
    const { storage, clock, stretch } = this.#deps;
    const nowMs = clock.now();
    return wakeWaiting(work, rollout, { bus: storage.bus, nowMs, slower: stretch(nowMs), plan: this.#plan });
  }

  /** Wakes more devices of a rollout whose time for it has come. */
  async wakeMore(work: Work, rolloutId: string): Promise<void> {
    const rollout = await lockRollout(work, rolloutId);
    const isDue = rollout?.wake_at != null && rollout.wake_at <= this.#deps.clock.now();
    if (isDue && (rollout.state === 'running' || rollout.state === 'rolled_back')) await this.wake(work, rollout);
  }

  /** Starts a rollout: its devices get their stages. Refusal: ILLEGAL_TRANSITION. */
  async start(work: Work, rollout: RolloutRow, reason: string | null): Promise<Result<RolloutRow, Refusal>> {
    const begun = await this.trigger(work, rollout, 'start', reason);
    if (!begun.ok) return begun;
    await enlist(work, this.#deps.storage.expressions, rollout, this.#deps.clock.now());
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
    const to = transition(rolloutTransitions, rollout.state, trigger);
    if (to === undefined) return wrongState(rollout.state, wantedStates[trigger] ?? trigger);
    const nowMs = this.#deps.clock.now();
    const { settings } = rollout;
    const hasEnded = to === 'finished' || to === 'aborted' || to === 'rolled_back' || to === 'cancelled';
    const due_at = to === 'scheduled' ? (settings.start_at ?? nowMs) : null;
    const next = await changeRollout(work, rollout.id, {
      state: to,
      reason: to === 'running' ? null : reason,
      gate_at: null,
      signal_until: null,
      due_at,
      holds: holdingStates.includes(to) ? (1 as const) : (0 as const),
      finished_at: hasEnded ? nowMs : null,
      ...(trigger === 'start' && { started_at: nowMs }),
      ...(to === 'rolled_back' && { wake_after: null }),
    });
    const because = reason === null ? '' : `: ${reason}`;
    const level = to === 'paused' || to === 'aborted' || to === 'rolled_back' ? 'warning' : 'info';
    await logRollout(work.db, next, nowMs, `Rollout "${rollout.title}" is ${to.replace('_', ' ')}${because}`, level);
    if (to === 'finished' && settings.then_tag !== undefined) {
      await work.restart();
      await this.#deps.tagBundle(work.db, rollout.bundle_id, settings.then_tag, nowMs);
    }
    if (to === 'rolled_back') await bringBack(work, rollout, settings.pace ? nowMs : null, backTo);
    if (trigger === 'resume' || to === 'rolled_back') await this.wake(work, next);
    if (due_at !== null) work.afterCommit(() => this.#plan(due_at));
    return success(next);
  }

  /** Lets the failed devices of a rollout wait again; they are due at once. */
  async retryFailed(work: Work, rollout: RolloutRow): Promise<number> {
    const failed = await failedExecutions(work.db, rollout.id);
    await work.all(
      executionsByDevice,
      failed.map(({ device_id }) => device_id),
    );
    for (const row of failed) {
      const change = { attempt: row.attempt + 1, due_at: null, update_id: null };
      await this.#waitAgain(work, rollout, row, 'retry', change);
    }
    return failed.length;
  }
}
