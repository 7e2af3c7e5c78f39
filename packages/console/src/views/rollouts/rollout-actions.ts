import type { RolloutAction, RolloutRecord, RolloutState } from '@moorage/api';
import { t as fleet } from '../../texts/fleet.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/rollouts.ts';

export interface RolloutActionRow {
  readonly action: RolloutAction;
  readonly label: string;
  readonly destructive?: boolean;
  /** What it does, asked before it is done; at once without it. */
  readonly says?: (rollout: RolloutRecord) => string;
}

const doneIn = ({ stages }: RolloutRecord): number => stages.reduce((sum, { counts }) => sum + counts.done, 0);

/** What a person can do with a rollout, in the order of the buttons. */
export const rolloutActionRows: readonly RolloutActionRow[] = [
  {
    action: 'start',
    label: t.start,
    says: ({ bundle }) => t.firstStageBeginsNowIts(bundle),
  },
  {
    action: 'approve',
    label: fleet.approve,
    says: ({ bundle }) => fleet.itBeginsWithYourApproval(bundle),
  },
  { action: 'reject', label: fleet.reject, says: () => fleet.itIsDraftAgain },
  {
    action: 'cancel',
    label: fleet.cancel,
    destructive: true,
    says: () => fleet.itNeverBegins,
  },
  { action: 'pause', label: t.pause2 },
  { action: 'resume', label: t.resume },
  {
    action: 'pass',
    label: t.beginNextStage,
    says: ({ stage }) => t.stageBeginsNowWhateverGate(stage + 2, stage + 1),
  },
  {
    action: 'abort',
    label: t.abort2,
    destructive: true,
    says: (rollout) => t.nothingMoreIsOfferedAnd(plural(doneIn(rollout), nouns.device), rollout.bundle),
  },
  {
    action: 'roll_back',
    label: t.rollBack,
    destructive: true,
    says: (rollout) => t.thatGotVersionByThis(plural(doneIn(rollout), nouns.device), rollout.bundle),
  },
];

/** The actions that a rollout offers now. */
export const offeredRolloutActions = ({ can_still }: RolloutRecord): readonly RolloutActionRow[] =>
  rolloutActionRows.filter(({ action }) => can_still.actions.includes(action));

/** Whether a rollout waits, or may come to wait, for a signal from outside. */
export const takesSignal = ({ state, stage, settings }: RolloutRecord): boolean =>
  state === 'running' && settings.stages[stage]?.gate?.signal !== undefined;

/** States of a rollout that has ended, or does nothing for now, whose failed devices may try again. */
const retriedFrom: readonly RolloutState[] = ['running', 'paused', 'finished', 'aborted'];

export const failedIn = ({ stages }: RolloutRecord): number =>
  stages.reduce((sum, { counts }) => sum + counts.failed, 0);

export const waitingIn = ({ stages }: RolloutRecord): number =>
  stages.reduce((sum, { counts }) => sum + counts.waiting, 0);

export const mayLeaveOut = (rollout: RolloutRecord): boolean =>
  (rollout.state === 'running' || rollout.state === 'paused') && waitingIn(rollout) > 0;

export const mayRetry = (rollout: RolloutRecord): boolean =>
  retriedFrom.includes(rollout.state) && failedIn(rollout) > 0;

/** States of a rollout that is planned: it is rehearsed before it begins. */
const plannedStates: readonly RolloutState[] = ['draft', 'awaiting_approval', 'scheduled'];

export const mayRehearse = ({ state }: RolloutRecord): boolean => plannedStates.includes(state);
