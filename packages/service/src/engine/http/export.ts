import { Readable } from 'node:stream';
import { type EndpointShape, type ExportFormat, type Refusal, timestampPattern } from '@moorage/api';
import type { Clock, Result } from '@moorage/base';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type StatusOf, sendRefusal } from './errors.ts';
import type { Page } from './types.ts';
import { serialiserOf } from './validation.ts';

/** Items that are read at a time. */
const pageItems = 500;
/** A client that takes nothing for this long is cut off, in ms. */
const stallTimeoutMs = 120_000;

type Query = Readonly<Record<string, unknown>>;

/** What reads the pages of a list for the one who asks, and whether that one may still read. */
export interface ListSource {
  readonly page: (query: Query) => Promise<Result<Page<unknown>, Refusal>>;
  readonly isAllowed: () => Promise<boolean>;
}

/** The whole list is wanted as a file. */
export function wantedFormat({ method, query }: FastifyRequest): ExportFormat | undefined {
  // Safe: a paged endpoint has the page query, which validation has checked.
  return method === 'GET' ? (query as { readonly format?: ExportFormat }).format : undefined;
}

const idOf = (item: unknown): unknown =>
  typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;

/** The pages of a list, one after the other. */
async function* pagesOf(first: Page<unknown>, query: Query, { page, isAllowed }: ListSource) {
  let before = new Set<unknown>();
  for (let found = first, offset = 0; ; ) {
    // What came into the list meanwhile has moved the end of the page before into this one.
    yield found.items.filter((item) => idOf(item) === undefined || !before.has(idOf(item)));
    before = new Set(found.items.map(idOf));
    offset += found.items.length;
    if (!found.next && found.items.length < pageItems) return;
    if (!(await isAllowed())) throw new Error('The caller of an export may not read on');
    const next = await page(found.next ? { ...query, after: found.next } : { ...query, offset });
    if (!next.ok) throw new Error(`A page of an export was refused: ${next.error.message}`);
    found = next.value;
  }
}

/** The name of the file: that of the list in its path. */
function fileName({ path }: EndpointShape, format: ExportFormat): string {
  const name = path.split('/').findLast((segment) => segment !== '' && !segment.startsWith('{'));
  return `${name ?? 'list'}.${format}`;
}

/**
 * Sends a whole list as a file, page by page, at the pace of the client. It is refused as the list is; when it cannot go
 * on, the connection breaks, so that half a list is not taken for the whole. Spec: API-RULE-export-1.
 */
export function listExporter(shape: EndpointShape, { clock, statusOf }: { clock: Clock; statusOf: StatusOf }) {
  // Safe: the reply of a list is an array, says the contract.
  const { items: schema } = shape.reply as unknown as { readonly items: object };
  const columns = columnsOf(schema);
  const write = serialiserOf(schema);
  return async (reply: FastifyReply, query: Query, format: ExportFormat, source: ListSource) => {
    const asked = { ...query, limit: pageItems, offset: 0 };
    const first = await source.page(asked);
    if (!first.ok) return sendRefusal(reply, first.error, statusOf(first.error.code));
    const { mediaType, head, row } = exportForms[format];
    async function* texts(begin: Page<unknown>) {
      let text = head(columns);
      for await (const items of pagesOf(begin, asked, source)) {
        text += items.map((item) => row(columns, write(item))).join('');
        const cancel = clock.after(stallTimeoutMs, () => reply.raw.destroy());
        try {
          if (text !== '') yield text;
          text = '';
        } finally {
          cancel();
        }
      }
    }
    return reply
      .headers({
        'content-type': mediaType,
        'content-disposition': `attachment; filename="${fileName(shape, format)}"`,
      })
      .send(Readable.from(texts(first.value), { objectMode: false }));
  };
}

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
