import type { DataValue, SampleRecord, StreamRecord } from '@moorage/api';
import { t } from '../../texts/device-tabs.tsx';
import { locale } from '../../texts/language.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How far back a chart looks, and what it asks of the service for that: about 400 points at most of a year. */
export interface Range {
  readonly key: string;
  readonly title: string;
  readonly spanMs: number;
  /** One value for each of these, in ms; without it every sample. */
  readonly intervalMs?: number;
}

export const ranges = [
  { key: '15m', title: t.n15Minutes, spanMs: 15 * minuteMs },
  { key: '1h', title: t.hour, spanMs: hourMs, intervalMs: 10_000 },
  { key: '24h', title: t.day, spanMs: dayMs, intervalMs: 5 * minuteMs },
  { key: '7d', title: t.week, spanMs: 7 * dayMs, intervalMs: 30 * minuteMs },
  { key: '30d', title: t.month, spanMs: 30 * dayMs, intervalMs: 2 * hourMs },
  { key: '1y', title: t.year, spanMs: 365 * dayMs, intervalMs: dayMs },
] as const satisfies readonly Range[];

/** The range of this key; the shortest for a key that is none. */
export const rangeOf = (key: string | undefined): Range => ranges.find((range) => range.key === key) ?? ranges[0];

/** Points of one chart, at most; older ones give way. The limit of the endpoint. */
export const pointsLimit = 10_000;

/** A sample as the event stream of a device carries it. */
export interface LiveSample {
  readonly name: string;
  readonly at: string;
  readonly value: DataValue;
}

/** Streams with what has just arrived as their last samples, unless they know a newer one. */
export const withLast = (streams: readonly StreamRecord[], fresh: readonly LiveSample[]): StreamRecord[] =>
  streams.map((stream) => {
    let { last } = stream;
    for (const { name, at, value } of fresh) {
      if (name === stream.name && (last === null || Number(at) >= Number(last.at))) last = { at, value };
    }
    return last === stream.last ? stream : { ...stream, last };
  });

/** What is known of an interval after one more sample of it. */
function merged(known: SampleRecord | undefined, at: number, value: DataValue): SampleRecord {
  const before = known?.count ?? 0;
  if (typeof value === 'string') return { at: String(at), value, count: before + 1 };
  const mean = typeof known?.value === 'number' ? known.value : value;
  return {
    at: String(at),
    value: (mean * before + value) / (before + 1),
    min: Math.min(known?.min ?? value, value),
    max: Math.max(known?.max ?? value, value),
    count: before + 1,
  };
}

/** Puts a record where it belongs by its time; samples mostly come in order, so it is looked for from the end. */
function placed(records: SampleRecord[], fresh: SampleRecord): void {
  let index = records.length;
  while (index > 0 && Number(records[index - 1]?.at) > Number(fresh.at)) index -= 1;
  records.splice(index, 0, fresh);
}

/**
 * A range of samples with those that have just come, as the service would answer now: oldest first, what has grown too
 * old left out.
 */
export function withSamples(
  known: readonly SampleRecord[],
  fresh: readonly Omit<LiveSample, 'name'>[],
  { spanMs, intervalMs }: Range,
  nowMs: number,
): SampleRecord[] {
  const records = [...known];
  for (const { at, value } of fresh) {
    if (intervalMs === undefined) {
      placed(records, { at, value });
      continue;
    }
    const start = Math.floor(Number(at) / intervalMs) * intervalMs;
    const index = records.findLastIndex((record) => Number(record.at) === start);
    if (index >= 0) records[index] = merged(records[index], start, value);
    else placed(records, merged(undefined, start, value));
  }
  const oldest = nowMs - spanMs;
  return records.filter(({ at }) => Number(at) >= oldest).slice(-pointsLimit);
}

/** What a chart draws: times in epoch seconds, ascending, and the values at them; null is a gap. */
export interface Plot {
  readonly times: number[];
  readonly values: (number | null)[];
  readonly lows: (number | null)[];
  readonly highs: (number | null)[];
}

/** Intervals without a sample before the line is broken. */
const gapIntervals = 3;

/** Makes what a chart draws of a range of samples of a stream of numbers. */
export function plotOf(records: readonly SampleRecord[], { intervalMs }: Range): Plot {
  const plot: Plot = { times: [], values: [], lows: [], highs: [] };
  const push = (atMs: number, value: number | null, low: number | null, high: number | null): void => {
    plot.times.push(atMs / 1000);
    plot.values.push(value);
    plot.lows.push(low);
    plot.highs.push(high);
  };
  let beforeMs: number | undefined;
  for (const { at, value, min, max } of records) {
    if (typeof value !== 'number') continue;
    const atMs = Number(at);
    if (intervalMs !== undefined && beforeMs !== undefined && atMs - beforeMs > gapIntervals * intervalMs) {
      push(beforeMs + intervalMs, null, null, null);
    }
    push(atMs, value, min ?? value, max ?? value);
    beforeMs = atMs;
  }
  return plot;
}

/** A value for people: `21.53 °C`; no more digits than a measurement has. */
export function formatValue(value: DataValue, units: string | null = null): string {
  const text =
    typeof value === 'number'
      ? value.toLocaleString(locale, { maximumSignificantDigits: 6, useGrouping: false })
      : value;
  return units === null || units === '' ? text : `${text} ${units}`;
}

/** A chart in words: `last 21 °C, lowest 19 °C, highest 22.5 °C`. */
export function summaryOf(records: readonly SampleRecord[], units: string | null): string {
  const numbers = records.filter(({ value }) => typeof value === 'number');
  const last = numbers.at(-1);
  if (!last) return t.noValues;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { value, min, max } of numbers) {
    low = Math.min(low, min ?? Number(value));
    high = Math.max(high, max ?? Number(value));
  }
  const shown = (value: DataValue): string => formatValue(value, units);
  return t.lastLowestHighest(shown(last.value), shown(low), shown(high));
}
