import type { RolloutRecord, RolloutState } from '@moorage/api';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/rollouts.ts';

/** The state of a rollout as badges say it. */
export const rolloutStateOf = ({ state }: Pick<RolloutRecord, 'state'>): string => state.replaceAll('_', ' ');

/** Where a rollout is in its life: what is said of it is to come, goes on, or is over. */
export type RolloutPhase = 'planned' | 'under way' | 'over';

const phases: Readonly<Record<RolloutState, RolloutPhase>> = {
  draft: 'planned',
  awaiting_approval: 'planned',
  scheduled: 'planned',
  running: 'under way',
  paused: 'under way',
  finished: 'over',
  aborted: 'over',
  rolled_back: 'over',
  cancelled: 'over',
};

export const phaseOf = ({ state }: Pick<RolloutRecord, 'state'>): RolloutPhase => phases[state];

type StageRecord = RolloutRecord['stages'][number];

/** Updates of a stage that are under way. */
export const underWay = ({ counts }: StageRecord): number => counts.offered + counts.downloading + counts.installed;

/** A share in percent, with one digit behind the point. */
export const shareText = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10} %`;

const stageWords = (stage: StageRecord, index: number): string =>
  t.stageOfDoneFailed(index + 1, stage.counts.done, plural(stage.total, nouns.device), stage.counts.failed);

/** What the bar of a rollout shows, in words. */
export const rolloutWords = ({ stages }: RolloutRecord): string => stages.map(stageWords).join('; ');

const secondsWords = (seconds: number): string => {
  const units = [
    [86_400, nouns.day],
    [3_600, nouns.hour],
    [60, nouns.minute],
  ] as const;
  const [size, unit] = units.find(([one]) => seconds % one === 0 && seconds >= one) ?? [1, nouns.second];
  return plural(seconds / size, unit);
};

function plannedWords(gate: Gate | undefined): string[] {
  return [
    gate?.done_percent === undefined ? t.allHaveEnded : t.atLeastRun(gate.done_percent),
    ...(gate?.failed_percent === undefined ? [] : [t.atMostFail(gate.failed_percent)]),
    ...(gate?.soak_s ? [t.thatHoldsFor(secondsWords(gate.soak_s))] : []),
    ...(gate?.person ? [t.personBeginsNextStage] : []),
  ];
}

type Gate = NonNullable<RolloutRecord['settings']['stages'][number]['gate']>;

/** Devices of a stage that do not count any more. */
export const outOf = ({ counts }: StageRecord): number => counts.skipped + counts.left + counts.overtaken;

/** What has to hold after a stage, in words, each with where it stands once there is a stage. */
export function gateWords(gate: Gate | undefined, stage: StageRecord | undefined): string[] {
  if (!stage) return plannedWords(gate);
  const { done, failed } = stage.counts;
  const members = stage.total - outOf(stage);
  const least = gate?.done_percent;
  return [
    least === undefined
      ? t.allHaveEndedOf(done + failed, members)
      : t.atLeastRunBundle(least, shareText(done, members)),
    ...(gate?.failed_percent === undefined
      ? []
      : [t.atMostFailed(gate.failed_percent, shareText(failed, done + failed))]),
    ...(gate?.soak_s ? [t.thatHoldsFor(secondsWords(gate.soak_s))] : []),
    ...(gate?.person ? [t.personBeginsNextStage] : []),
  ];
}
