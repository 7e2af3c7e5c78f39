import { formOf, locale, type Noun, texts } from './language.ts';

export const t = texts({
  justNow: ['just now', 'gerade eben'],
  byte: [
    { one: 'byte', other: 'bytes' },
    { one: 'Byte', other: 'Byte' },
  ],
  never: ['never', 'nie'],
});

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['week', 7 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
];

/** Timestamps of records are epoch milliseconds in a string. */
export const msOf = (timestamp: string): number => Number(timestamp);

// Each is made once: to make one takes a hundred times as long as to use it.
const isNarrow = typeof window !== 'undefined' && window.matchMedia('(max-width: 47.99em)').matches;
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: isNarrow ? 'short' : 'long' });
const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const times = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const counts = new Intl.NumberFormat(locale);

/** `3 hours ago`, `in 2 days`; `just now` within a minute to either side, by which clocks may differ. */
export function formatRelative(atMs: number, nowMs: number): string {
  const passed = atMs - nowMs;
  const step = steps.find(([, ms]) => Math.abs(passed) >= ms);
  if (!step) return t.justNow;
  // What is to come is rounded: a week is "in 7 days" a second after it has been set.
  return relative.format(passed > 0 ? Math.round(passed / step[1]) : Math.trunc(passed / step[1]), step[0]);
}

/** What stands behind "since" and "until": `2:05 PM` within some hours, `Nov 21, 2:05 PM` beyond. */
export const formatSince = (atMs: number, nowMs: number): string =>
  (Math.abs(nowMs - atMs) < 12 * hour ? times : dates).format(atMs);

/** `Nov 21, 2026, 2:05:09 PM`, or as the browser's language has it. */
export const formatMoment = (atMs: number): string => moments.format(atMs);

const units = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A number with at most so many digits behind the point. */
export const formatNumber = (value: number, digits = 0): string =>
  value.toLocaleString(locale, { maximumFractionDigits: digits });

/** `512 bytes`, `1.5 KiB`, `20 MiB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} ${formOf(bytes, t.byte)}`;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${formatNumber(value, value >= 100 ? 0 : 1)} ${units[unit]}`;
}

/** `12,345`. */
export const formatCount = (count: number): string => counts.format(count);

/** `950`, `3.3k`, `12k`: where there is no room for more. */
export const formatCompact = (count: number): string =>
  new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: count < 10_000 ? 1 : 0 })
    .format(count)
    .replace('K', 'k');

/** `1 device`, `12,345 devices`. */
export const plural = (count: number, noun: Noun): string => `${formatCount(count)} ${formOf(count, noun)}`;
