import { type DeviceListQuery, openUpdateStates } from '@moorage/api';
import {
  type Expression,
  type ExpressionWrapper,
  expressionBuilder,
  type OrderByItemBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { padded } from '../../engine/db/groups.ts';
import { bothOf, type Paging, paging } from '../../engine/db/paging.ts';
import type { Schema } from '../../engine/db/schema.ts';
import type { Db, Expressions } from '../../engine/db/storage.ts';
import { watchedProducts } from '../access/logs.ts';
import type { Viewer, ViewingUser } from '../access/viewer.ts';
import { countedDevices, hasAllDevices, isCounted, walked } from './counts.ts';
import { deviceHealth } from './health.ts';
import type { DeviceWhere, ListFilter, Walk } from './hooks.ts';
import { type DeviceRows, type RecordedDevice, type RecordHooks, recorded } from './queries.ts';
import { standingState } from './standing.ts';

/** What lists of devices are read with. */
interface Lists {
  readonly db: Db;
  readonly expressions: Expressions;
  readonly hooks: RecordHooks;
}

/** So many rows are sorted faster than others are walked past. */
const fewDevices = 5_000;

/** Fields that a device may have no value of; they come last, whichever way a list runs. */
const optionalFields: readonly string[] = ['last_seen_at', 'activated_at'];

/**
 * One page of the devices that a viewer may see. Reference: api 1.1. The rows of the page are found first, from indexes of
 * the one table where the filters allow it; only they are joined with what they belong to.
 * Spec: API-RULE-list-1, API-RULE-list-2.
 *
 * @param nowMs for what depends on the time
 */
export async function listDevices(
  { db, expressions, hooks }: Lists,
  viewer: Viewer,
  query: DeviceListQuery,
  nowMs: number,
  { fits, countValues }: Partial<ListFilter> = {},
): Promise<{ items: RecordedDevice[]; total: number }> {
  const visible = viewer === 'everyone' ? undefined : await visibleTo(db, viewer);
  const addresses = query.q ? await privateTo(db, viewer) : undefined;
  const candidates = query.q ? await expressions.findCandidates(db, query.q) : undefined;
  const matched = matching({ db, expressions, hooks }, query, nowMs, addresses, candidates);
  const page = paging(query, '-created_at');
  const shown = visible ? matched.where(await walked(db, expressions, visible, page.offset + page.limit)) : matched;
  const filtered = (walk: Walk) => (fits ? shown.where((where) => fits(where, walk)) : shown);
  const sorted = sortedBy(page);
  // A server takes a limit that it does not know for a tenth of the table, and plans each page anew, which takes longer
  // than to read it. Written out, it may plan once: that is right for any values of what has an index in this order, and
  // for the first page, which comes often.
  const isFirst = page.field === 'created_at' && page.offset === 0;
  const isPlannedOnce = viewer === 'everyone' && isCounted(query) && isFirst;
  const written = (count: number) => (isPlannedOnce ? sql.lit(count) : count);
  const pageOf = <O>(found: SelectQueryBuilder<Schema, 'devices', O>) =>
    found
      .orderBy(`devices.${page.field}`, sorted)
      .orderBy('devices.id', page.direction)
      .limit(written(page.limit))
      .offset(written(page.offset));
  const details = (rows?: DeviceRows) =>
    recorded(db, viewer === 'everyone' ? '' : viewer.userId, hooks, nowMs, rows)
      .orderBy(`devices.${page.field}`, sorted)
      .orderBy('devices.id', page.direction);
  const counted = () =>
    filtered('values')
      .select((counting) => counting.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
  // What is planned for its values is short, and what is long is planned once.
  const detailsOf = async (rows: readonly { readonly id: string }[]) => {
    const ids = rows.map(({ id }) => id);
    return ids.length === 0 ? [] : details().where('devices.id', 'in', padded(ids)).execute();
  };
  if (candidates && !fits) {
    // What an index finds is found once for both, the page and the count.
    const rows = await pageOf(
      shown.select(['devices.id', ({ fn }) => fn.countAll<number>().over().as('total')]),
    ).execute();
    const total = rows[0]?.total ?? (page.offset === 0 ? 0 : (await counted()).total);
    return { items: await detailsOf(rows), total: Number(total) };
  }
  if (!fits) {
    const count = isCounted(query) ? countedDevices(db, query, visible) : counted();
    return bothOf(details(pageOf(shown.selectAll('devices'))).execute(), count);
  }
  // How many fit says from where their page is found faster.
  const countAll = countValues && (await hasAllDevices(db, query, visible)) ? countValues : undefined;
  const fitting = countAll ? await countAll(db, fewDevices + 1) : Number((await counted()).total);
  const isFew = fitting <= fewDevices;
  // The limit keeps a database from walking past all others.
  const few = filtered('values')
    .selectAll('devices')
    .limit(2 * fewDevices);
  const found = isFew ? db.selectFrom(few.as('devices')) : filtered('devices');
  const items = pageOf(found.select('devices.id')).execute().then(detailsOf);
  const [shownItems, total] = await Promise.all([items, countAll && !isFew ? countAll(db) : fitting]);
  return { items: shownItems, total };
}

/** The order by the field of a page. */
const sortedBy =
  ({ field, direction }: Pick<Paging<string>, 'field' | 'direction'>) =>
  <O extends OrderByItemBuilder>(order: O) => {
    const directed = direction === 'desc' ? order.desc() : order.asc();
    // Said of a field that always has a value, this would keep PostgreSQL from the index.
    if (!optionalFields.includes(field)) return directed;
    return direction === 'desc' ? directed.nullsLast() : directed.nullsFirst();
  };

type Condition = ExpressionWrapper<Schema, 'devices', SqlBool>;

/**
 * What a search looks at: what can hold the text, of devices that an index says may have it. Of devices whose record
 * hides it, nothing private is looked at.
 */
const searchable = [
  { column: 'devices.title', holds: /^/, isPrivate: false },
  { column: 'devices.uuid', holds: /^[0-9a-f]+$/i, isPrivate: false },
  { column: 'devices.mac', holds: /^[0-9a-f:]+$/i, isPrivate: true },
  { column: 'devices.bt_addr', holds: /^[0-9a-f:]+$/i, isPrivate: true },
] as const;

/**
 * Devices that the viewer may see the private things of: their own, and those on products that they own or manage;
 * nothing when those are all devices.
 */
export async function privateTo(db: Db, viewer: Viewer): Promise<((where: DeviceWhere) => Condition) | undefined> {
  if (viewer === 'everyone') return undefined;
  const products = await watchedProducts(db, viewer);
  return (where) => {
    const own = where('devices.user_id', '=', viewer.userId);
    return products.length === 0 ? own : where.or([own, where('devices.product_id', 'in', products)]);
  };
}

/** Devices that fit the filters. What another table decides is asked of that table alone. */
function matching(
  { db, expressions, hooks }: Lists,
  query: DeviceListQuery,
  nowMs: number,
  seesPrivate: ((where: DeviceWhere) => Condition) | undefined,
  candidates: Expression<SqlBool> | undefined,
) {
  let rows = db.selectFrom('devices');
  const { q, tag, claimable, bundle_id, updated } = query;
  if (q) {
    const texts = searchable.filter(({ holds }) => holds.test(q));
    if (candidates) rows = rows.where(candidates);
    rows = rows.where((where) =>
      where.or(
        texts.map(({ column, isPrivate }) => {
          const found = expressions.contains(where.ref(column), q);
          return isPrivate && seesPrivate ? where.and([seesPrivate(where), found]) : found;
        }),
      ),
    );
  }
  if (query.product_id) rows = rows.where('devices.product_id', '=', query.product_id);
  if (query.platform_id) rows = rows.where('devices.platform_id', '=', query.platform_id);
  if (query.user_id) rows = rows.where('devices.user_id', '=', query.user_id);
  // Written out, so that the index of blocked devices is seen to fit; the contract knows three values.
  if (query.state) rows = rows.where('devices.state', '=', sql.lit(query.state));
  if (tag === '') rows = rows.where('devices.tag', 'is', null);
  else if (tag !== undefined) rows = rows.where('devices.tag', '=', tag);
  if (claimable !== undefined) {
    const products = db
      .selectFrom('products')
      .select('products.id')
      .where('products.claimable', '=', claimable ? 1 : 0);
    rows = rows.where('devices.product_id', 'in', products);
  }
  if (query.online !== undefined) {
    const online = db.selectFrom('channels').select('channels.device_id');
    rows = rows.where('devices.id', query.online ? 'in' : 'not in', online);
  }
  if (query.standing) rows = rows.where(standingState(hooks.wantedFirst?.(nowMs)), '=', query.standing);
  if (query.health) rows = rows.where(deviceHealth(hooks, nowMs), '=', query.health);
  if (bundle_id || updated) {
    const updates = db
      .selectFrom('updates')
      .select('updates.id')
      .$if(bundle_id !== undefined, (some) => some.where('updates.to_bundle_id', '=', bundle_id ?? ''))
      .$if(updated !== undefined, (some) => some.where('updates.state', 'in', statesOf[updated ?? 'ok']));
    rows = rows.where('devices.update_id', 'in', updates);
  }
  return rows;
}

const statesOf = {
  ok: ['done'],
  outdated: openUpdateStates,
  failed: ['failed'],
} as const;

/** More of them are asked for by a query in the query. */
const listedProducts = 1_000;

/**
 * The devices that a user sees: their own, and those on products that they own, manage or test. The products are
 * looked up first: a list of them leads through an index, where a query in the query would be a walk through all rows.
 */
async function visibleTo(db: Db, { userId, customerId }: ViewingUser): Promise<Condition> {
  const where: DeviceWhere = expressionBuilder();
  const products = db
    .selectFrom('products')
    .select('id')
    .where('user_id', '=', userId)
    .union(db.selectFrom('products').select('id').where('customer_id', '=', customerId))
    .union(db.selectFrom('product_users').select('product_id as id').where('user_id', '=', userId));
  const ids = (await products.limit(listedProducts + 1).execute()).map(({ id }) => id);
  const own = where('devices.user_id', '=', userId);
  if (ids.length === 0) return own;
  return where.or([own, where('devices.product_id', 'in', ids.length > listedProducts ? products : ids)]);
}
