import { failure, type Result, success } from '@moorage/base';
import { type Metric, measure, metricNames, metrics } from './report.ts';
import type { Run } from './run.ts';

/** What must not be in any run. */
export interface Condition {
  readonly text: string;
  readonly metric: Metric;
  readonly holds: (value: number) => boolean;
}

const operators = {
  '>=': (value: number, limit: number) => value >= limit,
  '<=': (value: number, limit: number) => value <= limit,
  '>': (value: number, limit: number) => value > limit,
  '<': (value: number, limit: number) => value < limit,
} as const;

function parseOne(text: string): Result<Condition, string> {
  const [, name = '', operator = '', digits = '', unit = ''] =
    /^([a-z_]+) *(>=|<=|>|<) *(\d{1,12}(?:\.\d{1,6})?) *(%|h|)$/.exec(text) ?? [];
  if (name === '') return failure(`"${text}" is no condition such as "reached_before_abort > 2%"`);
  const metric = metricNames.find((one) => one === name);
  if (!metric) return failure(`"${name}" is none of ${metricNames.join(', ')}`);
  if (unit !== '' && unit !== metrics[metric].unit) return failure(`"${text}": ${metric} is not in ${unit}`);
  // Safe: the pattern has these alone.
  const compare = operators[operator as keyof typeof operators];
  return success({ text, metric, holds: (value) => compare(value, Number(digits)) });
}

/** Reads conditions, with commas between them. The error names the wrong one. */
export function parseConditions(text: string): Result<Condition[], string> {
  const conditions: Condition[] = [];
  for (const part of text.split(',')) {
    const read = parseOne(part.trim());
    if (!read.ok) return read;
    conditions.push(read.value);
  }
  return success(conditions);
}

/** The runs in which a condition holds. What never came took longer than any limit. */
export const failingRuns = ({ holds, metric }: Condition, runs: readonly Run[]): readonly Run[] =>
  runs.filter((run) => holds(measure(metric, run) ?? Number.POSITIVE_INFINITY));
