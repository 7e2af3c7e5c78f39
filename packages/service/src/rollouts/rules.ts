import {
  type ExecutionState,
  executionStates,
  type FailureKind,
  type Refusal,
  type RolloutSettings,
  type RolloutState,
  refusal,
} from '@moorage/api';
import type { Transition } from '@moorage/base';

export type RolloutTrigger = 'start' | 'pause' | 'resume' | 'pass' | 'abort' | 'roll_back' | 'finish' | 'retry';

/** Life of a rollout. Reference: rules 6.5. Spec: API-RULE-rollout-2. */
export const rolloutTransitions: readonly Transition<RolloutState, RolloutTrigger>[] = [
  { from: 'draft', trigger: 'start', to: 'running' },
  { from: 'running', trigger: 'pause', to: 'paused' },
  { from: 'running', trigger: 'pass', to: 'running' },
  { from: 'running', trigger: 'finish', to: 'finished' },
  { from: 'running', trigger: 'abort', to: 'aborted' },
  { from: 'running', trigger: 'roll_back', to: 'rolled_back' },
  { from: 'running', trigger: 'retry', to: 'running' },
  { from: 'paused', trigger: 'resume', to: 'running' },
  { from: 'paused', trigger: 'abort', to: 'aborted' },
  { from: 'paused', trigger: 'roll_back', to: 'rolled_back' },
  { from: 'paused', trigger: 'retry', to: 'running' },
  { from: 'finished', trigger: 'roll_back', to: 'rolled_back' },
  { from: 'finished', trigger: 'retry', to: 'running' },
  { from: 'aborted', trigger: 'roll_back', to: 'rolled_back' },
  { from: 'aborted', trigger: 'retry', to: 'running' },
];

export type ExecutionTrigger =
  | 'offer'
  | 'fetch'
  | 'install'
  | 'confirm'
  | 'fail'
  | 'withdraw'
  | 'retry'
  | 'leave'
  | 'join';

/** Life of one device in a rollout. A device that goes elsewhere meanwhile waits again. Reference: rules 6.5. */
export const executionTransitions: readonly Transition<ExecutionState, ExecutionTrigger>[] = [
  { from: 'waiting', trigger: 'offer', to: 'offered' },
  // It runs the bundle already.
  { from: 'waiting', trigger: 'confirm', to: 'done' },
  { from: 'waiting', trigger: 'leave', to: 'left' },
  { from: 'left', trigger: 'join', to: 'waiting' },
  { from: 'offered', trigger: 'fetch', to: 'downloading' },
  { from: 'offered', trigger: 'install', to: 'installed' },
  { from: 'offered', trigger: 'confirm', to: 'done' },
  { from: 'offered', trigger: 'fail', to: 'failed' },
  { from: 'offered', trigger: 'withdraw', to: 'waiting' },
  { from: 'downloading', trigger: 'install', to: 'installed' },
  { from: 'downloading', trigger: 'confirm', to: 'done' },
  { from: 'downloading', trigger: 'fail', to: 'failed' },
  { from: 'downloading', trigger: 'withdraw', to: 'waiting' },
  { from: 'installed', trigger: 'confirm', to: 'done' },
  { from: 'installed', trigger: 'fail', to: 'failed' },
  { from: 'installed', trigger: 'withdraw', to: 'waiting' },
  { from: 'failed', trigger: 'confirm', to: 'done' },
  { from: 'failed', trigger: 'retry', to: 'waiting' },
];

/** How many executions of a stage are in each state, and how many have failed in which way. */
export interface StageCounts {
  readonly states: Readonly<Record<ExecutionState, number>>;
  readonly failures: Readonly<Partial<Record<FailureKind, number>>>;
}

export const noCounts: StageCounts = {
  // Safe: every state gets its number.
  states: Object.fromEntries(executionStates.map((state) => [state, 0])) as Record<ExecutionState, number>,
  failures: {},
};

/** Devices of a stage that count: those that left or were skipped are out. */
const membersOf = ({ states }: StageCounts): number =>
  executionStates.reduce((sum, state) => sum + states[state], 0) - states.left - states.skipped;

/** Updates that are under way. */
export const openOf = (stages: readonly StageCounts[]): number =>
  stages.reduce((sum, { states }) => sum + states.offered + states.downloading + states.installed, 0);

/** What a rollout has come to, as far as decisions need it. */
export interface Progress {
  readonly settings: RolloutSettings;
  /** Number of the open stage. */
  readonly stage: number;
  /** Counts of all stages, in their order. */
  readonly counts: readonly StageCounts[];
  /** When the soak time is over; `null` while the gate does not hold. */
  readonly gateAtMs: number | null;
}

/** What follows from the progress of a running rollout. */
export type Outcome =
  | { readonly kind: 'wait'; readonly gateAtMs: number | null; readonly reason: string | null }
  | { readonly kind: 'next' }
  | { readonly kind: 'finish' }
  | { readonly kind: 'stop'; readonly action: 'pause' | 'abort' | 'roll_back'; readonly reason: string };

/** Lower bound of the share of failures, percent, 95 % sure (Wilson). */
export function failureFloor(failed: number, ended: number): number {
  if (ended === 0) return 0;
  const z = 1.96;
  const share = failed / ended;
  const middle = share + (z * z) / (2 * ended);
  const spread = z * Math.sqrt((share * (1 - share)) / ended + (z * z) / (4 * ended * ended));
  return Math.max(0, (100 * (middle - spread)) / (1 + (z * z) / ended));
}

const percentText = (percent: number): string => `${Math.round(percent * 10) / 10} %`;

/** The abort rule that is met, if one is. Looked at over all stages together, from `min` ended devices on. */
function abortOf({ settings, counts }: Progress): Extract<Outcome, { kind: 'stop' }> | undefined {
  const done = counts.reduce((sum, { states }) => sum + states.done, 0);
  const allFailed = counts.reduce((sum, { states }) => sum + states.failed, 0);
  const ended = done + allFailed;
  for (const { kind, percent, min, action } of settings.abort ?? []) {
    const failed = kind === 'any' ? allFailed : counts.reduce((sum, { failures }) => sum + (failures[kind] ?? 0), 0);
    if (ended < min || failed === 0 || (failed * 100) / ended < percent) continue;
    const what = kind === 'any' ? '' : ` (${kind})`;
    const floor = percentText(failureFloor(failed, ended));
    const reason =
      `${failed} of ${ended} devices failed${what}: ${percentText((failed * 100) / ended)}, at least ${floor}; ` +
      `the rollout stops at ${percentText(percent)} of ${min} or more`;
    return { kind: 'stop', action, reason };
  }
  return undefined;
}

/** What follows from the progress of a running rollout at a time, epoch ms. Spec: API-RULE-rollout-3. */
export function settle(progress: Progress, nowMs: number): Outcome {
  const stop = abortOf(progress);
  if (stop) return stop;
  const { settings, stage, counts, gateAtMs } = progress;
  const { states } = counts[stage] ?? noCounts;
  const members = membersOf(counts[stage] ?? noCounts);
  const ended = states.done + states.failed;
  const isLast = stage === settings.stages.length - 1;
  const gate = settings.stages[stage]?.gate ?? {};
  const isOver = ended === members;
  if (isLast)
    return isOver && openOf(counts) === 0 ? { kind: 'finish' } : { kind: 'wait', gateAtMs: null, reason: null };
  const isDone = gate.done_percent === undefined ? isOver : states.done * 100 >= gate.done_percent * members;
  const isGood = gate.failed_percent === undefined || states.failed * 100 <= gate.failed_percent * ended;
  if (isOver && members > 0 && !(isDone && isGood)) {
    const reason = `The gate of stage ${stage + 1} is not met: ${states.done} of ${members} devices run the bundle, ${states.failed} failed`;
    return { kind: 'stop', action: 'pause', reason };
  }
  if (!isDone || !isGood) return { kind: 'wait', gateAtMs: null, reason: null };
  const untilMs = gateAtMs ?? nowMs + (gate.soak_s ?? 0) * 1000;
  if (untilMs > nowMs) return { kind: 'wait', gateAtMs: untilMs, reason: `Stage ${stage + 1} soaks` };
  if (gate.person) return { kind: 'wait', gateAtMs: untilMs, reason: `Stage ${stage + 1} waits for a person` };
  return { kind: 'next' };
}

/** Whether a device that waits may be offered the bundle now. */
export interface Turn {
  readonly state: RolloutState;
  readonly settings: RolloutSettings;
  /** Number of the open stage, and that of the device. */
  readonly openStage: number;
  readonly stage: number;
  readonly dueAtMs: number | null;
  /** Updates under way in the rollout. */
  readonly open: number;
  /** The minute that is counted, epoch ms, and the devices offered in it. */
  readonly paceFromMs: number;
  readonly paceCount: number;
}

export const paceMs = 60_000;

/** Why a device has to wait; `undefined` when it is its turn. Spec: API-RULE-rollout-4. */
export function whyWait(turn: Turn, nowMs: number): string | undefined {
  const { settings } = turn;
  if (turn.state !== 'running') return `the rollout is ${turn.state}`;
  if (turn.stage > turn.openStage) return `stage ${turn.stage + 1} has not begun`;
  if (turn.dueAtMs !== null && turn.dueAtMs > nowMs) return 'the next attempt is not due yet';
  if (settings.pace?.open !== undefined && turn.open >= settings.pace.open)
    return 'as many updates as allowed are open';
  const isSameMinute = nowMs - turn.paceFromMs < paceMs;
  if (settings.pace?.per_minute !== undefined && isSameMinute && turn.paceCount >= settings.pace.per_minute) {
    return 'as many devices as allowed were offered in this minute';
  }
  return undefined;
}

/** Rollouts in these states keep what their devices have got. */
const keepsDone: readonly RolloutState[] = ['running', 'paused', 'finished', 'aborted'];
const keepsOpen: readonly RolloutState[] = ['running', 'paused'];

/** Whether a rollout in this state still says which bundle a device in that state gets. */
export function holds(rollout: RolloutState, execution: ExecutionState): boolean {
  if (execution === 'done') return keepsDone.includes(rollout);
  return ['offered', 'downloading', 'installed'].includes(execution) && keepsOpen.includes(rollout);
}

/** Where each stage ends, in devices from the first on. A stage never ends before the one before it. */
export function stageEnds({ stages }: RolloutSettings, devices: number): number[] {
  let before = 0;
  return stages.map(({ percent, count }, index) => {
    const isLast = index === stages.length - 1;
    const wanted = isLast ? devices : (count ?? Math.ceil((devices * (percent ?? 100)) / 100));
    before = Math.max(before, Math.min(devices, wanted));
    return before;
  });
}

/** What is wrong with settings that fit the contract. Refusal: INVALID_REQUEST, with the place. */
export function refuseSettings({ stages }: RolloutSettings): Refusal | undefined {
  const wrong = (index: number, problem: string): Refusal =>
    refusal(
      'INVALID_REQUEST',
      { detail: `Stage ${index + 1} ${problem}` },
      {
        source: 'body',
        keys: [`settings.stages.${index}`],
      },
    );
  let percent = 0;
  let count = 0;
  for (const [index, stage] of stages.entries()) {
    const isLast = index === stages.length - 1;
    if (stage.percent !== undefined && stage.count !== undefined) return wrong(index, 'has both a percent and a count');
    if (!isLast && stage.percent === undefined && stage.count === undefined) {
      return wrong(index, 'has neither a percent nor a count; only the last one may take all that is left');
    }
    if (isLast && (stage.count !== undefined || (stage.percent ?? 100) !== 100)) {
      return wrong(index, 'is the last one and takes all that is left');
    }
    if (isLast && stage.gate) return wrong(index, 'is the last one, and a gate would lead nowhere');
    if ((stage.percent ?? percent + 1) <= percent || (stage.count ?? count + 1) <= count) {
      return wrong(index, 'is not larger than the one before it');
    }
    percent = stage.percent ?? percent;
    count = stage.count ?? count;
  }
  return undefined;
}

/** The failure kind of an update that ended in `failed`. */
export function failureKind(trigger: 'fail' | 'mismatch' | 'expire', from: ExecutionState): FailureKind {
  if (trigger === 'mismatch') return 'boot';
  if (trigger === 'expire') return from === 'installed' ? 'boot' : 'timed_out';
  return from === 'installed' ? 'install' : 'download';
}

/** When a failed device may be offered the bundle again; `undefined` when it has failed for good. */
export function retryAtMs(
  { retry }: RolloutSettings,
  kind: FailureKind,
  attempt: number,
  nowMs: number,
): number | undefined {
  if (!retry || attempt > retry.count || (retry.kinds && !retry.kinds.includes(kind))) return undefined;
  // Twice as long each time.
  return nowMs + retry.back_off_s * 1000 * 2 ** (attempt - 1);
}
