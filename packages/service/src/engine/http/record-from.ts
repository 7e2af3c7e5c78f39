import { success } from '@moorage/base';
import type { Static, TObject, TSchema } from 'typebox';

/** A value of a row as a record shows it: a number stands for the text or the truth value that the contract has there. */
type Shown<Value, Wanted> = Value extends number
  ? Value extends Wanted
    ? Value
    : string extends Wanted
      ? string
      : boolean
  : Value;

/** The fields of a record that its row does not have as they are. */
type Lacking<Wanted, Row> = {
  readonly [Name in keyof Wanted as Name extends keyof Row
    ? [Shown<Row[Name], Wanted[Name]>] extends [Wanted[Name]]
      ? never
      : Name
    : Name]: Wanted[Name];
};

const shown = (
  value: unknown,
  schema: TSchema & { readonly anyOf?: readonly { type?: string }[]; readonly type?: string },
) => {
  if (typeof value !== 'number') return value;
  const type = schema.type ?? schema.anyOf?.[0]?.type;
  return type === 'string' ? String(value) : type === 'boolean' ? value === 1 : value;
};

/**
 * The record of a row: the fields that its contract names, and no others. Moments and truth values become what the
 * contract has in their place.
 *
 * @param rest what the row does not have as it is
 */
export function recordFrom<S extends TObject, Row extends object>(
  schema: S,
  row: Row,
  ...[rest]: Record<never, never> extends Lacking<Static<S>, Row>
    ? [rest?: Partial<Static<S>>]
    : [rest: Lacking<Static<S>, Row> & Partial<Static<S>>]
): Static<S> {
  const values: Readonly<Record<string, unknown>> = { ...row, ...rest };
  // Safe: the types say that together they have every field.
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, field]) => [name, shown(values[name], field)]),
  ) as Static<S>;
}

/** The answer to a list: a page of rows, each as the record of it. */
export async function listed<Row, Item>(
  page: Promise<{ readonly items: readonly Row[]; readonly total: number }>,
  record: (row: Row) => Item,
) {
  const { items, total } = await page;
  return success({ items: items.map((row) => record(row)), total });
}
