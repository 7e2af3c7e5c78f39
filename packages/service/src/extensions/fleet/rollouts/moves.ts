import type {
  DeviceState,
  ExecutionState,
  FailureKind,
  LeaveReason,
  RolloutState,
  SkipReason,
  UpdateState,
} from '@moorage/api';
import { freeVersionKey } from '@moorage/base';
import { type ExecutionTrigger, goesOn, openExecutions, skipReason, takenStates, underWay } from './rules.ts';
import { updateFailure } from './turns.ts';

/** What a device is and runs, as far as rollouts go by it. */
export interface DeviceFacts {
  readonly id: string;
  readonly product_id: string;
  readonly state: DeviceState;
  /** Whether a pin holds it now. */
  readonly isPinned: boolean;
  /** The version that it reports, and since when; unknown of one that has reported none. */
  readonly runs: { readonly version: string; readonly key: string | null; readonly since: number } | undefined;
  /** When it was seen last, epoch ms. */
  readonly last_seen_at: number | null;
}

/** A rollout, as far as a device in it goes by it. */
export interface RolloutFacts {
  readonly id: string;
  readonly product_id: string;
  /** Of its bundle. */
  readonly version: string;
  readonly state: RolloutState;
  readonly priority: number;
  /** Number of the open stage. */
  readonly stage: number;
  readonly started_at: number | null;
}

/** What a rollout has of a device. */
export interface ExecutionFacts {
  readonly rollout_id: string;
  readonly stage: number;
  readonly state: ExecutionState;
  readonly kind: string | null;
  readonly update_id: number | null;
  readonly changed_at: number;
}

/** The update of an execution, as the records of updates have it. */
export interface UpdateFacts {
  readonly state: UpdateState;
  readonly installed_at: number | null;
  readonly finished_at: number | null;
}

/** What one device is to the rollouts of its product. */
export interface Facts<R extends RolloutFacts = RolloutFacts> {
  readonly device: DeviceFacts;
  readonly rollouts: readonly R[];
  readonly executions: readonly ExecutionFacts[];
  /** The update of an execution; none where it has gone. */
  readonly updateOf: (execution: ExecutionFacts) => UpdateFacts | undefined;
  /** The stage in which the device enters a rollout, at least the open one; `undefined` where it does not fit its filter. */
  readonly stageIn: (rollout: R) => number | undefined;
}

/** What a rollout has of a device from now on. */
export interface Move {
  readonly rolloutId: string;
  readonly trigger: ExecutionTrigger;
  readonly kind?: FailureKind | LeaveReason | SkipReason;
  /** Of one that enters. */
  readonly stage?: number;
}

type Ranked = Pick<RolloutFacts, 'id' | 'priority' | 'started_at'>;

/** Before which other a rollout decides: the one with the higher priority, then the one that was started later. */
export const byRank = (one: Ranked, other: Ranked): number =>
  other.priority - one.priority || (other.started_at ?? 0) - (one.started_at ?? 0) || (one.id < other.id ? -1 : 1);

/** By these moves a rollout gives up a device that it had taken. */
const givesUp: readonly ExecutionTrigger[] = ['leave', 'skip', 'overtake', 'withdraw', 'fail', 'contradict'];

/**
 * What follows for a device from what is so now: at most one move in each rollout that goes on. Each pair of facts and
 * execution has one answer, and a device whose moves have been made has none. Spec: API-RULE-rollout-7.
 */
export function movesFor<R extends RolloutFacts>(facts: Facts<R>): readonly Move[] {
  const { rollouts, executions } = facts;
  const moves: Move[] = [];
  let isTaken = false;
  for (const rollout of rollouts.filter(goesOn).sort(byRank)) {
    const execution = executions.find(({ rollout_id }) => rollout_id === rollout.id);
    const move: MoveIn | undefined = moveIn(rollout, execution, facts, isTaken);
    if (move) moves.push({ rolloutId: rollout.id, ...move });
    const stays: boolean = move === undefined || !givesUp.includes(move.trigger);
    isTaken ||= execution !== undefined && takenStates.includes(execution.state) && stays;
  }
  return moves;
}

type MoveIn = Omit<Move, 'rolloutId'>;

/** @param isTaken whether a rollout that decides before this one has taken the device */
function moveIn<R extends RolloutFacts>(
  rollout: R,
  execution: ExecutionFacts | undefined,
  facts: Facts<R>,
  isTaken: boolean,
): MoveIn | undefined {
  const { device } = facts;
  const isOpen = execution !== undefined && openExecutions.includes(execution.state);
  if (device.product_id !== rollout.product_id) return isOpen ? { trigger: 'leave', kind: 'elsewhere' } : undefined;
  const held = skipReason(device);
  if (held) return isOpen ? { trigger: 'skip', kind: held } : undefined;
  if (isTaken) return isOpen ? { trigger: 'overtake' } : undefined;
  if (!execution || mayEnter(execution, device)) return entering(rollout, facts);
  if (execution.state === 'waiting') return ofWaiting(rollout, execution, facts);
  if (underWay.some((state) => state === execution.state)) return ofUpdate(rollout, execution, facts);
  return contradicts(rollout, execution, device) ? { trigger: 'contradict', kind: 'contradicted' } : undefined;
}

/** A device that was skipped enters once nothing holds it; one that has left, once it is back: after a reset, when it shows itself. */
const mayEnter = ({ state, kind }: ExecutionFacts, device: DeviceFacts): boolean =>
  state === 'skipped' || (state === 'left' && kind !== 'left_out' && (kind !== 'reset' || device.state === 'active'));

/** Whether a rollout would take a device back to an older version, which it runs since the rollout was started: that was not asked for. */
function isOlder({ version, started_at }: RolloutFacts, { runs }: DeviceFacts): boolean {
  const key = freeVersionKey(version);
  return runs?.key != null && key !== undefined && runs.key > key && runs.since >= (started_at ?? 0);
}

function entering<R extends RolloutFacts>(rollout: R, { device, stageIn }: Facts<R>): MoveIn | undefined {
  const stage = isOlder(rollout, device) ? undefined : stageIn(rollout);
  return stage === undefined ? undefined : { trigger: 'join', stage };
}

function ofWaiting<R extends RolloutFacts>(rollout: R, { stage }: ExecutionFacts, facts: Facts<R>): MoveIn | undefined {
  const { device } = facts;
  if (isOlder(rollout, device)) return { trigger: 'overtake' };
  if (facts.stageIn(rollout) === undefined) return { trigger: 'leave', kind: 'unmatched' };
  // It has shown since the rollout was started that it runs the bundle.
  const hasShown = device.runs?.version === rollout.version && (device.last_seen_at ?? 0) >= (rollout.started_at ?? 0);
  return hasShown && stage <= rollout.stage && rollout.state === 'running' ? { trigger: 'confirm' } : undefined;
}

/** What an update has come to meanwhile. */
function ofUpdate<R extends RolloutFacts>(
  rollout: R,
  execution: ExecutionFacts,
  { device, updateOf }: Facts<R>,
): MoveIn | undefined {
  const { state } = execution;
  const update = updateOf(execution);
  if (!update) return undefined;
  if (update.state === 'superseded') return { trigger: 'withdraw' };
  if (update.state === 'failed') return { trigger: 'fail', kind: updateFailure(update) };
  if (update.state === 'done') {
    const isBack = runsOther(rollout, device, update.finished_at ?? 0);
    return isBack ? { trigger: 'fail', kind: 'contradicted' } : { trigger: 'confirm' };
  }
  if (update.state === 'installed' && state !== 'installed') return { trigger: 'install' };
  return update.state === 'downloading' && state === 'offered' ? { trigger: 'fetch' } : undefined;
}

/** Whether a device reports since a time that it runs another version. */
const runsOther = ({ version }: RolloutFacts, { runs }: DeviceFacts, sinceMs: number): boolean =>
  runs !== undefined && runs.version !== version && runs.since >= sinceMs;

/** Whether a device that has had the bundle reports another version since. */
const contradicts = (rollout: RolloutFacts, { state, changed_at }: ExecutionFacts, device: DeviceFacts): boolean =>
  (state === 'done' || state === 'probation') && runsOther(rollout, device, changed_at);
