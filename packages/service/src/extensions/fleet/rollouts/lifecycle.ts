import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success, transition, unwrap } from '@moorage/base';
import type { Db } from '../../../engine/db/storage.ts';
import type { Work } from '../../../engine/db/work.ts';
import type { Deps } from '../../../engine/http/types.ts';
import { logRollout } from './events.ts';
import { bringBack, bundleState } from './member-queries.ts';
import { enlist } from './members.ts';
import { changeRollout, countsOf, lockRollout, type RolloutRow } from './queries.ts';
import {
  endedStates,
  holdingStates,
  notGated,
  type Outcome,
  type RolloutTrigger,
  rolloutTransitions,
  settle,
  wantedStates,
  wrongState,
} from './rules.ts';
import { gateDueAtMs } from './turns.ts';
import { wakeWaiting } from './wakes.ts';

export type FleetDeps = Pick<Deps, 'storage' | 'clock' | 'log'> & {
  /** Gives the bundle of a rollout that is over its tag. */
  readonly tagBundle: (trx: Db, bundleId: string, tag: 'alpha' | 'beta' | 'release', atMs: number) => Promise<void>;
  /** By how much slower the load of the process makes waking, at a time in epoch ms; 1 for not at all. */
  readonly stretch: (nowMs: number) => number;
};

/** Where devices go whose rollout is rolled back. */
interface WayBack {
  /** All of them to this bundle; without one, each to the one it had. */
  readonly bundleId?: string;
  /** A person asks for it, who can name a bundle. */
  readonly isAsked?: boolean;
}

/** With these a rollout begins to mean its bundle. */
const beginnings: readonly RolloutTrigger[] = ['ask', 'schedule', 'start', 'resume'];

/** Moves of rollouts. What waits for a time is planned by `watchTimes`. */
export class Lifecycle {
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

  planAt(work: Work, atMs: number | null): void {
    if (atMs !== null) work.afterCommit(() => this.#plan(atMs));
  }

  /**
   * Draws the conclusions from the counts of a rollout, in the transaction that has changed them.
   *
   * @param asks whether an answer from outside that is due is about to be asked for; where it is returned
   */
  async settle(work: Work, rolloutId: string, asks = false): Promise<string | undefined> {
    const locked = await lockRollout(work, rolloutId);
    if (locked?.state !== 'running') return undefined;
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
          outcome.kind === 'finish' ? (['finish', outcome.reason] as const) : [outcome.action, outcome.reason];
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
    this.planAt(work, due_at);
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
    if (rollout.state === 'scheduled') {
      const begun = await this.start(work, rollout, 'at its time');
      // Its bundle has gone.
      if (!begun.ok) unwrap(await this.trigger(work, rollout, 'cancel', begun.error.message));
      return undefined;
    }
    const url = await this.settle(work, rollout.id, true);
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
    await this.settle(work, next.id);
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
    await this.settle(work, rollout.id);
    return begun;
  }

  /**
   * Takes a rollout to its next state: beside its first, nothing else writes one.
   * Refusals: ILLEGAL_TRANSITION; BUNDLE_NOT_PUBLISHED for one that begins with a bundle that is not published any more; NO_WAY_BACK.
   */
  async trigger(
    work: Work,
    rollout: RolloutRow,
    trigger: RolloutTrigger,
    reason: string | null,
    back: WayBack = {},
  ): Promise<Result<RolloutRow, Refusal>> {
    const state = transition(rolloutTransitions, rollout.state, trigger);
    if (state === undefined) return wrongState(rollout.state, wantedStates[trigger] ?? trigger);
    const bundle = beginnings.includes(trigger) ? await bundleState(work.db, rollout.bundle_id) : 'published';
    if (bundle !== 'published') return failure(refusal('BUNDLE_NOT_PUBLISHED', { state: bundle }));
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
      // Who takes it up again means it to decide from now on.
      ...((trigger === 'start' || trigger === 'retry') && { started_at: nowMs }),
      ...(state === 'rolled_back' && { wake_after: null }),
    });
    const isBad = state === 'paused' || state === 'aborted' || state === 'rolled_back';
    const message = `Rollout "${title}" is ${state.replace('_', ' ')}${reason === null ? '' : `: ${reason}`}`;
    await this.#log(work, next, message, isBad ? 'warning' : undefined);
    if (state === 'finished' && settings.then_tag !== undefined && !(await this.#isOvertaken(work, next))) {
      await work.restart();
      await this.#deps.tagBundle(work.db, bundle_id, settings.then_tag, nowMs);
    }
    if (trigger === 'resume') await this.wake(work, next);
    this.planAt(work, due_at);
    return state === 'rolled_back' ? this.#bringBack(work, next, back) : success(next);
  }

  /** Whether other rollouts have taken devices of this one: then its bundle is not what all devices should have. */
  async #isOvertaken(work: Work, { id, settings }: RolloutRow): Promise<boolean> {
    return (await countsOf(work, id, settings.stages.length)).some(({ states }) => states.overtaken > 0);
  }

  /** Brings the devices of a rollout that is rolled back to what they had, or to a bundle. Refusal: NO_WAY_BACK. */
  async #bringBack(work: Work, rollout: RolloutRow, back: WayBack): Promise<Result<RolloutRow, Refusal>> {
    const { stay, all } = await bringBack(work, rollout, rollout.settings.pace ? this.#now() : null, back.bundleId);
    if (back.isAsked && stay > 0 && stay === all) return failure(refusal('NO_WAY_BACK'));
    const rest = `${stay} of ${all} devices stay: no published bundle is left that they could go back to`;
    const reason = stay === 0 ? rollout.reason : [rollout.reason, rest].filter((part) => part !== null).join('; ');
    const next = await changeRollout(work, rollout.id, { reason });
    await this.wake(work, next);
    return success(next);
  }
}
