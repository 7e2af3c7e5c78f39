import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { Db, Expressions } from '../db/storage.ts';
import { type Field, type FieldName, knownFields, privateFields } from './fields.ts';
import type { Filter, Order, Test } from './parse.ts';
import { type AttributeFact, type DeviceFacts, momentMs } from './predicate.ts';

const operators = { lt: '<', le: '<=', gt: '>', ge: '>=' } as const satisfies Record<Order, string>;

type Where = ExpressionBuilder<Schema, 'devices'>;
type Condition = Expression<SqlBool>;

/** The columns of a value: itself, and what attributes have beside it. */
interface Columns {
  readonly value: string;
  readonly number?: string;
  readonly version?: string;
}

/** Whether a value that is there passes a test; `undefined` for a test that its kind never passes. */
function passing(where: Where, expressions: Expressions, columns: Columns, test: Test, nowMs: number): Condition {
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

/** Whether the value of a field passes a test. */
function fieldPasses(where: Where, expressions: Expressions, field: Field, test: Test, nowMs: number): Condition {
  if (field.in === 'device') {
    const known = knownFields[field.name];
    if (!('table' in known)) {
      return passing(where, expressions, { value: `devices.${known.column}` }, test, nowMs);
    }
    const { table, key, by, column } = known;
    const passes = passing(where, expressions, { value: `f.${column}` }, test, nowMs);
    return sql<SqlBool>`exists (select 1 from ${sql.table(table)} as f where ${sql.ref(`f.${key}`)} = ${sql.ref(`devices.${by}`)} and ${passes})`;
  }
  const columns: Columns =
    field.in === 'labels' ? { value: 'f.value' } : { value: 'f.value', number: 'f.number', version: 'f.version_key' };
  const passes = passing(where, expressions, columns, test, nowMs);
  return sql<SqlBool>`exists (select 1 from ${sql.table(field.in)} as f where f.device_id = devices.id and f.name = ${field.name} and ${passes})`;
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
  seesPrivate?: (where: Where) => Condition,
): (where: Where) => Condition {
  return (where) => {
    if ('of' in filter) {
      const parts = filter.of.map((part) => filterCondition(part, expressions, nowMs, seesPrivate)(where));
      return filter.kind === 'all' ? where.and(parts) : where.or(parts);
    }
    const { field } = filter;
    const fits = fieldPasses(where, expressions, field, filter.test, nowMs);
    const isHidden = seesPrivate && field.in === 'device' && privateFields.includes(field.name);
    const passes = isHidden ? sql<SqlBool>`(${seesPrivate(where)} and ${fits})` : fits;
    return filter.kind === 'is' ? passes : where.not(passes);
  };
}

/** What filters see of devices, by their ids; those that are not there are left out. */
export async function deviceFacts(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, DeviceFacts>> {
  const rows = await db
    .selectFrom('devices as d')
    .innerJoin('products as p', 'p.id', 'd.product_id')
    .innerJoin('platforms as pf', 'pf.id', 'd.platform_id')
    .leftJoin('users as u', 'u.id', 'd.user_id')
    .leftJoin('updates as up', 'up.id', 'd.update_id')
    .leftJoin('channels as ch', 'ch.device_id', 'd.id')
    .select(['d.id', 'd.uuid', 'd.title', 'd.mac', 'd.ip', 'd.state', 'd.tag', 'p.product', 'pf.code as platform'])
    .select(['u.username as owner', 'up.to_version as bundle', 'up.state as update'])
    .select(['d.created_at as created', 'd.claimed_at as claimed', 'd.activated_at as activated'])
    .select(['d.last_seen_at as last_seen', 'ch.connected_at as online'])
    .where('d.id', 'in', ids)
    .execute();
  const attributes = await db.selectFrom('attributes').selectAll().where('device_id', 'in', ids).execute();
  const labels = await db.selectFrom('labels').selectAll().where('device_id', 'in', ids).execute();
  const facts = new Map(
    rows.map((fields: Readonly<Record<FieldName, string | number | null>> & { id: string }) => [
      fields.id,
      { fields, attributes: new Map<string, AttributeFact>(), labels: new Map<string, string>() },
    ]),
  );
  for (const { device_id, name, ...fact } of attributes) facts.get(device_id)?.attributes.set(name, fact);
  for (const { device_id, name, value } of labels) facts.get(device_id)?.labels.set(name, value);
  return facts;
}
