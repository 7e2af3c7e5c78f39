import { executionStates, type Reach, type RolloutRecord } from '@moorage/api';
import { printable, type RowReport, table } from '../command-line/table.ts';

type StageRecord = RolloutRecord['stages'][number];

const percentText = (part: number, whole: number): string =>
  whole === 0 ? '0 %' : `${Math.round((1000 * part) / whole) / 10} %`;

/** Updates of a stage that are under way. */
const underWay = ({ counts }: StageRecord): number => counts.offered + counts.downloading + counts.installed;

const failuresText = ({ failures }: StageRecord): string =>
  Object.entries(failures)
    .map(([kind, n]) => `${kind} ${n}`)
    .join(', ');

/** What has become of a stage, in a line. */
function stageLine({ stages }: RolloutRecord, index: number): string {
  const stage = stages[index];
  if (!stage) return '';
  const { done, failed } = stage.counts;
  const kinds = failed > 0 ? ` (${failuresText(stage)})` : '';
  return `Stage ${index + 1} of ${stages.length}: ${done} of ${stage.total} done, ${failed} failed${kinds}, ${underWay(stage)} under way`;
}

/** State of a rollout, and why. */
export const stateLine = ({ state, reason }: Pick<RolloutRecord, 'state' | 'reason'>): string =>
  `${state.replace('_', ' ')}${reason === null ? '' : `: ${reason}`}`;

const abortLines = ({ settings, abort }: RolloutRecord): string[] =>
  (settings.abort ?? []).flatMap(({ kind, percent, min, action }, index) => {
    const meter = abort[index];
    if (!meter) return [];
    const { failed, ended, floor } = meter;
    const what = kind === 'any' ? 'failed' : `failed (${kind})`;
    const now = `${failed} of ${ended} ${what}, ${percentText(failed, ended)}, at least ${Math.round(10 * floor) / 10} %`;
    return [`To ${action.replace('_', ' ')} at ${percent} % of ${min} or more: ${now}`];
  });

/** What can still happen, of a rollout that is not over for good. */
function prospectLines({ can_still: { ends, devices, actions }, due_at }: RolloutRecord): string[] {
  const words = (list: readonly string[]) => list.map((one) => one.replaceAll('_', ' ')).join(', ');
  return [
    ...(devices > 0 ? [`${devices} devices may still ask or report`] : []),
    ...(due_at === null ? [] : [`Looked at again at ${new Date(Number(due_at)).toISOString().slice(0, 16)}Z`]),
    ...(actions.length > 0 ? [`A person may: ${words(actions)}`] : []),
    ...(ends.length > 0 ? [`It can still be ${words(ends)}`] : []),
  ];
}

/** All that there is to say of a rollout, for people. */
export function describeRollout(rollout: RolloutRecord): string {
  const { title, id, product, bundle, filter, stages } = rollout;
  const rows = stages.map((stage, index) => {
    const { done, failed, waiting, skipped, left, overtaken } = stage.counts;
    return [
      index + 1,
      stage.state,
      stage.total,
      done,
      failed,
      underWay(stage),
      waiting,
      skipped + left + overtaken,
      failuresText(stage),
    ];
  });
  return [
    `Rollout "${printable(title)}" (${id})`,
    `Bundle ${bundle} of ${product}${filter === null ? '' : `, devices with ${printable(filter)}`}`,
    `State: ${stateLine(rollout)}`,
    ...abortLines(rollout),
    ...prospectLines(rollout),
    table(['stage', 'state', 'devices', 'done', 'failed', 'under way', 'waiting', 'out', 'failures'], rows),
  ].join('\n');
}

/** Rollouts as a table. */
export const rolloutRows: RowReport<RolloutRecord> = {
  event: 'rollout',
  titles: ['id', 'title', 'product', 'bundle', 'state', 'stage', 'done', 'failed', 'devices'],
  row({ id, title, product, bundle, state, stage, stages }) {
    const sum = (of: (stage: StageRecord) => number) => stages.reduce((all, one) => all + of(one), 0);
    const [done, failed] = [sum(({ counts }) => counts.done), sum(({ counts }) => counts.failed)];
    const at = `${stage + 1}/${stages.length}`;
    return [id, title, product, bundle, state, at, done, failed, sum(({ total }) => total)];
  },
};

/** Bytes as people read them. */
const bytesText = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.ceil((10 * bytes) / 1024 / 1024) / 10} MiB`;

/** What is to be known of a draft beside what its devices do, for people. */
const draftLines = ({ stages, at_worst, back }: NonNullable<Reach['rollout']>): string[] => [
  table(
    ['stage', 'devices', 'other platform', 'little flash', 'not seen for 7 days'],
    stages.map(({ devices, platform, flash, unseen }, index) => [index + 1, devices, platform, flash, unseen]),
  ),
  at_worst.stops
    ? `A bundle that broke every device would reach ${at_worst.devices} of them before the rollout stops by itself`
    : `Nothing stops it by itself: a bundle that broke every device would reach all ${at_worst.devices}`,
  ...back.map(({ version, devices }) => `Rolled back, ${devices} would get ${version ?? 'nothing else'} again`),
];

/** What a change would do to the devices of a product, for people. */
export function describeReach({ moves, there, out, bytes, unseen, flash, platform, ends_at, rollout }: Reach): string {
  const ends = rollout ? 'It ends at the earliest' : 'All have been offered it by';
  const rest = [
    ...(moves.length > 0 ? [`At most ${bytesText(bytes)} to send`] : []),
    `${there} run it already`,
    ...Object.entries(out).map(([why, n]) => `${n} do not move: ${why}`),
    ...(unseen > 0 ? [`${unseen} of those that move were not seen for 7 days`] : []),
    ...(flash > 0 ? [`${flash} of those that move have too little flash`] : []),
    ...(platform > 0 ? [`${platform} of those that move are of another platform`] : []),
    ...(ends_at === null ? [] : [`${ends} ${new Date(Number(ends_at)).toISOString().slice(0, 16)}Z`]),
  ];
  return [
    moves.length === 0
      ? 'No device moves'
      : table(
          ['from', 'to', 'devices'],
          moves.map((move) => [move.from ?? 'unknown', move.to, move.devices]),
        ),
    ...rest,
    ...(rollout ? draftLines(rollout) : []),
  ].join('\n');
}

/** What has happened between two looks at a rollout, in lines; everything for the first. */
export function changeLines(before: RolloutRecord | undefined, after: RolloutRecord): string[] {
  const lines: string[] = [];
  for (const [index, stage] of after.stages.entries()) {
    const former = before?.stages[index];
    const isOpened = stage.state === 'open' && former?.state !== 'open';
    const isCounted = executionStates.some((state) => stage.counts[state] !== former?.counts[state]);
    if (isOpened || (isCounted && stage.state !== 'waiting')) lines.push(stageLine(after, index));
  }
  if (stateLine(after) !== (before && stateLine(before))) lines.push(`The rollout is ${stateLine(after)}`);
  return lines;
}
