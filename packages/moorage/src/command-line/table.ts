import type { Reporter } from './output.ts';

/** Longest cell, in characters; what is longer is cut, which an ellipsis shows. */
const cellLimit = 60;

/** A text as it may be printed: names come from others, and what steers a terminal stays out. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '�');

const cut = (text: string): string => (text.length > cellLimit ? `${text.slice(0, cellLimit - 1)}…` : text);

type Cell = string | number | null;

/** Rows below their titles, as wide as they have to be; nothing for no rows. */
export function table(titles: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [titles, ...rows.map((row) => titles.map((_, column) => cut(printable(String(row[column] ?? '')))))];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const lengths = { day: 10, minute: 16, second: 19 } as const;

/** A moment in UTC down to its day, minute or second, as in `2025-01-31 12:00`; `at` is in epoch ms. */
export const timeText = (at: string | number, to: keyof typeof lengths): string =>
  new Date(Number(at)).toISOString().slice(0, lengths[to]).replace('T', ' ');

/** How the rows of a list are reported: the name of the event of each, which is also what it is called, and the table. */
export interface RowReport<T> {
  readonly event: string;
  readonly titles: readonly string[];
  readonly row: (one: T) => readonly Cell[];
}

/** Reports what a list has found: an event for each row, or a table and how many there are, of `total` in all. */
export function reportRows<T extends Readonly<Record<string, unknown>>>(
  reporter: Reporter,
  { event, titles, row }: RowReport<T>,
  rows: readonly T[],
  total = rows.length,
): void {
  for (const one of rows) reporter.event(event, one);
  if (rows.length > 0) reporter.say(table(titles, rows.map(row)));
  const shown = rows.length < total ? `${rows.length} of ${total}` : String(total);
  reporter.say(`${shown} ${event.replace('-', ' ')}${total === 1 ? '' : 's'}`);
}
