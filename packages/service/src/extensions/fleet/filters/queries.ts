import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DeviceWhere, FilterQuestion, ListFilter, Walk } from '../../../core/devices/hooks.ts';
import { builtForMany } from '../../../engine/db/compiled.ts';
import type { Schema } from '../../../engine/db/schema.ts';
import type { Db, Expressions } from '../../../engine/db/storage.ts';
import { attributesOf, labelsOf } from '../attributes/queries.ts';
import { type Field, knownFields, privateFields } from './fields.ts';
import type { Filter, Order, Test } from './parse.ts';
import { type DeviceFacts, momentMs } from './predicate.ts';

const operators = { lt: '<', le: '<=', gt: '>', ge: '>=' } as const satisfies Record<Order, string>;

type Condition = Expression<SqlBool>;

/** The columns of a value: itself, and what attributes have beside it. */
interface Columns {
  readonly value: string;
  readonly number?: string;
  readonly version?: string;
}

/** Whether a value passes a test; one that is not there passes none. */
function passing(where: DeviceWhere, expressions: Expressions, columns: Columns, test: Test, nowMs: number): Condition {
  const passes = passingTest(where, expressions, columns, test, nowMs);
  // Most devices may pass it, or none.
  return expressions.forItsValues?.(passes) ?? passes;
}

function passingTest(
  where: DeviceWhere,
  expressions: Expressions,
  columns: Columns,
  test: Test,
  nowMs: number,
): Condition {
  const value = sql.ref<string>(columns.value);
  if (test.by === 'text') {
    const texts = test.patterns.map((pattern) => {
      if (pattern === '*') return sql<SqlBool>`${value} is not null`;
      return pattern.includes('*') ? expressions.matches(value, pattern) : sql<SqlBool>`${value} = ${pattern}`;
    });
    // What is not there is not known to differ either.
    return sql<SqlBool>`(${value} is not null and ${where.or(texts)})`;
  }
  const operator = sql.raw(operators[test.order]);
  if (test.by === 'time')
    return sql<SqlBool>`(${value} is not null and ${value} ${operator} ${momentMs(test.value, nowMs)})`;
  const column = test.by === 'number' ? columns.number : columns.version;
  if (column === undefined) return sql<SqlBool>`1 = 0`;
  const compared = sql.ref(column);
  return sql<SqlBool>`(${compared} is not null and ${compared} ${operator} ${test.value})`;
}

/** The rows of attributes or labels that pass a test: one at most of each device. */
function passingValues(
  where: DeviceWhere,
  expressions: Expressions,
  field: Exclude<Field, { in: 'device' }>,
  test: Test,
  nowMs: number,
): RawBuilder<unknown> {
  const columns: Columns =
    field.in === 'labels' ? { value: 'f.value' } : { value: 'f.value', number: 'f.number', version: 'f.version_key' };
  const passes = passing(where, expressions, columns, test, nowMs);
  return sql`from ${sql.table(field.in)} as f where f.name = ${field.name} and ${passes}`;
}

/**
 * Counts the devices that fit a filter of one attribute or label from an index of their values alone; nothing for other
 * filters.
 */
export function valueCount(
  filter: Filter,
  expressions: Expressions,
  nowMs: number,
): ((db: Db, limit?: number) => Promise<number>) | undefined {
  if (!('field' in filter) || filter.kind !== 'is' || filter.field.in === 'device') return undefined;
  const found = passingValues(expressionBuilder<Schema, 'devices'>(), expressions, filter.field, filter.test, nowMs);
  return async (db, limit) => {
    const limited = limit === undefined ? sql`` : sql` limit ${sql.lit(limit)}`;
    const counting = sql<{ total: number }>`select count(*) as total from (select 1 ${found}${limited}) as fitting`;
    const { rows } = await counting.execute(db);
    return Number(rows[0]?.total);
  };
}

/** Whether the value of a field passes a test. */
function fieldPasses(
  where: DeviceWhere,
  expressions: Expressions,
  { field, test }: Extract<Filter, { field: Field }>,
  nowMs: number,
  walk: Walk,
): Condition {
  if (field.in === 'device') {
    const known = knownFields[field.name];
    if (!('table' in known)) {
      return passing(where, expressions, { value: `devices.${known.column}` }, test, nowMs);
    }
    const { table, key, by, column } = known;
    const passes = passing(where, expressions, { value: `f.${column}` }, test, nowMs);
    return sql<SqlBool>`exists (select 1 from ${sql.table(table)} as f where ${sql.ref(`f.${key}`)} = ${sql.ref(`devices.${by}`)} and ${passes})`;
  }
  const found = passingValues(where, expressions, field, test, nowMs);
  return walk === 'values'
    ? sql<SqlBool>`devices.id in (select f.device_id ${found})`
    : sql<SqlBool>`exists (select 1 ${found} and f.device_id = devices.id)`;
}

/**
 * The condition of a filter over `devices` at a time, epoch ms. It means what `fitsFilter` means.
 *
 * @param seesPrivate the devices whose private fields may be looked at; all of them without it
 */
export function filterCondition(
  filter: Filter,
  expressions: Expressions,
  nowMs: number,
  seesPrivate?: (where: DeviceWhere) => Condition,
): (where: DeviceWhere, walk?: Walk) => Condition {
  return (where, walk = 'values') => {
    if ('of' in filter) {
      const parts = filter.of.map((part) => filterCondition(part, expressions, nowMs, seesPrivate)(where, walk));
      return filter.kind === 'all' ? where.and(parts) : where.or(parts);
    }
    const { field } = filter;
    const fits = fieldPasses(where, expressions, filter, nowMs, walk);
    const isHidden = seesPrivate && field.in === 'device' && privateFields.includes(field.name);
    const passes = isHidden ? sql<SqlBool>`(${seesPrivate(where)} and ${fits})` : fits;
    return filter.kind === 'is' ? passes : where.not(passes);
  };
}

/** The condition of a filter as `filterCondition` makes it, and the count that an index of values may have. */
export const listFilter =
  (filter: Filter) =>
  ({ expressions, nowMs, seesPrivate }: FilterQuestion): ListFilter => ({
    fits: filterCondition(filter, expressions, nowMs, seesPrivate),
    countValues: valueCount(filter, expressions, nowMs),
  });

/** What a filter looks at: fields of the device, its attributes, its labels. */
export type FactPart = Field['in'];

/** The parts of a device that a filter looks at. */
export const partsOf = (filter: Filter): readonly FactPart[] =>
  'of' in filter ? filter.of.flatMap(partsOf) : [filter.field.in];

// Safe: every field is named.
const noFields = Object.fromEntries(Object.keys(knownFields).map((name) => [name, null])) as DeviceFacts['fields'];

const fieldsFrom = (of: Db) =>
  of
    .selectFrom('devices as d')
    .innerJoin('products as p', 'p.id', 'd.product_id')
    .innerJoin('platforms as pf', 'pf.id', 'd.platform_id')
    .leftJoin('users as u', 'u.id', 'd.user_id')
    .leftJoin('updates as up', 'up.id', 'd.update_id')
    .leftJoin('channels as ch', 'ch.device_id', 'd.id')
    .select(['d.id', 'd.uuid', 'd.title', 'd.mac', 'd.ip', 'd.state', 'd.tag', 'p.product', 'pf.code as platform'])
    .select(['u.username as owner', 'up.to_version as bundle', 'up.state as update'])
    .select(['d.created_at as created', 'd.claimed_at as claimed', 'd.activated_at as activated'])
    .select(['d.last_seen_at as last_seen', 'ch.connected_at as online']);

const fieldsOf = builtForMany((of, ids: readonly string[]) => fieldsFrom(of).where('d.id', 'in', ids));

/** What filters see of devices, by id; parts that are not asked for are empty. */
export async function factsOf(
  db: Db,
  ids: readonly string[],
  parts: ReadonlySet<FactPart>,
): Promise<ReadonlyMap<string, DeviceFacts>> {
  const fields = parts.has('device') ? new Map((await fieldsOf(db, ids)).map((row) => [row.id, row])) : undefined;
  const attributes = Map.groupBy(
    parts.has('attributes') ? await attributesOf(db, ids) : [],
    ({ device_id }) => device_id,
  );
  const labels = parts.has('labels') ? await labelsOf(db, ids) : undefined;
  return new Map(
    ids.map((id) => [
      id,
      {
        fields: fields?.get(id) ?? noFields,
        attributes: new Map(attributes.get(id)?.map(({ name, ...fact }) => [name, fact])),
        labels: labels?.get(id) ?? new Map(),
      },
    ]),
  );
}
