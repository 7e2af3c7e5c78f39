import { formatMoment } from '../texts/format.ts';
import { locale } from '../texts/language.ts';

/** Distances between the lines of an axis of counts. */
export const wholeSteps: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7,
];

const [minuteS, hourS, dayS] = [60, 3_600, 86_400];

/**
 * How an axis of time is written, by the seconds between its lines: the text of each; what the first line has below it,
 * then what a line has where the year, the month, the day, the hour, the minute and the second change. The last is how
 * the two come together: 1 is below each other.
 */
export const dateAxis: readonly (readonly (number | string | null)[])[] = [
  [365 * dayS, '{YYYY}', null, null, null, null, null, null, 1],
  [28 * dayS, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [dayS, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [hourS, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [minuteS, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
];

function axisLine(template: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, {
    hourCycle: 'h23',
    ...(template.includes('YYYY') && { year: 'numeric' }),
    ...(template.includes('MMM') && { month: 'short' }),
    ...(template.includes('{D}') && { day: 'numeric' }),
    ...(template.includes('HH') && { hour: '2-digit' }),
    ...(template.includes('mm') && { minute: '2-digit' }),
    ...(template.includes('ss') && { second: '2-digit' }),
  });
}

/** Writes what `dateAxis` asks for as the browser's language does; a day has 24 hours everywhere, for want of room. */
export function axisDate(template: string): (date: Date) => string {
  // The library puts the rows of a text together before it asks.
  const lines = template.split('\n').map((line) => (line === '' ? undefined : axisLine(line)));
  return (date) => lines.map((line) => line?.format(date) ?? '').join('\n');
}

/** The moment under the pointer; nothing while there is none. */
export const momentText = (atS: number | null | undefined): string => (atS == null ? '' : formatMoment(atS * 1000));

/** Values as they are drawn on top of each other: each with all before it below. Gaps count as nothing. */
export function stackOf(series: readonly (readonly (number | null)[])[]): (number | null)[][] {
  let below: readonly number[] = [];
  return series.map((values) => {
    const sums = values.map((value, index) => (value ?? 0) + (below[index] ?? 0));
    below = sums;
    return sums;
  });
}

/** From when to when an axis of bars goes: half a bar more than the times of the bars, so that none is cut. */
export function barSpan(
  times: ArrayLike<number>,
  from: number | null,
  to: number | null,
): [number | null, number | null] {
  if (from === null || to === null || times.length < 2) return [from, to];
  const step = ((times[times.length - 1] ?? to) - (times[0] ?? from)) / (times.length - 1);
  return [from - step / 2, to + step / 2];
}

/** From here on there is no room for every digit beside an axis. */
const compactFrom = 100_000;

const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 2 });
const plain = new Intl.NumberFormat(locale, { maximumSignificantDigits: 6, useGrouping: false });

/** A number beside an axis: `2500`, `0.05`, `1.25M`. */
export const axisNumber = (value: number | null): string => {
  if (value === null) return '';
  return (Math.abs(value) < compactFrom ? plain : compact).format(value);
};
