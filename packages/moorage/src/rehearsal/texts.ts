import type { RehearsalVariant } from '@moorage/api';
import { printable, table } from '../command-line/table.ts';
import { type Metric, metricNames, metrics, type Report, type Spread } from './report.ts';
import type { Run } from './run.ts';

/** A time span for people: `45 min`, `3.5 h`, `2.1 d`. */
export function spanText(seconds: number | null): string {
  if (seconds === null) return 'not';
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} min`;
  const hours = seconds / 3600;
  return hours < 48 ? `${Math.round(10 * hours) / 10} h` : `${Math.round((10 * hours) / 24) / 10} d`;
}

const widthOfChart = 40;

/** When a stage was open, on the time of its run. */
function chart(openedS: number | null, passedS: number | null, endS: number): string {
  if (openedS === null) return '·'.repeat(widthOfChart);
  const at = (seconds: number): number => Math.round((widthOfChart * seconds) / Math.max(1, endS));
  const from = Math.min(widthOfChart - 1, at(openedS));
  const length = Math.max(1, at(passedS ?? endS) - from);
  return `${'·'.repeat(from)}${'█'.repeat(length)}`.padEnd(widthOfChart, '·');
}

/** How long a gate held a stage up that had as many done as it asks for. */
export const gateWaitOf = ({ passed_s, ready_s }: Run['stages'][number]): number | null =>
  passed_s === null || ready_s === null ? null : passed_s - ready_s;

/** How a run ended, and when. */
export const endText = ({ ended_s, state, stop }: Run): string => {
  if (state === 'running') return `not over after ${spanText(ended_s)}`;
  return stop
    ? `${state.replace('_', ' ')} after ${spanText(ended_s)}: ${stop.reason}`
    : `finished after ${spanText(ended_s)}`;
};

/** The mean of a metric, with its range where runs differ. */
export const spreadText = (metric: Metric, { least, mean, most }: Spread): string => {
  const { unit } = metrics[metric];
  if (least === null) return 'not';
  const text = (value: number): string => `${value}${unit && ` ${unit}`}`;
  if (mean === null || most === null) return `${text(least)} and more; in some runs not`;
  return least === most ? text(mean) : `${text(mean)} (${least} to ${text(most)})`;
};

export const failuresOf = ({ failures }: Run): readonly string[] =>
  failures.map(({ devices, group, kind, stage }) => `${devices} of ${group} in stage ${stage + 1}: ${kind}`);

function runLines(run: Run): string[] {
  const rows = run.stages.map((stage, index) => [
    index + 1,
    stage.devices,
    stage.done,
    stage.failed,
    stage.opened_s === null ? 'not' : spanText(stage.opened_s),
    gateWaitOf(stage) === null ? '' : spanText(gateWaitOf(stage)),
    chart(stage.opened_s, stage.passed_s, run.ended_s),
  ]);
  return [
    `Seed ${run.seed}: ${endText(run)}`,
    table(['stage', 'devices', 'done', 'failed', 'opened', 'gate held', 'time'], rows),
    ...failuresOf(run).map((line) => `  ${printable(line)}`),
  ];
}

const variants: Readonly<Record<RehearsalVariant, string>> = {
  half_pace: 'half the pace',
  slow_gates: 'gates that wait twice as long',
  at_once: 'all in one stage',
};

/** What other settings are compared by. */
const comparedBy = ['done', 'failed', 'reached_before_abort', 'most', 'nearly_all', 'peak_polls'] as const;

export const comparedHeads = ['with', ...comparedBy];

/** The rollout as it is, then with each other setting. */
export const comparedRows = ({ compared, spread }: Report): string[][] =>
  [
    { name: 'these settings', spread },
    ...compared.map((one) => ({ name: variants[one.settings], spread: one.spread })),
  ].map((one) => [one.name, ...comparedBy.map((metric) => spreadText(metric, one.spread[metric]))]);

/** A report for people. */
export function reportText(report: Report): string {
  const { assumed, bundle, devices, runs, spread, title } = report;
  const rows = metricNames.map((metric) => [metric, spreadText(metric, spread[metric]), metrics[metric].help]);
  return [
    `Rehearsal of "${printable(title)}": bundle ${bundle} on ${devices} twins, ${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`,
    ...assumed.map((line) => `Taken for granted: ${line}`),
    '',
    table(['', 'mean (range)', ''], rows),
    ...(report.compared.length > 0 ? ['', table(comparedHeads, comparedRows(report))] : []),
    ...runs.flatMap((run) => ['', ...runLines(run)]),
  ].join('\n');
}
