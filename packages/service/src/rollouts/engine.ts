import { type Refusal, type RolloutState, refusal } from '@moorage/api';
import { type CancelTimer, failure, type Result, success, transition, unwrap } from '@moorage/base';
import { topics } from '../bus/topics.ts';
import { RecordCache } from '../core/record-cache.ts';
import type { Deps } from '../core/types.ts';
import { writeLog } from '../db/logs.ts';
import type { Db } from '../db/storage.ts';
import { afterCommit } from '../db/transaction.ts';
import { parseFilter } from '../filters/parse.ts';
import { fitsFilter } from '../filters/predicate.ts';
import { deviceFacts } from '../filters/queries.ts';
import type { Standing, UpdateTrigger } from '../ota/rules.ts';
import {
  addCount,
  changeExecution,
  changeRollout,
  countsOf,
  dueRollouts,
  type ExecutionRow,
  executionByUpdate,
  executionOf,
  executionsOfDevice,
  failedExecutions,
  insertExecutions,
  lockRollout,
  type Marks,
  marksOf,
  nextGate,
  pinOf,
  type RolloutRow,
  settingsOf,
  waitingDevices,
} from './queries.ts';
import {
  type ExecutionTrigger,
  executionTransitions,
  failureKind,
  holds,
  openOf,
  paceMs,
  type RolloutTrigger,
  retryAtMs,
  rolloutTransitions,
  settle,
  whyWait,
} from './rules.ts';

interface FleetDevice {
  readonly id: string;
  readonly product_id: string;
}

/** An update that has moved, and what moved it. */
interface MovedUpdate {
  readonly id: number;
  readonly trigger: UpdateTrigger;
}

type FleetDeps = Pick<Deps, 'storage' | 'clock' | 'log'> & {
  /** Gives the bundle of a rollout that is over its tag. */
  readonly tagBundle: (trx: Db, bundleId: string, tag: 'alpha' | 'beta' | 'release', atMs: number) => Promise<void>;
};

const remembered = { products: 1_000 } as const;
/** Devices that one opening stage wakes when its pace names no number; the others come with their own queries. */
const wakeLimit = 500;

/** A timer is set no further ahead, in ms. */
const longestPlanMs = 3_600_000;

const isOver = (untilMs: number | null, nowMs: number): boolean => untilMs !== null && untilMs <= nowMs;

/** Pins, freezes and rollouts as updates over the air see them, and the moves of rollouts. */
export class Fleet {
  readonly #deps: FleetDeps;
  readonly #marks: RecordCache<Marks>;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #cancel: CancelTimer = () => {};
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(deps: FleetDeps) {
    this.#deps = deps;
    this.#marks = new RecordCache<Marks>(deps.storage.changes, remembered.products);
  }

  /** What of pins, freezes and rollouts there is for a product; remembered outside of transactions. */
  async #marksOf(db: Db, productId: string): Promise<Marks> {
    const isOutside = db === this.#deps.storage.db;
    const known = isOutside ? this.#marks.get(productId) : undefined;
    if (known) return known;
    const keep = this.#marks.beginRead();
    const marks = await marksOf(db, productId);
    if (isOutside) keep(productId, marks);
    return marks;
  }

  /** What holds or moves a device now. In a transaction its rollouts are locked, so that a pace is kept. */
  async standing(db: Db, device: FleetDevice): Promise<Standing> {
    const marks = await this.#marksOf(db, device.product_id);
    const nowMs = this.#deps.clock.now();
    const pin = marks.pins ? await pinOf(db, device.id) : undefined;
    const isFrozen = marks.freeze && !isOver(marks.freeze.until, nowMs);
    const rollout = marks.rollouts.length > 0 ? await this.#rolloutOf(db, device, marks.rollouts, nowMs) : undefined;
    return {
      ...(pin && !isOver(pin.until, nowMs) && { pin: { bundleId: pin.bundle_id, reason: pin.reason } }),
      ...(isFrozen && marks.freeze && { freeze: { reason: marks.freeze.reason } }),
      ...(rollout && { rollout }),
    };
  }

  async #rolloutOf(
    db: Db,
    device: FleetDevice,
    rollouts: readonly RolloutRow[],
    nowMs: number,
  ): Promise<Standing['rollout']> {
    const executions = new Map((await executionsOfDevice(db, device.id)).map((row) => [row.rollout_id, row]));
    for (const rollout of rollouts) {
      const { id, title } = rollout;
      const execution = executions.get(id);
      if (execution && holds(rollout.state, execution.state)) {
        return { id, title, bundleId: execution.bundle_id, isNew: false };
      }
      const mayWait = !execution || execution.state === 'waiting' || execution.state === 'left';
      if (rollout.state !== 'running' || !mayWait) continue;
      if (await this.#isTurn(db, rollout, execution, device, nowMs)) {
        return { id, title, bundleId: rollout.bundle_id, isNew: true };
      }
    }
    return undefined;
  }

  /** Whether a device may be offered the bundle of a running rollout now, and fits its filter still. */
  async #isTurn(
    db: Db,
    seen: RolloutRow,
    execution: ExecutionRow | undefined,
    device: FleetDevice,
    nowMs: number,
  ): Promise<boolean> {
    const { storage } = this.#deps;
    const rollout = db === storage.db ? seen : await lockRollout(db, storage.expressions, seen.id);
    if (!rollout) return false;
    const settings = settingsOf(rollout);
    const counts = settings.pace?.open === undefined ? [] : await countsOf(db, rollout.id, settings.stages.length);
    const why = whyWait(
      {
        state: rollout.state,
        settings,
        openStage: rollout.stage,
        stage: execution && execution.state !== 'left' ? execution.stage : rollout.stage,
        dueAtMs: execution?.due_at ?? null,
        open: openOf(counts),
        paceFromMs: rollout.pace_from,
        paceCount: rollout.pace_count,
      },
      nowMs,
    );
    if (why !== undefined) return false;
    if (rollout.filter === null) return true;
    const facts = (await deviceFacts(db, [device.id])).get(device.id);
    // What is kept has been parsed.
    const fits = facts !== undefined && fitsFilter(unwrap(parseFilter(rollout.filter)), facts, nowMs);
    if (!fits && execution?.state === 'waiting' && db !== storage.db) await this.#move(db, execution, 'leave');
    return fits;
  }

  /** A device has been offered the bundle of a rollout whose turn it was, or was found to run it. */
  async took(trx: Db, device: FleetDevice, rolloutId: string, updateId: number | null, isDone: boolean): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const rollout = await lockRollout(trx, this.#deps.storage.expressions, rolloutId);
    if (!rollout) return;
    const known = await executionOf(trx, rolloutId, device.id);
    const execution = known ?? {
      rollout_id: rolloutId,
      device_id: device.id,
      bundle_id: rollout.bundle_id,
      stage: rollout.stage,
      state: 'waiting' as const,
      kind: null,
      attempt: 1,
      update_id: null,
      due_at: null,
      changed_at: nowMs,
    };
    if (!known) {
      await insertExecutions(trx, [execution]);
      await addCount(trx, execution, 1);
    }
    const joined =
      execution.state === 'left' ? await this.#write(trx, execution, 'join', { stage: rollout.stage }) : execution;
    const isSame = nowMs - rollout.pace_from < paceMs;
    await changeRollout(
      trx,
      rolloutId,
      isSame ? { pace_count: rollout.pace_count + 1 } : { pace_from: nowMs, pace_count: 1 },
    );
    await this.#move(
      trx,
      { ...joined, update_id: updateId, bundle_id: rollout.bundle_id },
      isDone ? 'confirm' : 'offer',
    );
  }

  /** An update has moved: its execution moves with it, in the same transaction. */
  async moved(trx: Db, { id, trigger }: MovedUpdate): Promise<void> {
    const execution = await executionByUpdate(trx, id);
    if (!execution) return;
    switch (trigger) {
      case 'fetch':
      case 'install':
      case 'confirm':
        return this.#move(trx, execution, trigger);
      case 'supersede':
        return this.#move(trx, { ...execution, update_id: null }, 'withdraw');
      default:
        return this.#failed(trx, execution, trigger);
    }
  }

  async #failed(trx: Db, execution: ExecutionRow, trigger: 'fail' | 'mismatch' | 'expire'): Promise<void> {
    const kind = failureKind(trigger, execution.state);
    const nowMs = this.#deps.clock.now();
    const rollout = await lockRollout(trx, this.#deps.storage.expressions, execution.rollout_id);
    const dueAtMs = rollout && retryAtMs(settingsOf(rollout), kind, execution.attempt, nowMs);
    if (dueAtMs === undefined) return this.#move(trx, { ...execution, kind }, 'fail');
    const failed = await this.#write(trx, { ...execution, kind }, 'fail', {});
    await this.#move(trx, { ...failed, attempt: failed.attempt + 1, due_at: dueAtMs }, 'retry');
  }

  /** Moves an execution, its counts, and what follows for its rollout. A move that is not in the table changes nothing. */
  async #move(trx: Db, execution: ExecutionRow, trigger: ExecutionTrigger): Promise<void> {
    await this.#write(trx, execution, trigger, {});
    await this.settleRollout(trx, execution.rollout_id);
  }

  async #write(
    trx: Db,
    execution: ExecutionRow,
    trigger: ExecutionTrigger,
    change: Partial<ExecutionRow>,
  ): Promise<ExecutionRow> {
    const to = transition(executionTransitions, execution.state, trigger);
    if (to === undefined) return execution;
    const before = await executionOf(trx, execution.rollout_id, execution.device_id);
    const next = { ...execution, ...change, state: to, changed_at: this.#deps.clock.now() };
    if (to === 'done') Object.assign(next, { kind: null });
    if (before) await addCount(trx, before, -1);
    await addCount(trx, next, 1);
    await changeExecution(trx, next);
    return next;
  }

  /** Draws the conclusions from the counts of a rollout, in the transaction that has changed them. */
  async settleRollout(trx: Db, rolloutId: string): Promise<void> {
    const { storage, clock } = this.#deps;
    const locked = await lockRollout(trx, storage.expressions, rolloutId);
    if (locked?.state !== 'running') return;
    const settings = settingsOf(locked);
    const counts = await countsOf(trx, rolloutId, settings.stages.length);
    const nowMs = clock.now();
    let rollout = locked;
    // At most as often as there are stages: empty ones pass at once.
    for (let round = 0; round <= settings.stages.length; round++) {
      const outcome = settle({ settings, stage: rollout.stage, counts, gateAtMs: rollout.gate_at }, nowMs);
      if (outcome.kind === 'stop') {
        ignoreRefusal(await this.trigger(trx, rollout, outcome.action, outcome.reason));
        return;
      }
      if (outcome.kind === 'finish') {
        ignoreRefusal(await this.trigger(trx, rollout, 'finish', null));
        return;
      }
      if (outcome.kind === 'wait') {
        const { gateAtMs: gate_at, reason } = outcome;
        if (gate_at !== null) afterCommit(trx, () => this.#plan(gate_at));
        if (gate_at !== rollout.gate_at || reason !== rollout.reason)
          await changeRollout(trx, rolloutId, { gate_at, reason });
        return;
      }
      rollout = await this.openNext(trx, rollout);
    }
  }

  /** Opens the next stage of a rollout, and wakes some of its devices. */
  async openNext(trx: Db, rollout: RolloutRow): Promise<RolloutRow> {
    const next = { ...rollout, stage: rollout.stage + 1, gate_at: null, reason: null };
    await changeRollout(trx, rollout.id, { stage: next.stage, gate_at: null, reason: null });
    await this.#log(trx, next, `Stage ${next.stage + 1} of rollout "${rollout.title}" begins`, 'info');
    await this.wake(trx, next);
    return next;
  }

  /** Wakes devices of the open stage that are on the message channel: no more than its pace takes. */
  async wake(trx: Db, rollout: RolloutRow): Promise<void> {
    const { pace } = settingsOf(rollout);
    const limit = Math.min(wakeLimit, pace?.open ?? wakeLimit, pace?.per_minute ?? wakeLimit);
    const devices = await waitingDevices(trx, rollout.id, rollout.stage, limit);
    afterCommit(trx, () => {
      for (const { device_id: deviceId } of devices) this.#deps.storage.bus.publish(topics.otaDue, { deviceId });
    });
  }

  /** Takes a rollout to its next state: beside its first, nothing else writes one. Refusal: ILLEGAL_TRANSITION. */
  async trigger(
    trx: Db,
    rollout: RolloutRow,
    trigger: RolloutTrigger,
    reason: string | null,
  ): Promise<Result<RolloutRow, Refusal>> {
    const to = transition(rolloutTransitions, rollout.state, trigger);
    if (to === undefined) {
      const wanted: Readonly<Partial<Record<RolloutTrigger, RolloutState>>> = { pause: 'paused', abort: 'aborted' };
      const blanks = { what: 'A rollout', from: rollout.state, to: wanted[trigger] ?? trigger };
      return failure(refusal('ILLEGAL_TRANSITION', blanks));
    }
    const nowMs = this.#deps.clock.now();
    const hasEnded = to === 'finished' || to === 'aborted' || to === 'rolled_back';
    const change = {
      state: to,
      reason,
      gate_at: null,
      holds: to === 'draft' || to === 'rolled_back' ? (0 as const) : (1 as const),
      finished_at: hasEnded ? nowMs : null,
      ...(trigger === 'start' && { started_at: nowMs }),
    };
    await changeRollout(trx, rollout.id, change);
    const next = { ...rollout, ...change };
    const because = reason === null ? '' : `: ${reason}`;
    const level = to === 'running' || to === 'finished' ? 'info' : 'warning';
    await this.#log(trx, next, `Rollout "${rollout.title}" is ${to.replace('_', ' ')}${because}`, level);
    const tag = settingsOf(rollout).then_tag;
    if (to === 'finished' && tag !== undefined) await this.#deps.tagBundle(trx, rollout.bundle_id, tag, nowMs);
    if (to === 'running') await this.wake(trx, next);
    return success(next);
  }

  /** Lets the failed devices of a rollout wait again; they are due at once. */
  async retryFailed(trx: Db, rollout: RolloutRow): Promise<number> {
    const failed = await failedExecutions(trx, rollout.id);
    for (const row of failed) {
      await this.#write(trx, { ...row, attempt: row.attempt + 1, due_at: null, update_id: null }, 'retry', {});
    }
    return failed.length;
  }

  /** Opens what a soak time has held back, and plans the next such time; for the start and the background. */
  async runDue(): Promise<void> {
    const { storage, clock } = this.#deps;
    for (const { id } of await dueRollouts(storage.db, clock.now())) {
      await storage.transaction((trx) => this.settleRollout(trx, id));
    }
    const next = await nextGate(storage.db, clock.now());
    if (next !== undefined) this.#plan(next);
  }

  /** Plans nothing any more, and waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#running;
  }

  /** Looks for stages that are due at a time, epoch ms. Other processes have their own; the database decides. */
  #plan(atMs: number): void {
    if (this.#isClosed || atMs >= this.#dueAtMs) return;
    const { clock, log } = this.#deps;
    this.#cancel();
    this.#dueAtMs = atMs;
    this.#cancel = clock.after(Math.min(Math.max(0, atMs - clock.now()), longestPlanMs), () => {
      this.#dueAtMs = Number.POSITIVE_INFINITY;
      this.#running = this.runDue().catch((error: unknown) => log.error({ err: error }, 'Rollouts were not looked at'));
    });
  }

  #log(trx: Db, rollout: RolloutRow, message: string, level: 'info' | 'warning'): Promise<void> {
    const { id, product_id: productId, bundle_id: bundleId, state, stage, reason } = rollout;
    const type = 'rollout.state';
    const data = { rollout: id, state, stage, ...(reason !== null && { reason }) };
    return writeLog(trx, { type, level, message, atMs: this.#deps.clock.now(), productId, bundleId, data });
  }
}

/** A rollout that is running takes all of these. */
const ignoreRefusal = (moved: Result<unknown, Refusal>): void => void unwrap(moved);
