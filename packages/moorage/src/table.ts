/** Longest cell, in characters; what is longer is cut, which an ellipsis shows. */
const cellLimit = 60;

/** A text as it may be printed: names come from others, and what steers a terminal stays out. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '�');

const cut = (text: string): string => (text.length > cellLimit ? `${text.slice(0, cellLimit - 1)}…` : text);

/** Rows below their titles, as wide as they have to be; nothing for no rows. */
export function table(titles: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
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
