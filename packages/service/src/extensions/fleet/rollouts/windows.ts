import { type RolloutSettings, weekdays } from '@moorage/api';
import { minuteMs } from '@moorage/base';

export type Window = NonNullable<RolloutSettings['window']>;

const dayMinutes = 1_440;
const weekMinutes = 7 * dayMinutes;

/** Zones that are remembered with what makes local times of them. */
const knownLimit = 500;
const known = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const found = known.get(zone);
  if (found) return found;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  if (known.size >= knownLimit) known.clear();
  known.set(zone, made);
  return made;
}

/** Whether the host knows a time zone. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    // What is asked of the host is exactly this: it throws for zones that it does not know.
    return false;
  }
}

/** The minute of the week that clocks of a zone show, from Monday 00:00 on. */
function weekMinute(zone: string, atMs: number): number {
  const parts = formatOf(zone).formatToParts(atMs);
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
  const day = weekdays.indexOf(part('weekday').toLowerCase() as (typeof weekdays)[number]);
  return day * dayMinutes + Number(part('hour')) * 60 + Number(part('minute'));
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** The begins and lengths of a window in minutes of the week. */
const spans = ({ times }: Pick<Window, 'times'>): { readonly from: number; readonly minutes: number }[] =>
  times.flatMap(({ days, from, to }) => {
    const length = minuteOf(to) - minuteOf(from);
    const minutes = length > 0 ? length : length + dayMinutes;
    return days.map((day) => ({ from: weekdays.indexOf(day) * dayMinutes + minuteOf(from), minutes }));
  });

/** Minutes from one minute of the week to the next time that it is another. */
const ahead = (from: number, to: number): number => (to - from + weekMinutes) % weekMinutes;

/** When a window is open next, epoch ms: now when it is open. Clocks that are changed meanwhile make it an hour wrong. */
export function opensAtMs(window: Pick<Window, 'times'>, zone: string, nowMs: number): number {
  const now = weekMinute(zone, nowMs);
  const all = spans(window);
  if (all.some(({ from, minutes }) => ahead(from, now) < minutes)) return nowMs;
  const wait = Math.min(...all.map(({ from }) => ahead(now, from)));
  return Math.floor(nowMs / minuteMs) * minuteMs + wait * minuteMs;
}

/** The longest time, in ms, for which a window is closed. */
export function longestClosedMs(window: Pick<Window, 'times'>): number {
  const all = spans(window);
  const closed = all.map(({ from, minutes }) => {
    const end = (from + minutes) % weekMinutes;
    if (all.some((other) => other.from !== end && ahead(other.from, end) < other.minutes)) return 0;
    return Math.min(...all.map((other) => ahead(end, other.from)));
  });
  return Math.max(0, ...closed) * minuteMs;
}

/** The zone in which a window is meant for a device: that of its label, of the window, of the product, else UTC. */
export function zoneFor(window: Window, label: string | undefined, product: string | null): string {
  if (label !== undefined && isZone(label)) return label;
  return window.zone ?? product ?? 'UTC';
}
