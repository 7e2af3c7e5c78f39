import type { RolloutRecord, RolloutState } from '@moorage/api';
import { dayMs } from '@moorage/base';

/** A stage of a run. Times are seconds from the start of the rollout, to the minute. */
interface StageTimes {
  readonly devices: number;
  readonly opened_s: number | null;
  /** From when as many are done as its gate asks for. */
  readonly ready_s: number | null;
  readonly passed_s: number | null;
  readonly done: number;
  readonly failed: number;
}

/** How a rollout has stopped itself. */
export interface Stop {
  readonly state: RolloutState;
  readonly reason: string;
  readonly at_s: number;
  readonly stage: number;
  /** Devices that had been offered the bundle by then. */
  readonly reached: number;
}

export interface Observed {
  /** Of the rollout; `running` when its end was not awaited. */
  readonly state: RolloutState;
  readonly ended_s: number;
  readonly stages: readonly StageTimes[];
  readonly stop: Stop | null;
}

interface Watched {
  readonly look: () => Promise<RolloutRecord>;
  readonly goTo: (atMs: number) => Promise<void>;
  readonly startMs: number;
  readonly days: number;
  readonly progress: (share: number) => void;
}

const everyMs = 60_000;

/** Devices of a rollout that have been offered its bundle. */
export const reachedOf = ({ stages }: RolloutRecord): number =>
  stages.reduce((sum, { counts, total }) => sum + total - counts.waiting - counts.skipped - counts.left, 0);

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Looks at a rollout each minute until it is over, and notes when its stages opened and passed. */
export async function observe({ days, goTo, look, progress, startMs }: Watched): Promise<Observed> {
  const stages: Mutable<StageTimes>[] = [];
  let rollout = await look();
  for (let atMs = startMs; ; atMs += everyMs) {
    await goTo(atMs);
    rollout = await look();
    const nowS = (atMs - startMs) / 1000;
    note(stages, rollout, nowS);
    const { state } = rollout;
    if (state !== 'running' || atMs - startMs >= days * dayMs) {
      const isStopped = ['paused', 'aborted', 'rolled_back'].includes(state);
      const stop = isStopped
        ? { state, reason: rollout.reason ?? '', at_s: nowS, stage: rollout.stage, reached: reachedOf(rollout) }
        : null;
      return { state, ended_s: nowS, stages, stop };
    }
    progress(shareOf(rollout));
  }
}

function note(stages: Mutable<StageTimes>[], rollout: RolloutRecord, nowS: number): void {
  for (const [index, { counts, state, total }] of rollout.stages.entries()) {
    const known = stages[index];
    const stage = known ?? { devices: total, opened_s: null, ready_s: null, passed_s: null, done: 0, failed: 0 };
    stages[index] = stage;
    Object.assign(stage, { devices: total, done: counts.done, failed: counts.failed });
    if (state !== 'waiting') stage.opened_s ??= nowS;
    const { done_percent = 100 } = rollout.settings.stages[index]?.gate ?? {};
    if (100 * counts.done >= done_percent * total) stage.ready_s ??= nowS;
    if (state === 'passed') stage.passed_s ??= nowS;
  }
}

function shareOf({ stages }: RolloutRecord): number {
  const total = stages.reduce((sum, stage) => sum + stage.total, 0);
  const ended = stages.reduce((sum, { counts }) => sum + counts.done + counts.failed + counts.skipped, 0);
  return total === 0 ? 0 : ended / total;
}
