import type { SelectQueryBuilder } from 'kysely';

/** Which part of a list is asked for. */
export interface PageOf<S extends string = string> {
  readonly limit?: number;
  readonly offset?: number;
  /** A field name, "-" before it for descending. */
  readonly sort?: S;
}

type FieldOf<S extends string> = S extends `-${infer F}` ? F : S;

export interface Paging<F extends string> {
  readonly limit: number;
  readonly offset: number;
  readonly field: F;
  readonly direction: 'asc' | 'desc';
}

/** Items of a page when the request names no number. Spec: API-LIMIT-page. */
const defaultLimit = 50;

/** Resolves the paging parameters of a list; the contract has checked them. Spec: API-RULE-list-1. */
export function paging<S extends string>(query: PageOf<S>, otherwise: NoInfer<S>): Paging<FieldOf<S>> {
  const sort = query.sort ?? otherwise;
  const descending = sort.startsWith('-');
  return {
    limit: query.limit ?? defaultLimit,
    offset: query.offset ?? 0,
    // Safe: the type says the same as the line, only the compiler does not follow the slice.
    field: (descending ? sort.slice(1) : sort) as FieldOf<S>,
    direction: descending ? 'desc' : 'asc',
  };
}

/** A page and its count, which a database with several connections finds at the same time. */
export async function bothOf<Item>(
  items: Promise<Item[]>,
  count: Promise<{ readonly total: number }>,
): Promise<{ items: Item[]; total: number }> {
  const [found, { total }] = await Promise.all([items, count]);
  return { items: found, total };
}

/** How many rows a query finds, whatever it selects. */
export async function countOf<DB, T extends keyof DB>(rows: SelectQueryBuilder<DB, T, unknown>): Promise<number> {
  const count = rows.clearSelect().select(({ fn }) => fn.countAll<number>().as('n'));
  return (await count.$castTo<{ n: number }>().executeTakeFirstOrThrow()).n;
}

/** One page of rows in their order, and how many rows `all` finds; a database with several connections does both at once. */
export async function onePage<DB, T extends keyof DB, Row, AllDB, AllT extends keyof AllDB>(
  ordered: SelectQueryBuilder<DB, T, Row>,
  all: SelectQueryBuilder<AllDB, AllT, unknown>,
  { limit, offset }: Pick<Paging<string>, 'limit' | 'offset'>,
) {
  const [items, total] = await Promise.all([ordered.limit(limit).offset(offset).execute(), countOf(all)]);
  return { items, total };
}
