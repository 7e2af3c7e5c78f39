import {
  type ActivityField,
  type ActivityPoint,
  activityPointsLimit,
  activityTypes,
  type Refusal,
  refusal,
} from '@moorage/api';
import { dayMs, failure, hourMs, type Result, success } from '@moorage/base';

export type ActivityInterval = 'hour' | 'day' | 'week';

const intervalMs = { hour: hourMs, day: dayMs, week: 7 * dayMs } as const;
/** The first Monday, 1970-01-05: weeks are counted from it, hours and days as well from there as from anywhere. */
const firstMondayMs = 4 * dayMs;
const defaultSpanMs = 30 * dayMs;

/** A span of time, cut into equal intervals in UTC. Times in epoch milliseconds. */
export interface Buckets {
  readonly from: number;
  /** Not part of it. */
  readonly to: number;
  /** Start of the first interval: at or before `from`. */
  readonly origin: number;
  readonly stepMs: number;
  readonly count: number;
}

const field = (name: string) => ({ source: 'query', keys: [name] }) as const;

/** Reads the span of a query. Refusal: INVALID_REQUEST when it is empty or has too many intervals. Spec: API-LIMIT-activity. */
export function bucketsOf(
  query: { readonly from?: number; readonly to?: number; readonly interval?: ActivityInterval },
  nowMs: number,
): Result<Buckets, Refusal> {
  const to = query.to ?? nowMs;
  const from = query.from ?? Math.max(0, to - defaultSpanMs);
  if (from >= to) return failure(refusal('INVALID_REQUEST', { detail: '"from" has to be before "to"' }, field('from')));
  const stepMs = intervalMs[query.interval ?? 'day'];
  const origin = Math.floor((from - firstMondayMs) / stepMs) * stepMs + firstMondayMs;
  const count = Math.ceil((to - origin) / stepMs);
  if (count > activityPointsLimit) {
    const detail = `${count} intervals are more than ${activityPointsLimit}`;
    return failure(refusal('INVALID_REQUEST', { detail }, field('interval')));
  }
  return success({ from, to, origin, stepMs, count });
}

/** How many logs of one type fall into one interval. */
export interface ActivityCount {
  readonly bucket: number;
  readonly type: string;
  readonly n: number;
}

// Safe: the table is typed by its own keys.
const fields = Object.entries(activityTypes) as [ActivityField, readonly string[]][];
const fieldByType = new Map(fields.flatMap(([name, types]) => types.map((type) => [type, name] as const)));

/** All types that activity counts. */
export const countedTypes: readonly string[] = [...fieldByType.keys()];

/** The series of the activity (Reference: records 1.9): a point for each interval, with zeros where nothing happened. */
export function seriesOf(buckets: Buckets, counts: Iterable<ActivityCount>): ActivityPoint[] {
  const series = Array.from(
    { length: buckets.count },
    (_, index): ActivityPoint => ({
      at: String(buckets.origin + index * buckets.stepMs),
      ota_check: 0,
      ota_update: 0,
      ota_ok: 0,
      ota_fail: 0,
      claim: 0,
      activate: 0,
      provision: 0,
      message: 0,
      file: 0,
      login: 0,
    }),
  );
  for (const { bucket, type, n } of counts) {
    const point = series[bucket];
    const name = fieldByType.get(type);
    if (point && name) point[name] += n;
  }
  return series;
}
