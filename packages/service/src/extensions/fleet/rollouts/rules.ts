import {
  type AbortMeter,
  type DeviceState,
  type ExecutionState,
  executionStates,
  type FailureKind,
  failureKinds,
  type Gate,
  type RehearsalState,
  type RolloutSettings,
  type RolloutState,
  refusal,
  type SkipReason,
} from '@moorage/api';
import { failure, type Transition } from '@moorage/base';

export type RolloutTrigger =
  | 'ask'
  | 'reject'
  | 'schedule'
  | 'start'
  | 'cancel'
  | 'pause'
  | 'resume'
  | 'pass'
  | 'abort'
  | 'roll_back'
  | 'finish'
  | 'retry';

/** What stands in the record of a rollout that has not begun. */
export const notBegun = {
  state: 'draft',
  holds: 0,
  reason: null,
  stage: 0,
  gate_at: null,
  signalled: 0,
  signal_until: null,
  due_at: null,
  wake_at: null,
  wake_after: null,
  pace_from: 0,
  pace_count: 0,
  author_id: null,
  approver_id: null,
  started_at: null,
  finished_at: null,
} as const;

/** What stands of the gate in the record of a rollout whose next stage has just begun. */
export const notGated = {
  gate_at: null,
  signalled: 0,
  signal_until: null,
  due_at: null,
  reason: null,
  wake_after: null,
} as const;

/** Life of a rollout. Reference: rules 6.5. Spec: API-RULE-rollout-2. */
export const rolloutTransitions: readonly Transition<RolloutState, RolloutTrigger>[] = [
  { from: 'draft', trigger: 'ask', to: 'awaiting_approval' },
  { from: 'draft', trigger: 'schedule', to: 'scheduled' },
  { from: 'draft', trigger: 'start', to: 'running' },
  { from: 'draft', trigger: 'cancel', to: 'cancelled' },
  { from: 'awaiting_approval', trigger: 'reject', to: 'draft' },
  { from: 'awaiting_approval', trigger: 'schedule', to: 'scheduled' },
  { from: 'awaiting_approval', trigger: 'start', to: 'running' },
  { from: 'awaiting_approval', trigger: 'cancel', to: 'cancelled' },
  { from: 'scheduled', trigger: 'start', to: 'running' },
  { from: 'scheduled', trigger: 'cancel', to: 'cancelled' },
  { from: 'running', trigger: 'pause', to: 'paused' },
  { from: 'running', trigger: 'pass', to: 'running' },
  { from: 'running', trigger: 'finish', to: 'finished' },
  { from: 'running', trigger: 'abort', to: 'aborted' },
  { from: 'running', trigger: 'roll_back', to: 'rolled_back' },
  { from: 'running', trigger: 'retry', to: 'running' },
  { from: 'paused', trigger: 'resume', to: 'running' },
  { from: 'paused', trigger: 'pass', to: 'running' },
  { from: 'paused', trigger: 'abort', to: 'aborted' },
  { from: 'paused', trigger: 'roll_back', to: 'rolled_back' },
  { from: 'paused', trigger: 'retry', to: 'running' },
  { from: 'finished', trigger: 'roll_back', to: 'rolled_back' },
  { from: 'finished', trigger: 'retry', to: 'running' },
  { from: 'aborted', trigger: 'roll_back', to: 'rolled_back' },
  { from: 'aborted', trigger: 'retry', to: 'running' },
];

/** Rollouts in these states decide which bundle their devices get: one that is rolled back to a named bundle keeps them there. */
export const holdingStates: readonly RolloutState[] = ['running', 'paused', 'finished', 'aborted', 'rolled_back'];

/** Rollouts in these states go on: they may still bring their bundle to devices. */
export const goingOnStates = ['running', 'paused'] as const satisfies readonly RolloutState[];
export const goesOn = ({ state }: { readonly state: RolloutState }): boolean =>
  goingOnStates.some((one) => one === state);

/** Rollouts in these states have ended, though some may be taken up again. */
export const endedStates: readonly RolloutState[] = ['finished', 'aborted', 'rolled_back', 'cancelled'];

/** What each trigger wants, for the text of a refusal. */
export const wantedStates: Readonly<Partial<Record<RolloutTrigger, RolloutState>>> = {
  ask: 'awaiting_approval',
  reject: 'draft',
  schedule: 'scheduled',
  start: 'running',
  cancel: 'cancelled',
  pause: 'paused',
  abort: 'aborted',
};

/** The refusal of a move that is not in the table. */
export const wrongState = (from: string, to: string) =>
  failure(refusal('ILLEGAL_TRANSITION', { what: 'A rollout', from, to }));

export type ExecutionTrigger =
  | 'offer'
  | 'fetch'
  | 'install'
  | 'confirm'
  | 'try'
  | 'pass'
  | 'contradict'
  | 'fail'
  | 'withdraw'
  | 'retry'
  | 'leave'
  | 'skip'
  | 'overtake'
  | 'join';

/** The update of an execution in these states is open. */
export const underWay = ['offered', 'downloading', 'installed'] as const satisfies readonly ExecutionState[];
/** An execution in these states has not ended. */
export const openExecutions: readonly ExecutionState[] = ['waiting', ...underWay, 'probation'];
/** A rollout has taken a device in these states: those that decide after it have no part in the device any more. */
export const takenStates: readonly ExecutionState[] = [...underWay, 'probation', 'done'];

/** As long as an execution has not ended, the world may end it: the device goes, is held, or another rollout has taken it. */
const endedByTheWorld = (['waiting', ...underWay, 'probation'] as const).flatMap((from) => [
  { from, trigger: 'leave', to: 'left' } as const,
  { from, trigger: 'skip', to: 'skipped' } as const,
  { from, trigger: 'overtake', to: 'overtaken' } as const,
]);

/** Life of one device in a rollout. Reference: rules 6.5. */
export const executionTransitions: readonly Transition<ExecutionState, ExecutionTrigger>[] = [
  ...endedByTheWorld,
  { from: 'waiting', trigger: 'offer', to: 'offered' },
  // It runs the bundle already.
  { from: 'waiting', trigger: 'confirm', to: 'done' },
  // It was given up for late, and comes after all.
  { from: 'waiting', trigger: 'try', to: 'probation' },
  { from: 'skipped', trigger: 'join', to: 'waiting' },
  { from: 'left', trigger: 'join', to: 'waiting' },
  { from: 'offered', trigger: 'fetch', to: 'downloading' },
  { from: 'offered', trigger: 'install', to: 'installed' },
  { from: 'offered', trigger: 'confirm', to: 'done' },
  { from: 'offered', trigger: 'try', to: 'probation' },
  { from: 'offered', trigger: 'fail', to: 'failed' },
  { from: 'offered', trigger: 'withdraw', to: 'waiting' },
  { from: 'downloading', trigger: 'install', to: 'installed' },
  { from: 'downloading', trigger: 'confirm', to: 'done' },
  { from: 'downloading', trigger: 'try', to: 'probation' },
  { from: 'downloading', trigger: 'fail', to: 'failed' },
  { from: 'downloading', trigger: 'withdraw', to: 'waiting' },
  { from: 'installed', trigger: 'confirm', to: 'done' },
  { from: 'installed', trigger: 'try', to: 'probation' },
  { from: 'installed', trigger: 'fail', to: 'failed' },
  { from: 'installed', trigger: 'withdraw', to: 'waiting' },
  { from: 'probation', trigger: 'pass', to: 'done' },
  // It reports another version after all.
  { from: 'probation', trigger: 'contradict', to: 'failed' },
  { from: 'done', trigger: 'contradict', to: 'failed' },
  // Its rollout is rolled back, and it is its turn to get what it is brought back to.
  { from: 'probation', trigger: 'offer', to: 'offered' },
  { from: 'done', trigger: 'offer', to: 'offered' },
  { from: 'failed', trigger: 'confirm', to: 'done' },
  { from: 'failed', trigger: 'try', to: 'probation' },
  { from: 'failed', trigger: 'retry', to: 'waiting' },
  // The rollout brings another bundle now.
  { from: 'probation', trigger: 'retry', to: 'waiting' },
  { from: 'done', trigger: 'retry', to: 'waiting' },
  ...underWay.map((from) => ({ from, trigger: 'retry', to: 'waiting' }) as const),
];

export type RehearsalTrigger = 'finish' | 'fail';

/** Life of a rehearsal. */
export const rehearsalTransitions: readonly Transition<RehearsalState, RehearsalTrigger>[] = [
  { from: 'running', trigger: 'finish', to: 'done' },
  { from: 'running', trigger: 'fail', to: 'failed' },
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

/** Devices of stages in these states. */
export const sumOf = (stages: readonly StageCounts[], states: readonly ExecutionState[]): number =>
  stages.reduce((sum, stage) => sum + states.reduce((of, state) => of + stage.states[state], 0), 0);

/** Devices that count: those that have left, were skipped or are another rollout's by now are out. */
const membersOf = (stages: readonly StageCounts[]): number => sumOf(stages, [...openExecutions, 'done', 'failed']);

/** Updates that are under way. */
export const openOf = (stages: readonly StageCounts[]): number => sumOf(stages, underWay);

/** What a rollout has come to, as far as decisions need it. */
export interface Progress {
  readonly settings: RolloutSettings;
  /** Number of the open stage. */
  readonly stage: number;
  /** Counts of all stages, in their order. */
  readonly counts: readonly StageCounts[];
  /** When the soak time is over; `null` while the gate does not hold. */
  readonly gateAtMs: number | null;
  /** Whether a signal from outside has opened the next stage, and until when it is waited for. */
  readonly signalled: boolean;
  readonly signalUntilMs: number | null;
}

/** What follows from the progress of a running rollout. */
export type Outcome =
  | {
      readonly kind: 'wait';
      readonly gateAtMs: number | null;
      readonly signalUntilMs: number | null;
      readonly reason: string | null;
    }
  | { readonly kind: 'next' }
  | { readonly kind: 'finish'; readonly reason: string | null }
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

/** Failures of a kind; `timed_out` has those of all deadlines. */
const failedBy = ({ failures }: StageCounts, kind: FailureKind): number =>
  failureKinds.reduce((sum, known) => {
    const isMeant = known === kind || (kind === 'timed_out' && known.startsWith('timed_out_'));
    return isMeant ? sum + (failures[known] ?? 0) : sum;
  }, 0);

/** How far each abort rule is from being met, over all stages together. */
export function abortMeters(settings: RolloutSettings, counts: readonly StageCounts[]): AbortMeter[] {
  const done = counts.reduce((sum, { states }) => sum + states.done, 0);
  const allFailed = counts.reduce((sum, { states }) => sum + states.failed, 0);
  const ended = done + allFailed;
  return (settings.abort ?? []).map(({ kind }) => {
    const failed = kind === 'any' ? allFailed : counts.reduce((sum, stage) => sum + failedBy(stage, kind), 0);
    return { failed, ended, floor: failureFloor(failed, ended) };
  });
}

/** The abort rule that is met, if one is: from `min` ended devices on. */
function abortOf({ settings, counts }: Progress): Extract<Outcome, { kind: 'stop' }> | undefined {
  const meters = abortMeters(settings, counts);
  for (const [index, { kind, percent, min, action }] of (settings.abort ?? []).entries()) {
    const { failed, ended, floor } = meters[index] ?? { failed: 0, ended: 0, floor: 0 };
    if (ended < min || failed === 0 || (failed * 100) / ended < percent) continue;
    const what = kind === 'any' ? '' : ` (${kind})`;
    const reason =
      `${failed} of ${ended} devices failed${what}: ${percentText((failed * 100) / ended)}, at least ${percentText(floor)}; ` +
      `the rollout stops at ${percentText(percent)} of ${min} or more`;
    return { kind: 'stop', action, reason };
  }
  return undefined;
}

const waiting = (reason: string | null, gateAtMs: number | null = null, signalUntilMs: number | null = null) =>
  ({ kind: 'wait', gateAtMs, signalUntilMs, reason }) as const;

/** What follows from the progress of a running rollout at a time, epoch ms. Spec: API-RULE-rollout-3. */
export function settle(progress: Progress, nowMs: number): Outcome {
  const stop = abortOf(progress);
  if (stop) return stop;
  const { settings, stage, counts, gateAtMs } = progress;
  const { states } = counts[stage] ?? noCounts;
  // Who fits later begins with the first stage.
  if (sumOf(counts, executionStates) === 0) return waiting('No device fits yet');
  const members = membersOf([counts[stage] ?? noCounts]);
  const ended = states.done + states.failed;
  const gate = settings.stages[stage]?.gate ?? {};
  const isOver = ended === members;
  if (stage === settings.stages.length - 1) return finish(counts);
  const isDone = gate.done_percent === undefined ? isOver : states.done * 100 >= gate.done_percent * members;
  const isGood = gate.failed_percent === undefined || states.failed * 100 <= gate.failed_percent * ended;
  if (isOver && members > 0 && !(isDone && isGood)) {
    const reason = `The gate of stage ${stage + 1} is not met: ${states.done} of ${members} devices run the bundle, ${states.failed} failed`;
    return { kind: 'stop', action: 'pause', reason };
  }
  if (!isDone || !isGood) return waiting(null);
  const untilMs = gateAtMs ?? nowMs + (gate.soak_s ?? 0) * 1000;
  if (untilMs > nowMs) return waiting(`Stage ${stage + 1} soaks`, untilMs);
  return settleOutside(progress, gate, untilMs, nowMs);
}

/** In its last stage a rollout is over when each device has ended, whatever its stage. */
function finish(counts: readonly StageCounts[]): Outcome {
  if (sumOf(counts, openExecutions) > 0) return waiting(null);
  const isOvertaken = sumOf(counts, ['overtaken']) > 0 && membersOf(counts) === 0;
  return { kind: 'finish', reason: isOvertaken ? 'other rollouts or tags have taken its devices' : null };
}

/** The gate holds by what devices say: what else it waits for. */
function settleOutside(
  { stage, signalled, signalUntilMs }: Progress,
  { signal, ask, person }: Gate,
  gateAtMs: number,
  nowMs: number,
): Outcome {
  const withinS = Math.min(signal?.within_s ?? Number.POSITIVE_INFINITY, ask?.within_s ?? Number.POSITIVE_INFINITY);
  if (Number.isFinite(withinS) && !signalled) {
    const untilMs = signalUntilMs ?? nowMs + withinS * 1000;
    if (untilMs > nowMs) return waiting(`Stage ${stage + 1} waits for a signal`, gateAtMs, untilMs);
    return { kind: 'stop', action: 'pause', reason: `No signal came for stage ${stage + 1} within ${withinS} s` };
  }
  if (person) return waiting(`Stage ${stage + 1} waits for a person`, gateAtMs);
  return { kind: 'next' };
}

/** Of the states that decide, those in which updates that are under way go on. */
const keepsOpen: readonly RolloutState[] = ['running', 'paused', 'rolled_back'];

/** Whether a device waits for its turn to be brought back: its rollout is rolled back at a pace. */
export const waitsToReturn = (
  rollout: RolloutState,
  { state, due_at }: { readonly state: ExecutionState; readonly due_at: number | null },
): boolean => rollout === 'rolled_back' && due_at !== null && (state === 'done' || state === 'probation');

/** Whether a rollout in this state gives a device in that state what it is brought back to alone, and its own bundle no more. */
export const onlyBringsBack = (rollout: RolloutState, execution: ExecutionState): boolean =>
  rollout === 'rolled_back' && execution !== 'done' && execution !== 'probation';

/** Why no rollout brings a device anything. */
export const skipReason = (device: {
  readonly state: DeviceState;
  readonly isPinned: boolean;
}): SkipReason | undefined => (device.state === 'disabled' ? 'blocked' : device.isPinned ? 'pinned' : undefined);

/** Whether what holds until a time, epoch ms, or without an end, holds at another. */
export const isHeldUntil = (untilMs: number | null, nowMs: number): boolean => untilMs === null || untilMs > nowMs;

/** A rollout and what it has of a device, as far as they say which bundle the device gets. */
export interface Deciding {
  readonly rollout: { readonly state: RolloutState; readonly stage: number; readonly bundle_id: string };
  readonly execution: { readonly state: ExecutionState; readonly stage: number; readonly bundle_id: string };
}

/** The bundle that a rollout holds a device at, or brings it back to; `undefined` when it does not. */
export function heldBundle({ rollout, execution }: Deciding): string | undefined {
  const isCalledOff = execution.bundle_id === rollout.bundle_id && onlyBringsBack(rollout.state, execution.state);
  return !isCalledOff && holds(rollout.state, execution.state) ? execution.bundle_id : undefined;
}

/** The bundle that a rollout has a device get, now or once its pace and window allow it; `undefined` when it says nothing. */
export function bundleIn(deciding: Deciding): string | undefined {
  const { rollout, execution } = deciding;
  const isTurn = rollout.state === 'running' && execution.state === 'waiting' && execution.stage <= rollout.stage;
  return isTurn ? rollout.bundle_id : heldBundle(deciding);
}

/** Whether a rollout in this state still says which bundle a device in that state gets. */
export function holds(rollout: RolloutState, execution: ExecutionState): boolean {
  if (execution === 'done' || execution === 'probation') return holdingStates.includes(rollout);
  return underWay.some((state) => state === execution) && keepsOpen.includes(rollout);
}
