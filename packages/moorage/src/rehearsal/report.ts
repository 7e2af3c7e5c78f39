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
} as const;

export type Metric = keyof typeof metrics;
export const metricNames = Object.keys(metrics) as readonly Metric[];

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
export interface Spread {
  readonly least: number | null;
  readonly mean: number | null;
  readonly most: number | null;
}

export interface Report {
  readonly title: string;
  readonly bundle: string;
  readonly devices: number;
  /** What the rehearsal takes for granted. */
  readonly assumed: readonly string[];
  readonly spread: Readonly<Record<Metric, Spread>>;
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

/** All runs together. */
export function reportOf(about: Omit<Report, 'spread' | 'runs'>, runs: readonly Run[]): Report {
  const spread = Object.fromEntries(metricNames.map((metric) => [metric, spreadOf(metric, runs)]));
  // Safe: it has every metric.
  return { ...about, spread: spread as Report['spread'], runs };
}
