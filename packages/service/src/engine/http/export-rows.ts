import { type ExportFormat, timestampPattern } from '@moorage/api';

/** A column of a file: where its value stands in an item, and whether that is a moment. */
export interface Column {
  readonly path: readonly string[];
  readonly isTime: boolean;
}

interface SchemaNode {
  readonly anyOf?: readonly SchemaNode[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly pattern?: string;
}

/** Of "X or null", the X. */
function meant(schema: SchemaNode): SchemaNode {
  const branches = schema.anyOf?.filter(({ type }) => type !== 'null');
  return branches?.length === 1 && branches[0] ? branches[0] : schema;
}

/** The columns of a list of such items: each field is one, and each field of an object in it. */
export function columnsOf(schema: object, path: readonly string[] = []): Column[] {
  // Safe: what the contract describes its replies with is JSON Schema.
  const { properties, pattern } = meant(schema as SchemaNode);
  if (!properties) return [{ path, isTime: pattern === timestampPattern }];
  return Object.entries(properties).flatMap(([name, inner]) => columnsOf(inner, [...path, name]));
}

/** The largest moment that has a date, epoch ms. */
const lastMs = 8.64e15;

/**
 * A value as a cell (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front of it,
 * which makes it a text there: titles of devices come from strangers. Spec: API-RULE-export-1.
 */
function cellOf(value: unknown, isTime: boolean): string {
  if (value === null || value === undefined) return '';
  if (isTime && Number(value) <= lastMs) return new Date(Number(value)).toISOString();
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isFormula = typeof value === 'string' && /^[=+\-@\t\r\n＝＋－＠]/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const valueAt = (item: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined,
    item,
  );

/** How a whole list is written as a file. */
interface Form {
  readonly mediaType: string;
  readonly head: (columns: readonly Column[]) => string;
  /** @param json the item as the list has it */
  readonly row: (columns: readonly Column[], json: string) => string;
}

export const exportForms: Readonly<Record<ExportFormat, Form>> = {
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    // With the mark at its begin a spreadsheet reads it as UTF-8.
    head: (columns) => `\ufeff${columns.map(({ path }) => path.join('.')).join(',')}\r\n`,
    row(columns, json) {
      const item: unknown = JSON.parse(json);
      return `${columns.map(({ path, isTime }) => cellOf(valueAt(item, path), isTime)).join(',')}\r\n`;
    },
  },
  jsonl: { mediaType: 'application/jsonl; charset=utf-8', head: () => '', row: (_, json) => `${json}\n` },
};
