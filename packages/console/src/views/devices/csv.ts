/**
 * The rows of a CSV text (RFC 4180), with commas or semicolons, as spreadsheets of different languages write it; a line
 * without anything is none.
 */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const bare = text.replace(/^\ufeff/, '');
  const [head = ''] = bare.split(/\r?\n/, 1);
  const separator = head.includes(';') && !head.includes(',') ? ';' : ',';
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(
    `("(?:[^"]|"")*"|[^"\\r\\n${separator}][^\\r\\n${separator}]*|)(${separator}|\\r?\\n|$)`,
    'gy',
  );
  for (let found = cell.exec(bare); found; found = cell.exec(bare)) {
    const [whole, value = '', end = ''] = found;
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value.trim());
    if (end !== separator) {
      if (row.some((one) => one !== '')) rows.push(row);
      row = [];
    }
    if (whole === '' || (end === '' && cell.lastIndex >= bare.length)) break;
  }
  return rows;
}

/** A cell as CSV has it: in quotes where it has to be, and never a formula to a spreadsheet. */
const csvCell = (value: string | number): string => {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Rows as a CSV text (RFC 4180). */
export const writeCsv = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');

/** Columns that a file of devices may have. */
export const deviceColumns = ['uuid', 'platform', 'title', 'mac', 'bt_addr'] as const;

/** A device as a row of a file says it. */
export interface CsvDevice {
  readonly uuid: string;
  readonly platform_id: string;
  readonly title?: string;
  readonly mac?: string;
  readonly bt_addr?: string;
}

/** What is wrong with a file, or its devices. */
export type CsvDevices =
  | { readonly devices: readonly CsvDevice[] }
  | { readonly problem: 'columns' | 'platform'; readonly value: string };

/**
 * The devices of a CSV text whose first row names its columns.
 *
 * @param platforms ids of platforms by their codes
 */
export function devicesOf(text: string, platforms: ReadonlyMap<string, string>): CsvDevices {
  const [head = [], ...rows] = parseCsv(text);
  const at = new Map(head.map((name, column) => [name.toLowerCase(), column]));
  const missing = (['uuid', 'platform'] as const).find((name) => !at.has(name));
  if (missing !== undefined) return { problem: 'columns', value: missing };
  const devices: CsvDevice[] = [];
  for (const row of rows) {
    const textOf = (name: (typeof deviceColumns)[number]): string => row[at.get(name) ?? -1] ?? '';
    const platform_id = platforms.get(textOf('platform').toUpperCase());
    if (platform_id === undefined) return { problem: 'platform', value: textOf('platform') };
    const optional = Object.fromEntries(
      (['title', 'mac', 'bt_addr'] as const).flatMap((name) => (textOf(name) === '' ? [] : [[name, textOf(name)]])),
    );
    devices.push({ uuid: textOf('uuid'), platform_id, ...optional });
  }
  return { devices };
}
