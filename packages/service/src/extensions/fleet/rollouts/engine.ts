import type { FailureKind, Refusal, SkipReason } from '@moorage/api';
import { type Result, success, transition, unwrap } from '@moorage/base';
import type { Standing } from '../../../core/ota/rules.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { afterCommit } from '../../../engine/db/transaction.ts';
import type { FleetDeps, MovedUpdate } from './deps.ts';
import { logFailure, logRollout } from './events.ts';
import {
  beginSteps,
  changeExecution,
  deleteExecution,
  type ExecutionRow,
  executionByUpdate,
  executionOf,
  executionsOf,
  failedExecutions,
  insertExecution,
  newExecution,
} from './execution-queries.ts';
import { bringBack, skipReasonOf } from './member-queries.ts';
import { enlist } from './members.ts';
import { addCounts, changeRollout, countsOf, lockRollout, type RolloutRow, settingsOf } from './queries.ts';
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
import { type FleetDevice, Standings } from './standing.ts';
import { deadlineKinds, expiryMs, failureKind, gateDueAtMs, isProbed, paceAfter, retryAtMs } from './turns.ts';
import { wakeWaiting } from './wakes.ts';

/** Moves of rollouts and their devices. What waits for a time is planned by `watchTimes`. */
export class Fleet {
  readonly #deps: FleetDeps;
  readonly #standings: Standings;
  readonly beginSteps = beginSteps;
  #plan: (atMs: number) => void = () => {};

  constructor(deps: FleetDeps) {
    this.#deps = deps;
    this.#standings = new Standings({
      ...deps,
      leave: async (trx, execution) => {
        const rollout = await this.#lock(trx, execution.rollout_id);
        if (rollout) await this.#move(trx, rollout, execution, 'leave');
      },
    });
  }

  /** Calls back with each time, epoch ms, at which something is due, once it is committed. */
  watchTimes(plan: (atMs: number) => void): void {
    this.#plan = plan;
  }

  /** What holds or moves a device now. In a transaction its rollouts are locked, so that a pace is kept. */
  standing(db: Db, device: FleetDevice): Promise<Standing> {
    return this.#standings.of(db, device);
  }

  #lock(trx: Db, id: string): Promise<RolloutRow | undefined> {
    return lockRollout(trx, this.#deps.storage.expressions, id);
  }

  /** Records that a device has been offered the bundle of a rollout, or runs it already. */
  async recordOffer(
    trx: Db,
    device: FleetDevice,
    rolloutId: string,
    updateId: number | null,
    isDone: boolean,
  ): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const rollout = await this.#lock(trx, rolloutId);
    if (!rollout) return;
    const known = await executionOf(trx, rolloutId, device.id);
    const execution = known ?? newExecution(rollout, device.id, rollout.stage, nowMs);
    if (!known) {
      await insertExecution(trx, execution);
      await addCounts(trx, [[execution, 1]]);
    }
    // Who has left, or was skipped, enters anew; for others this is no move.
    const joined = await this.#write(trx, rollout, execution, 'join', { stage: rollout.stage, kind: null });
    const pace = paceAfter(rollout, nowMs);
    await changeRollout(trx, rolloutId, pace);
    const isBack = waitsToReturn(rollout.state, joined);
    const offered = { update_id: updateId, ...(isBack ? { due_at: null } : { bundle_id: rollout.bundle_id }) };
    const taken = isBack ? await this.#write(trx, rollout, joined, 'offer', offered) : joined;
    await this.#move(trx, { ...rollout, ...pace }, taken, isDone ? 'confirm' : 'offer', offered);
  }

  /** An update has moved: its execution moves with it, in the same transaction. */
  async moved(trx: Db, { trigger, kind, ...update }: MovedUpdate): Promise<void> {
    const execution = await executionByUpdate(trx, update);
    const rollout = execution && (await this.#lock(trx, execution.rollout_id));
    if (!rollout) return;
    switch (trigger) {
      case 'fetch':
      case 'install':
        return this.#move(trx, rollout, execution, trigger);
      case 'confirm':
        return this.#move(trx, rollout, execution, isProbed(settingsOf(rollout), rollout.state) ? 'try' : 'confirm');
      case 'supersede':
        await this.#waitAgain(trx, rollout, execution, 'withdraw', { update_id: null });
        return void (await this.#settle(trx, rollout));
      default:
        return this.#failed(trx, rollout, execution, 'fail', kind ?? failureKind(trigger, execution.state));
    }
  }

  /** Lets a device wait again, unless something keeps it from getting anything. */
  async #waitAgain(
    trx: Db,
    rollout: RolloutRow,
    execution: ExecutionRow,
    trigger: 'withdraw' | 'retry',
    change: Partial<ExecutionRow>,
  ): Promise<void> {
    const waits = await this.#write(trx, rollout, execution, trigger, change);
    const reason = waits.state === 'waiting' && (await skipReasonOf(trx, execution.device_id, this.#deps.clock.now()));
    if (reason) await this.#write(trx, rollout, waits, 'skip', { kind: reason });
  }

  /** A device has been blocked or pinned: rollouts in which it waits go on without it. */
  async skip(trx: Db, deviceId: string, reason: SkipReason): Promise<void> {
    for (const { rollout_id, state } of await executionsOf(trx, deviceId)) {
      const rollout = state === 'waiting' ? await this.#lock(trx, rollout_id) : undefined;
      const execution = rollout && (await executionOf(trx, rollout_id, deviceId));
      if (rollout && execution) await this.#move(trx, rollout, execution, 'skip', { kind: reason });
    }
  }

  /** A device that had the bundle of a rollout reports another version, or that it does not work: it has failed after all. */
  async contradicted(trx: Db, device: FleetDevice, rolloutId: string, kind: 'contradicted' | 'health'): Promise<void> {
    const rollout = await this.#lock(trx, rolloutId);
    const execution = rollout && (await executionOf(trx, rolloutId, device.id));
    if (!rollout || !execution) return;
    await this.#failed(trx, rollout, execution, 'contradict', kind);
  }

  /** The time of a device in its state is over: its probation has passed, or its deadline. */
  async expire(trx: Db, rolloutId: string, deviceId: string): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const rollout = await this.#lock(trx, rolloutId);
    const execution = rollout && (await executionOf(trx, rolloutId, deviceId));
    // It may have moved meanwhile, or another process was faster.
    if (!rollout || !execution || execution.expires_at === null || execution.expires_at > nowMs) return;
    const { state } = execution;
    if (state === 'probation') await this.#move(trx, rollout, execution, 'pass');
    else if (state === 'offered' || state === 'downloading' || state === 'installed') {
      await this.#failed(trx, rollout, execution, 'fail', deadlineKinds[state]);
    }
  }

  /** A device has failed, for good or until its next attempt. */
  async #failed(
    trx: Db,
    rollout: RolloutRow,
    execution: ExecutionRow,
    trigger: 'fail' | 'contradict',
    kind: FailureKind,
  ): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const dueAtMs = retryAtMs(settingsOf(rollout), kind, execution.attempt, nowMs);
    const failed = await this.#write(trx, rollout, execution, trigger, { kind });
    // A move that is not in the table has changed nothing.
    if (failed.state !== 'failed' || failed === execution) return;
    if (dueAtMs === undefined) {
      await logFailure(trx, rollout, failed);
    } else {
      const change = { attempt: failed.attempt + 1, due_at: dueAtMs };
      await this.#write(trx, rollout, failed, 'retry', change);
    }
    await this.#settle(trx, rollout);
  }

  /** Moves an execution, its counts, and what follows for its rollout. A move that is not in the table changes nothing. */
  async #move(
    trx: Db,
    rollout: RolloutRow,
    execution: ExecutionRow,
    trigger: ExecutionTrigger,
    change: Partial<ExecutionRow> = {},
  ): Promise<void> {
    await this.#write(trx, rollout, execution, trigger, change);
    await this.#settle(trx, rollout);
  }

  /** @param execution as it is recorded; what becomes of it besides is the change */
  async #write(
    trx: Db,
    rollout: RolloutRow,
    execution: ExecutionRow,
    trigger: ExecutionTrigger,
    change: Partial<ExecutionRow>,
  ): Promise<ExecutionRow> {
    const to = transition(executionTransitions, execution.state, trigger);
    if (to === undefined) return execution;
    const nowMs = this.#deps.clock.now();
    const expires_at = expiryMs(settingsOf(rollout), to, nowMs);
    const next = { ...execution, ...change, state: to, expires_at, changed_at: nowMs };
    if (to === 'done' || to === 'probation') Object.assign(next, { kind: null });
    await addCounts(trx, [
      [execution, -1],
      [next, 1],
    ]);
    await changeExecution(trx, next);
    if (expires_at !== null) afterCommit(trx, () => this.#plan(expires_at));
    return next;
  }

  /** A device will be deleted: the rollouts that count it count it no more. */
  async forget(trx: Db, deviceId: string): Promise<void> {
    for (const execution of await executionsOf(trx, deviceId)) {
      if (!(await this.#lock(trx, execution.rollout_id))) continue;
      await addCounts(trx, [[execution, -1]]);
      await deleteExecution(trx, execution);
      await this.settleRollout(trx, execution.rollout_id);
    }
  }

  /** Draws the conclusions from the counts of a rollout, in the transaction that has changed them. */
  async settleRollout(trx: Db, rolloutId: string): Promise<void> {
    const locked = await this.#lock(trx, rolloutId);
    if (locked) await this.#settle(trx, locked);
  }

  /** @param asks whether an answer from outside that is due is about to be asked for; where it is returned */
  async #settle(trx: Db, locked: RolloutRow, asks = false): Promise<string | undefined> {
    if (locked.state !== 'running') return undefined;
    const settings = settingsOf(locked);
    const counts = await countsOf(trx, locked.id, settings.stages.length);
    const nowMs = this.#deps.clock.now();
    let rollout = locked;
    // At most as often as there are stages: empty ones pass at once.
    for (let round = 0; round <= settings.stages.length; round++) {
      const { stage, gate_at: gateAtMs, signal_until: signalUntilMs } = rollout;
      const signalled = Boolean(rollout.signalled);
      const outcome = settle({ settings, stage, counts, gateAtMs, signalled, signalUntilMs }, nowMs);
      if (outcome.kind === 'next') {
        rollout = await this.openNext(trx, rollout);
        continue;
      }
      if (outcome.kind === 'wait') return this.#wait(trx, rollout, outcome, asks);
      const isOver = outcome.kind === 'finish';
      const moved = await this.trigger(
        trx,
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
    trx: Db,
    rollout: RolloutRow,
    { gateAtMs: gate_at, signalUntilMs: signal_until, reason }: Extract<Outcome, { kind: 'wait' }>,
    asks: boolean,
  ): Promise<string | undefined> {
    const nowMs = this.#deps.clock.now();
    const url = signal_until === null ? undefined : settingsOf(rollout).stages[rollout.stage]?.gate?.ask?.url;
    const due_at = gateDueAtMs({ gate_at, signal_until, isAsked: url !== undefined, asks }, rollout, nowMs);
    const change = { gate_at, signal_until, due_at, reason };
    if (due_at !== null) afterCommit(trx, () => this.#plan(due_at));
    const isSame = Object.entries(change).every(([name, value]) => rollout[name as keyof typeof change] === value);
    if (!isSame) await changeRollout(trx, rollout.id, change);
    return asks ? url : undefined;
  }

  /** The time of a rollout has come: a start, a soak time, a signal. Returns where its gate is to be asked for, if so. */
  async due(trx: Db, rolloutId: string): Promise<{ readonly url: string; readonly rollout: RolloutRow } | undefined> {
    const rollout = await this.#lock(trx, rolloutId);
    if (!rollout?.due_at || rollout.due_at > this.#deps.clock.now()) return undefined;
    if (rollout.state === 'scheduled') return void unwrap(await this.begin(trx, rollout, 'at its time'));
    const url = await this.#settle(trx, rollout, true);
    return url === undefined ? undefined : { url, rollout };
  }

  /** Something outside has said whether the next stage may open. Refusal: ILLEGAL_TRANSITION. */
  async signal(
    trx: Db,
    rollout: RolloutRow,
    { pass, reason }: { readonly pass: boolean; readonly reason: string },
  ): Promise<Result<RolloutRow, Refusal>> {
    if (rollout.state !== 'running') return wrongState(rollout.state, 'signalled');
    if (!pass) return this.trigger(trx, rollout, 'pause', reason);
    const nowMs = this.#deps.clock.now();
    const next = { ...rollout, signalled: 1 as const };
    await changeRollout(trx, rollout.id, { signalled: 1 });
    await logRollout(trx, next, nowMs, `Stage ${next.stage + 1} of rollout "${rollout.title}" has its signal`, 'info');
    await this.#settle(trx, next);
    return success(next);
  }

  /** Opens the next stage of a rollout, and wakes some of its devices. */
  async openNext(trx: Db, rollout: RolloutRow): Promise<RolloutRow> {
    const nowMs = this.#deps.clock.now();
    const change = { ...notGated, stage: rollout.stage + 1 };
    const next = { ...rollout, ...change };
    await changeRollout(trx, rollout.id, change);
    await logRollout(trx, next, nowMs, `Stage ${next.stage + 1} of rollout "${rollout.title}" begins`, 'info');
    await this.wake(trx, next);
    return next;
  }

  /** Wakes devices on the message channel that wait in the open stage or are brought back, at the pace of the rollout or its product. */
  wake(trx: Db, rollout: RolloutRow): Promise<void> {
    const { storage, clock, stretch } = this.#deps;
    const nowMs = clock.now();
    return wakeWaiting(trx, rollout, { bus: storage.bus, nowMs, slower: stretch(nowMs), plan: this.#plan });
  }

  /** Wakes more devices of a rollout whose time for it has come. */
  async wakeMore(trx: Db, rolloutId: string): Promise<void> {
    const rollout = await this.#lock(trx, rolloutId);
    const isDue = rollout?.wake_at != null && rollout.wake_at <= this.#deps.clock.now();
    if (isDue && (rollout.state === 'running' || rollout.state === 'rolled_back')) await this.wake(trx, rollout);
  }

  /** Starts a rollout: its devices get their stages. Refusal: ILLEGAL_TRANSITION. */
  async begin(trx: Db, rollout: RolloutRow, reason: string | null): Promise<Result<RolloutRow, Refusal>> {
    const begun = await this.trigger(trx, rollout, 'start', reason);
    if (!begun.ok) return begun;
    await enlist(trx, this.#deps.storage.expressions, rollout, this.#deps.clock.now());
    await this.wake(trx, begun.value);
    await this.#settle(trx, begun.value);
    return begun;
  }

  /**
   * Takes a rollout to its next state: beside its first, nothing else writes one. Refusal: ILLEGAL_TRANSITION.
   *
   * @param backTo the bundle that the devices get that it has moved, when it is rolled back; else each the one it had
   */
  async trigger(
    trx: Db,
    rollout: RolloutRow,
    trigger: RolloutTrigger,
    reason: string | null,
    backTo?: string,
  ): Promise<Result<RolloutRow, Refusal>> {
    const to = transition(rolloutTransitions, rollout.state, trigger);
    if (to === undefined) return wrongState(rollout.state, wantedStates[trigger] ?? trigger);
    const nowMs = this.#deps.clock.now();
    const settings = settingsOf(rollout);
    const hasEnded = to === 'finished' || to === 'aborted' || to === 'rolled_back' || to === 'cancelled';
    const due_at = to === 'scheduled' ? (settings.start_at ?? nowMs) : null;
    const change = {
      state: to,
      reason: to === 'running' ? null : reason,
      gate_at: null,
      signal_until: null,
      due_at,
      holds: holdingStates.includes(to) ? (1 as const) : (0 as const),
      finished_at: hasEnded ? nowMs : null,
      ...(trigger === 'start' && { started_at: nowMs }),
      ...(to === 'rolled_back' && { wake_after: null }),
    };
    await changeRollout(trx, rollout.id, change);
    const next = { ...rollout, ...change };
    const because = reason === null ? '' : `: ${reason}`;
    const level = to === 'paused' || to === 'aborted' || to === 'rolled_back' ? 'warning' : 'info';
    await logRollout(trx, next, nowMs, `Rollout "${rollout.title}" is ${to.replace('_', ' ')}${because}`, level);
    if (to === 'finished' && settings.then_tag !== undefined) {
      await this.#deps.tagBundle(trx, rollout.bundle_id, settings.then_tag, nowMs);
    }
    if (to === 'rolled_back') await bringBack(trx, rollout, settings.pace ? nowMs : null, backTo);
    if (trigger === 'resume' || to === 'rolled_back') await this.wake(trx, next);
    if (due_at !== null) afterCommit(trx, () => this.#plan(due_at));
    return success(next);
  }

  /** Lets the failed devices of a rollout wait again; they are due at once. */
  async retryFailed(trx: Db, rollout: RolloutRow): Promise<number> {
    const failed = await failedExecutions(trx, rollout.id);
    for (const row of failed) {
      const change = { attempt: row.attempt + 1, due_at: null, update_id: null };
      await this.#waitAgain(trx, rollout, row, 'retry', change);
    }
    return failed.length;
  }
}
