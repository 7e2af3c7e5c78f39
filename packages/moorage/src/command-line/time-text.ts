const lengths = { day: 10, minute: 16, second: 19 } as const;

/** A moment in UTC down to its day, minute or second, as in `2025-01-31 12:00`; `at` is in epoch ms. */
export const timeText = (at: string | number, to: keyof typeof lengths): string =>
  new Date(Number(at)).toISOString().slice(0, lengths[to]).replace('T', ' ');
