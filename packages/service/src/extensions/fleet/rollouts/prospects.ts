import {
  type ExecutionState,
  executionStates,
  type RolloutAction,
  type RolloutRecord,
  type RolloutSettings,
  type RolloutState,
  rolloutActions,
} from '@moorage/api';
import type { Transition } from '@moorage/base';
import {
  type ExecutionTrigger,
  endedStates,
  executionTransitions,
  goesOn,
  holdingStates,
  openExecutions,
  rolloutTransitions,
  type StageCounts,
  sumOf,
} from './rules.ts';

/** All states that can follow from one. */
function following<S extends string, T extends string>(rows: readonly Transition<S, T>[], begin: S): ReadonlySet<S> {
  const found = new Set<S>();
  const open = [begin];
  for (const state of open) {
    for (const { from, to } of rows) {
      if (from !== state || found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  }
  return found;
}

/** Devices in these states have ended. */
export const endedExecutions = executionStates.filter((state) => !openExecutions.includes(state));

/** What the update of a device says of it, also once its rollout is over. */
const ofUpdates: readonly ExecutionTrigger[] = ['fetch', 'install', 'confirm', 'try', 'fail', 'withdraw'];

/** The moves of devices in a rollout in this state that no person has to ask for. */
function movesIn(rollout: RolloutState) {
  if (goesOn({ state: rollout })) return executionTransitions.filter(({ trigger }) => trigger !== 'retry');
  if (!holdingStates.includes(rollout)) return [];
  return executionTransitions.filter(
    ({ from, trigger }) =>
      from !== 'waiting' && (ofUpdates.includes(trigger) || (trigger === 'offer' && rollout === 'rolled_back')),
  );
}

/** The ends that a device in a rollout can still come to, unless a person has the rollout retried. */
export function endsOf(
  rollout: RolloutState,
  { state, kind }: { readonly state: ExecutionState; readonly kind: string | null },
): ExecutionState[] {
  if (kind === 'left_out') return [];
  const found = following(movesIn(rollout), state);
  return endedExecutions.filter((end) => found.has(end));
}

interface Acted {
  readonly state: RolloutState;
  readonly stage: number;
  readonly settings: Pick<RolloutSettings, 'stages'>;
}

export const isInLastStage = ({ stage, settings }: Omit<Acted, 'state'>): boolean =>
  stage === settings.stages.length - 1;

/** Whether a person may do this with a rollout as it is. A rollout that waits for approval begins by it alone. */
export function mayAct(action: RolloutAction, rollout: Acted): boolean {
  const isAwaited = rollout.state === 'awaiting_approval';
  if (action === 'approve') return isAwaited;
  if ((action === 'start' && isAwaited) || (action === 'pass' && isInLastStage(rollout))) return false;
  return rolloutTransitions.some(({ from, trigger }) => from === rollout.state && trigger === action);
}

/** What can still happen in a rollout: the page of one that runs says what it waits for. */
export function prospectsOf(rollout: Acted, counts: readonly StageCounts[]): RolloutRecord['can_still'] {
  const found = following(rolloutTransitions, rollout.state);
  return {
    ends: endedStates.filter((state) => found.has(state)),
    devices: goesOn(rollout) ? sumOf(counts.slice(0, rollout.stage + 1), openExecutions) : 0,
    actions: rolloutActions.filter((action) => mayAct(action, rollout)),
  };
}
