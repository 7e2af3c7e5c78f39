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

/** `3 hours ago`, `just now`, `in 2 days`. */
export function formatRelative(atMs: number, nowMs: number): string {
  const passed = atMs - nowMs;
  const step = steps.find(([, ms]) => Math.abs(passed) >= ms);
  if (!step) return 'just now';
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.trunc(passed / step[1]), step[0]);
}

/** `2026-11-21 14:05:09`, in the given zone or that of the browser. */
export function formatMoment(atMs: number, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    ...(timeZone !== undefined && { timeZone }),
  });
  return parts.format(atMs);
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `512 bytes`, `1.5 KiB`, `20 MiB`. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${bytes === 1 ? 'byte' : units[unit]}`;
}

/** `12,345`. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** `950`, `3.3k`, `12k`: where there is no room for more. */
export const formatCompact = (count: number): string =>
  new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: count < 10_000 ? 1 : 0 })
    .format(count)
    .replace('K', 'k');

/** `1 device`, `12,345 devices`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
