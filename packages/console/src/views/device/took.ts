import type { UpdateRecord } from '@moorage/api';

const secondMs = 1_000;
const minuteS = 60;
const hourS = 60 * minuteS;

/** `850 ms`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  if (ms < secondMs) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / secondMs);
  if (seconds < minuteS) return `${seconds} s`;
  const [hours, minutes, rest] = [
    Math.floor(seconds / hourS),
    Math.floor((seconds % hourS) / minuteS),
    seconds % minuteS,
  ];
  const [first, second] = hours > 0 ? [`${hours} h`, `${minutes} min`] : [`${minutes} min`, `${rest} s`];
  return second.startsWith('0 ') ? first : `${first} ${second}`;
}

/** How long an update took from the offer to its end; a dash while it is under way. */
export const tookText = ({ created_at, finished_at }: UpdateRecord): string =>
  finished_at === null ? '—' : formatDuration(Number(finished_at) - Number(created_at));
