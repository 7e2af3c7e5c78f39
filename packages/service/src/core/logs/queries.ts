import { type LogListQuery, type LogType, logsDepthLimit } from '@moorage/api';
import type { SelectQueryBuilder } from 'kysely';
import { isQuiet } from '../../engine/db/logs.ts';
import { type Paging, paging } from '../../engine/db/paging.ts';
import type { Row, Schema } from '../../engine/db/schema.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import { type LogSource, logSources, watchedProducts } from '../access/logs.ts';
import type { Viewer } from '../access/viewer.ts';

/**
 * Rows of one source that a search for text looks through at a time: a rare word is no walk through everything, and the
 * cursor leads on.
 */
const searchedRows = 40_000;

type LogQuery = SelectQueryBuilder<Schema, 'logs', unknown>;

/** The filters of a list, as values of the table. */
export type LogFilter = Omit<LogListQuery, 'limit' | 'offset' | 'sort' | 'type' | 'format'> & {
  readonly type?: LogType;
};

type Direction = 'asc' | 'desc';

/** Where a row stands in the order of a list. */
type Place = Readonly<Pick<Row<'logs'>, 'id' | 'created_at'>>;

const cursorOf = ({ created_at, id }: Place): string => `${created_at}_${id}`;

/** What lies behind a cursor, which the contract has checked. Spec: API-RULE-log-4. */
function behind(query: LogQuery, cursor: string, direction: Direction): LogQuery {
  const at = cursor.indexOf('_');
  const place = { created_at: Number(cursor.slice(0, at)), id: cursor.slice(at + 1) };
  const past = direction === 'asc' ? '>' : '<';
  // The first condition is there for the index.
  return query
    .where('created_at', `${past}=`, place.created_at)
    .where((eb) => eb.or([eb('created_at', past, place.created_at), eb('id', past, place.id)]));
}

/** The filters that logs have. Reference: api 1.2. */
function filtered(db: Db, filter: LogFilter, direction: Direction): LogQuery {
  const { type, level, from, to } = filter;
  let query: LogQuery = db.selectFrom('logs');
  if (filter.device_id) query = query.where('device_id', '=', filter.device_id);
  if (filter.product_id) query = query.where('product_id', '=', filter.product_id);
  if (filter.user_id) query = query.where('user_id', '=', filter.user_id);
  if (filter.user) {
    const person = db.selectFrom('users').select('id').where('username', '=', filter.user.trim().toLowerCase());
    query = query.where('user_id', '=', person);
  }
  if (type) query = query.where('type', '=', type);
  if (level) query = query.where('level', '=', level);
  // API-RULE-log-2
  query = query.where('quiet', '=', type && isQuiet(type) ? 1 : 0);
  if (from !== undefined) query = query.where('created_at', '>=', from);
  if (to !== undefined) query = query.where('created_at', '<', to);
  return filter.after === undefined ? query : behind(query, filter.after, direction);
}

/**
 * What a list reads from. A filter by device is narrow enough that everything else is a condition on its rows, and so
 * is one by a watched product; otherwise each source is read by itself.
 */
function sourcesOf(
  viewer: Viewer,
  products: readonly string[],
  filter: LogFilter,
  parts: 'single' | 'grouped',
): LogSource[] {
  if (viewer === 'everyone') return [(where) => where.val(true)];
  if (filter.product_id && products.includes(filter.product_id)) return [(where) => where.val(true)];
  const sources = logSources(viewer, products, filter.device_id === undefined ? parts : 'grouped');
  return filter.device_id === undefined ? sources : [(where) => where.or(sources.map((source) => source(where)))];
}

/** The rows of one source, in their order. */
const sorted = (db: Db, filter: LogFilter, source: LogSource, direction: Direction) =>
  filtered(db, filter, direction).where(source).orderBy('created_at', direction).orderBy('id', direction);

/**
 * Ids of the rows of one source, with what they are sorted by: no more than `most`.
 *
 * @param searched rows that a search for text looks through
 */
function rowsOf(
  storage: Storage,
  filter: LogFilter,
  source: LogSource,
  { direction, most, searched }: { direction: Direction; most: number; searched: number },
) {
  const { q } = filter;
  const rows = sorted(storage.db, filter, source, direction)
    .select(['id', 'created_at', 'message'])
    .limit(q ? searched : most);
  const found = storage.db.selectFrom(rows.as('part')).select(['id', 'created_at']);
  if (!q) return found;
  return found
    .where((eb) => storage.expressions.contains(eb.ref('message'), q))
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(most);
}

/** Rows of each source that a search looks through. */
const shareOf = (sources: readonly LogSource[]): number => Math.ceil(searchedRows / sources.length);

/**
 * Up to where a search for text has looked in all sources; nothing when it has looked through everything. What it found
 * behind that place is not all that is there.
 */
async function searchEnd(
  { db }: Storage,
  viewer: Viewer,
  products: readonly string[],
  filter: LogFilter,
  direction: Direction,
): Promise<Place | undefined> {
  if (!filter.q) return undefined;
  const sources = sourcesOf(viewer, products, filter, 'single');
  let end: Place | undefined;
  for (const source of sources) {
    const rows = sorted(db, filter, source, direction).select(['id', 'created_at']);
    const last = await rows
      .offset(shareOf(sources) - 1)
      .limit(1)
      .executeTakeFirst();
    if (last && (!end || comesBefore(last, end, direction))) end = last;
  }
  return end;
}

function comesBefore(one: Place, other: Place, direction: Direction): boolean {
  const [first, second] = direction === 'asc' ? [one, other] : [other, one];
  if (first.created_at !== second.created_at) return first.created_at < second.created_at;
  return first.id < second.id;
}

/** The query for a page of ids; exported for the test of the indexes it uses. */
export function pageOfIds(
  storage: Storage,
  viewer: Viewer,
  products: readonly string[],
  filter: LogFilter,
  page: Paging<'created_at'>,
) {
  const { db } = storage;
  const sources = sourcesOf(viewer, products, filter, 'single');
  const { direction } = page;
  const each = { direction, most: page.offset + page.limit, searched: shareOf(sources) };
  const [first, ...others] = sources.map((source) =>
    // Once more in brackets: only so may a part of a union have an order and a limit of its own.
    db.selectFrom(rowsOf(storage, filter, source, each).as('rows')).select(['id', 'created_at']),
  );
  if (!first) throw new Error('A list of logs without a source');
  const all = others.reduce((joined, one) => joined.unionAll(one), first);
  return db
    .selectFrom(all.as('found'))
    .select('id')
    .orderBy('created_at', page.direction)
    .orderBy('id', page.direction)
    .limit(page.limit)
    .offset(page.offset);
}

/** How many rows there are, counted up to the depth of the list. Spec: API-LIMIT-logs. */
async function countUpTo(
  storage: Storage,
  viewer: Viewer,
  products: readonly string[],
  filter: LogFilter,
  direction: Direction,
): Promise<number> {
  let total = 0;
  const sources = sourcesOf(viewer, products, filter, 'grouped');
  for (const source of sources) {
    const most = logsDepthLimit - total;
    const rows = rowsOf(storage, filter, source, { direction, most, searched: shareOf(sources) });
    const { n } = await storage.db
      .selectFrom(rows.as('counted'))
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    total += n;
    if (total >= logsDepthLimit) break;
  }
  return total;
}

/** Logs with the labels of what they are about. */
const labelled = (db: Db) =>
  db
    .selectFrom('logs')
    .leftJoin('users', 'users.id', 'logs.user_id')
    .leftJoin('devices', 'devices.id', 'logs.device_id')
    .leftJoin('products', 'products.id', 'logs.product_id')
    .selectAll('logs')
    .select(['users.username as user', 'devices.title as device', 'products.product']);

export type LabelledLog = Awaited<ReturnType<ReturnType<typeof labelled>['executeTakeFirstOrThrow']>>;

const watched = async (db: Db, viewer: Viewer): Promise<string[]> =>
  viewer === 'everyone' ? [] : watchedProducts(db, viewer);

/** What a query asks for, and the products whose logs the viewer may read. */
async function readQuery(storage: Storage, viewer: Viewer, query: LogListQuery) {
  const { limit, offset, sort, format: _, ...filter } = query;
  const products = await watched(storage.db, viewer);
  const page = paging(
    { ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }), ...(sort && { sort }) },
    '-created_at',
  );
  return { filter, products, page };
}

async function itemsOf(
  storage: Storage,
  viewer: Viewer,
  { filter, products, page }: Awaited<ReturnType<typeof readQuery>>,
): Promise<LabelledLog[]> {
  const ids = (await pageOfIds(storage, viewer, products, filter, page).execute()).map(({ id }) => id);
  if (ids.length === 0) return [];
  return labelled(storage.db)
    .where('logs.id', 'in', ids)
    .orderBy('logs.created_at', page.direction)
    .orderBy('logs.id', page.direction)
    .execute();
}

/**
 * One page of the logs that the viewer may read, how many there are, up to the limit, and where more lies that pages by
 * number do not reach. A whole list, as a file, is not counted.
 */
export async function listLogs(
  storage: Storage,
  viewer: Viewer,
  query: LogListQuery,
): Promise<{ items: LabelledLog[]; total: number; next?: string }> {
  const read = await readQuery(storage, viewer, query);
  const { filter, products, page } = read;
  const { offset, limit, direction } = page;
  const found = await itemsOf(storage, viewer, read);
  const end = await searchEnd(storage, viewer, products, filter, direction);
  // What is behind the end comes with the next page, and with it what lies between.
  const items = end ? found.filter((item) => !comesBefore(end, item, direction)) : found;
  const isFull = items.length === limit;
  if (end && !isFull) return { items, total: offset + items.length, next: cursorOf(end) };
  // A page that is not full is the last one: a search that finds little does not look through everything twice.
  const isCounted = query.format !== undefined || (!isFull && (items.length > 0 || offset === 0));
  const counted = isCounted
    ? offset + items.length
    : Math.min(await countUpTo(storage, viewer, products, filter, direction), logsDepthLimit);
  const last = items.at(-1);
  const leadsOn = isFull && (query.format !== undefined || counted === logsDepthLimit || filter.q !== undefined);
  return { items, total: Math.min(counted, logsDepthLimit), ...(leadsOn && last && { next: cursorOf(last) }) };
}

/** The highest number of a row of the log; 0 before the first. */
export async function lastNumber({ db, expressions }: Storage): Promise<number> {
  const rows = db.selectFrom('logs').select((eb) => eb.fn.max<number | null>(expressions.logNumber).as('last'));
  return (await rows.executeTakeFirstOrThrow()).last ?? 0;
}

/** What a list shows to the viewer of the rows above a number, by that alone: they are few. Exported for the test of its indexes. */
export function shownAbove(
  { db, expressions }: Storage,
  viewer: Viewer,
  products: readonly string[],
  number: number,
): LogQuery {
  const sources = sourcesOf(viewer, products, {}, 'grouped');
  return filtered(db, {}, 'desc')
    .where(expressions.logNumber, '>', number)
    .where((eb) => {
      const isShown = eb.or(sources.map((source) => source(eb)));
      return expressions.rowByRow?.(isShown) ?? isShown;
    });
}

/** The rows above a number that a list shows to the viewer, the latest first. */
export async function logsAbove(storage: Storage, viewer: Viewer, number: number, limit: number) {
  const { db, expressions } = storage;
  const { logNumber } = expressions;
  const shown = shownAbove(storage, viewer, await watched(db, viewer), number);
  const rows = shown
    .select(['id', logNumber.as('number')])
    .orderBy(logNumber, 'desc')
    .limit(limit);
  return labelled(db)
    .innerJoin(rows.as('above'), 'above.id', 'logs.id')
    .select('above.number')
    .orderBy('above.number', 'desc')
    .execute();
}

/** How many rows above a number a list shows to the viewer. */
export async function countLogsAbove(storage: Storage, viewer: Viewer, number: number): Promise<number> {
  const shown = shownAbove(storage, viewer, await watched(storage.db, viewer), number);
  const { n } = await shown.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  return n;
}

/** The newest logs that the viewer may read, newest first: a list without the cost of counting the rest. */
export const newestLogs = async (storage: Storage, viewer: Viewer, limit: number): Promise<LabelledLog[]> =>
  itemsOf(storage, viewer, await readQuery(storage, viewer, { limit }));

/** One log, if it is there and the viewer may read it. */
export async function logById(db: Db, viewer: Viewer, id: string): Promise<LabelledLog | undefined> {
  const query = labelled(db).where('logs.id', '=', id);
  if (viewer === 'everyone') return query.executeTakeFirst();
  const row = await query.executeTakeFirst();
  if (!row) return undefined;
  const isOwn = row.user_id === viewer.userId || row.owner_id === viewer.userId;
  if (isOwn) return row;
  return row.product_id !== null && (await watchedProducts(db, viewer)).includes(row.product_id) ? row : undefined;
}

/** Removes a batch of the rows from before a moment, oldest first, of all types or of one; returns how many. */
export async function deleteLogsBefore(db: Db, beforeMs: number, batch: number, type?: LogType): Promise<number> {
  const rows = db.selectFrom('logs').select('id');
  const oldest = (type === undefined ? rows : rows.where('type', '=', type))
    .where('created_at', '<', beforeMs)
    .orderBy('created_at')
    .limit(batch);
  const { numDeletedRows } = await db.deleteFrom('logs').where('id', 'in', oldest).executeTakeFirst();
  return Number(numDeletedRows);
}
