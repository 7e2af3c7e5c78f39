import type { ExecutionState, FailureKind, RolloutSettings, RolloutState } from '@moorage/api';

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
  /** When its window is open next, and when it has rested for its failures. */
  readonly opensAtMs: number;
  readonly restsUntilMs: number;
}

export const paceMs = 60_000;

/** What a rollout has counted of a minute after it has offered its bundle once more. */
export const paceAfter = (
  { pace_from, pace_count }: { readonly pace_from: number; readonly pace_count: number },
  nowMs: number,
) => (nowMs - pace_from < paceMs ? { pace_from, pace_count: pace_count + 1 } : { pace_from: nowMs, pace_count: 1 });

/** Why a device waits, and until when when that is known. */
export interface Wait {
  readonly reason: string;
  /** Epoch ms. */
  readonly untilMs?: number;
}

/** Why the pace of a rollout makes a device wait; `undefined` when it does not. */
export function whyPaced(
  { settings: { pace }, open, paceFromMs, paceCount }: Pick<Turn, 'settings' | 'open' | 'paceFromMs' | 'paceCount'>,
  nowMs: number,
): Wait | undefined {
  if (pace?.open !== undefined && open >= pace.open) return { reason: 'as many updates as allowed are open' };
  const minuteEndMs = paceFromMs + paceMs;
  if (pace?.per_minute !== undefined && minuteEndMs > nowMs && paceCount >= pace.per_minute) {
    return { reason: 'as many devices as allowed were offered in this minute', untilMs: minuteEndMs };
  }
  return undefined;
}

/** Why a device has to wait; `undefined` when it is its turn. Spec: API-RULE-rollout-4. */
export function whyWait(turn: Turn, nowMs: number): Wait | undefined {
  if (turn.state !== 'running') return { reason: `the rollout is ${turn.state.replace('_', ' ')}` };
  if (turn.stage > turn.openStage) return { reason: `stage ${turn.stage + 1} has not begun` };
  if (turn.restsUntilMs > nowMs) {
    return { reason: 'the device rests, since it has failed in other rollouts', untilMs: turn.restsUntilMs };
  }
  if (turn.dueAtMs !== null && turn.dueAtMs > nowMs) {
    return { reason: 'the next attempt is not due yet', untilMs: turn.dueAtMs };
  }
  if (turn.opensAtMs > nowMs) return { reason: 'the window is closed', untilMs: turn.opensAtMs };
  return whyPaced(turn, nowMs);
}

/** A device in a rollout, as far as its rest needs it. */
interface Tried {
  readonly rollout_id: string;
  readonly state: ExecutionState;
  /** Epoch ms. */
  readonly changed_at: number;
}

/** Until when a device rests that has failed in other rollouts, epoch ms; 0 when it does not. */
export function restsUntilMs({ penalty }: RolloutSettings, rolloutId: string, executions: readonly Tried[]): number {
  if (!penalty) return 0;
  const failed = executions.filter(({ rollout_id, state }) => state === 'failed' && rollout_id !== rolloutId);
  if (failed.length < penalty.failures) return 0;
  return Math.max(...failed.map(({ changed_at }) => changed_at)) + penalty.rest_s * 1000;
}

/** How long a device may have an offer that nothing else is said of, in seconds: it may wait for a person. */
export const usualOfferedS = 30 * 86_400;

/** When a device has been in a state for too long, or on probation for long enough, epoch ms; `null` for never. */
export function expiryMs(
  { deadlines, probation_s }: RolloutSettings,
  state: ExecutionState,
  nowMs: number,
): number | null {
  const limits: Partial<Record<ExecutionState, number | undefined>> = {
    offered: deadlines?.offered_s ?? usualOfferedS,
    downloading: deadlines?.downloading_s,
    installed: deadlines?.installed_s,
    probation: probation_s,
  };
  const seconds = limits[state];
  return seconds === undefined ? null : nowMs + seconds * 1000;
}

/** The failure kind of a device whose deadline in a state is over. */
export const deadlineKinds = {
  offered: 'timed_out_offered',
  downloading: 'timed_out_downloading',
  installed: 'timed_out_installed',
} as const satisfies Partial<Record<ExecutionState, FailureKind>>;

/** The failure kind of an update that ended in `failed`. */
export function failureKind(trigger: 'fail' | 'mismatch' | 'expire', from: ExecutionState): FailureKind {
  if (trigger === 'mismatch') return 'boot';
  if (trigger === 'expire') return from === 'installed' ? 'boot' : 'timed_out';
  return from === 'installed' ? 'install' : 'download';
}

/** The same of an update that was not followed to its end. */
export const updateFailure = ({ installed_at }: { readonly installed_at: number | null }): FailureKind =>
  installed_at === null ? 'download' : 'install';

/** Whether a device that confirms is on probation first: what it is brought back to, it has had before. */
export const isProbed = ({ probation_s }: RolloutSettings, state: RolloutState): boolean =>
  probation_s !== undefined && state !== 'rolled_back';

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

/** Between two questions whether the next stage may open, in ms. */
const askPauseMs = 60_000;

/** What a gate waits for from now on; times in epoch ms. */
interface GateWait {
  readonly gate_at: number | null;
  readonly signal_until: number | null;
  /** Whether its answer is asked for at an address, and whether that happens now. */
  readonly isAsked: boolean;
  readonly asks: boolean;
}

/** When a rollout that waits at a gate is looked at by itself, epoch ms; `null` when only devices or people move it. */
export function gateDueAtMs(
  { gate_at, signal_until, isAsked, asks }: GateWait,
  before: { readonly signal_until: number | null; readonly due_at: number | null },
  nowMs: number,
): number | null {
  if (signal_until === null) return gate_at !== null && gate_at > nowMs ? gate_at : null;
  if (!isAsked) return signal_until;
  if (asks) return Math.min(nowMs + askPauseMs, signal_until);
  return before.signal_until === null ? nowMs : before.due_at;
}
