/** What a list shows: which page of it, in which order, and which filters. */
export interface ListState {
  /** Counted from 1. */
  readonly page: number;
  /** Field name, `-` before it for descending; undefined is the order of the service. */
  readonly sort: string | undefined;
  /** Values of the filters that are set, by name. `""` is a value of its own (devices without a tag). */
  readonly filters: Readonly<Record<string, string>>;
}

/** Reads a list's state from the query of an address; what is not a filter of the list is left out. */
export function readListState(search: string, filterNames: readonly string[]): ListState {
  const query = new URLSearchParams(search);
  const page = Number(query.get('page') ?? '1');
  const filters: Record<string, string> = {};
  for (const name of filterNames) {
    const value = query.get(name);
    if (value !== null) filters[name] = value;
  }
  return { page: Number.isInteger(page) && page > 0 ? page : 1, sort: query.get('sort') ?? undefined, filters };
}

/** The query of an address that shows this state, without a question mark; empty for a list as it begins. */
export function writeListState({ page, sort, filters }: ListState): string {
  const query = new URLSearchParams(filters);
  if (sort !== undefined) query.set('sort', sort);
  if (page > 1) query.set('page', String(page));
  return query.toString();
}

/** The order after a press on a column: ascending first, then descending, then ascending again. */
export const nextSort = (sort: string | undefined, field: string): string => (sort === field ? `-${field}` : field);
