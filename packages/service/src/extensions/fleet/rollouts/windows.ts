import { type RolloutSettings, weekdays } from '@moorage/api';
import { dayMs, minuteMs } from '@moorage/base';

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
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
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

/** What clocks of a zone show at a moment, as the epoch ms at which those of UTC show the same. */
function shownAt(zone: string, atMs: number): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/** The moment at which clocks of a zone show a time first; a time that a change of the clock leaves out is as much later. */
function momentOf(zone: string, shown: number): number {
  const before = shown - (shownAt(zone, shown - dayMs) - (shown - dayMs));
  if (shownAt(zone, before) === shown) return before;
  const after = shown - (shownAt(zone, shown + dayMs) - (shown + dayMs));
  return shownAt(zone, after) === shown ? after : before;
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** How long a window is open. */
const minutesOf = (from: string, to: string): number => {
  const minutes = minuteOf(to) - minuteOf(from);
  return minutes > 0 ? minutes : minutes + dayMinutes;
};

/** The begins and lengths of a window in minutes of the week. */
const spans = ({ times }: Pick<Window, 'times'>): { readonly from: number; readonly minutes: number }[] =>
  times.flatMap(({ days, from, to }) => {
    const minutes = minutesOf(from, to);
    return days.map((day) => ({ from: weekdays.indexOf(day) * dayMinutes + minuteOf(from), minutes }));
  });

/** Minutes from one minute of the week to the next time that it is another. */
const ahead = (from: number, to: number): number => (to - from + weekMinutes) % weekMinutes;

/** Days in which a weekly window opens, from the day before on: that of one over midnight. */
const daysAhead = 9;

/**
 * When a window is open next, epoch ms: now when it is open. It opens once in each of its days and stays open for as long
 * as it says, also where the clock is changed meanwhile.
 */
export function opensAtMs({ times }: Pick<Window, 'times'>, zone: string, nowMs: number): number {
  const today = Math.floor(shownAt(zone, nowMs) / dayMs) * dayMs;
  for (let ahead = -1; ahead < daysAhead; ahead++) {
    const date = today + ahead * dayMs;
    const day = weekdays[(new Date(date).getUTCDay() + 6) % weekdays.length];
    const opens = times.flatMap(({ days, from, to }) => {
      if (!days.some((one) => one === day)) return [];
      const atMs = momentOf(zone, date + minuteOf(from) * minuteMs);
      return atMs + minutesOf(from, to) * minuteMs > nowMs ? [Math.max(atMs, nowMs)] : [];
    });
    if (opens.length > 0) return Math.min(...opens);
  }
  // A window has a day of the week.
  throw new Error('The window never opens');
}

/** The longest time, in ms, for which a window is closed in a week without a change of the clock. */
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
