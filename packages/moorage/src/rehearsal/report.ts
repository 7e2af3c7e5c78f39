import { type RehearsalMetric, type RehearsalSpread, type RehearsalVariant, rehearsalMetrics } from '@moorage/api';
import type { Run } from './run.ts';

/** What a run can be judged by; shares are of its devices. */
export const metrics = {
  reached_before_abort: { unit: '%', help: 'offered the bundle before it stopped by itself, else 0' },
  reached: { unit: '%', help: 'offered the bundle in all' },
  done: { unit: '%', help: 'run it' },
  failed: { unit: '%', help: 'on which it failed' },
  half: { unit: 'h', help: 'until 50 % are done' },
  most: { unit: 'h', help: 'until 90 % are done' },
  nearly_all: { unit: 'h', help: 'until 99 % are done' },
  peak_polls: { unit: '', help: 'polls in the busiest second' },
  peak_bytes: { unit: '', help: 'bytes of connections that ended in the busiest second' },
} as const satisfies Readonly<Record<RehearsalMetric, { readonly unit: string; readonly help: string }>>;

export type Metric = RehearsalMetric;
export const metricNames = rehearsalMetrics;

const rounded = (value: number): number => Math.round(100 * value) / 100;

/** A metric of a run; `undefined` for what never came. */
export function measure(metric: Metric, { devices, load, ...run }: Run): number | undefined {
  const share = (n: number): number => rounded((100 * n) / Math.max(1, devices));
  const hours = (seconds: number | null): number | undefined =>
    seconds === null ? undefined : rounded(seconds / 3600);
  const values: Readonly<Record<Metric, number | undefined>> = {
    reached_before_abort: share(run.stop?.reached ?? 0),
    reached: share(run.reached),
    done: share(run.done),
    failed: share(run.failed),
    half: hours(run.half_s),
    most: hours(run.most_s),
    nearly_all: hours(run.nearly_all_s),
    peak_polls: load.peakPolls,
    peak_bytes: load.peakBytes,
  };
  return values[metric];
}

/** A metric over all runs; null for what did not come in one of them. */
export type Spread = RehearsalSpread;

type Spreads = Readonly<Record<Metric, Spread>>;

/** The same rollout with other settings. */
export interface Compared {
  readonly settings: RehearsalVariant;
  readonly spread: Spreads;
}

export interface Report {
  readonly title: string;
  readonly bundle: string;
  readonly devices: number;
  /** What the rehearsal takes for granted. */
  readonly assumed: readonly string[];
  readonly spread: Spreads;
  readonly compared: readonly Compared[];
  readonly runs: readonly Run[];
}

function spreadOf(metric: Metric, runs: readonly Run[]): Spread {
  const values = runs.flatMap((run) => measure(metric, run) ?? []);
  const isWhole = values.length === runs.length;
  const sum = values.reduce((all, value) => all + value, 0);
  return {
    least: values.length > 0 ? Math.min(...values) : null,
    mean: isWhole ? rounded(sum / values.length) : null,
    most: isWhole ? Math.max(...values) : null,
  };
}

/** Every metric over all runs. */
export const spreadsOf = (runs: readonly Run[]): Spreads =>
  // Safe: it has every metric.
  Object.fromEntries(metricNames.map((metric) => [metric, spreadOf(metric, runs)])) as Spreads;

/** All runs together. */
export const reportOf = (
  about: Omit<Report, 'spread' | 'compared' | 'runs'>,
  runs: readonly Run[],
  compared: readonly Compared[] = [],
): Report => ({ ...about, spread: spreadsOf(runs), compared, runs });
