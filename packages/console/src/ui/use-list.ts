import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { type ListState, nextSort, readListState, writeListState } from './address.ts';
import { type TableName, type TableSettings, useTableSettings } from './table-settings.ts';

/** The state of a list, kept in the address: a link to the page shows the same. */
export interface ListAddress extends ListState {
  /** For the query of the list's endpoint. */
  readonly limit: number;
  readonly offset: number;
  /** Its filters and order as the query of an address, for links and saved views. */
  readonly search: string;
  /** What the user has chosen for the table. */
  readonly settings: TableSettings;
  /** Sets the rows of a page; the list begins again. */
  setRows(rows: number): void;
  setPage(page: number): void;
  /** Orders by a field, the other way round when it is ordered by it already. */
  sortBy(field: string): void;
  /** Sets a filter; `undefined` takes it off. The list begins again at its first page. */
  setFilter(name: string, value: string | undefined): void;
  clear(): void;
  /** Shows what such a query says. */
  show(search: string): void;
  /** Goes on behind a cursor of the service, where pages by number do not reach; in place of this page, if so wished. */
  goBehind(cursor: string, inPlace?: boolean): void;
}

/** A cursor is of one order and one set of filters. */
function fromTheFirst({ after: _, ...filters }: ListState['filters']): ListState['filters'] {
  return filters;
}

/** The page of a list, and its order if one is chosen, for the query of its endpoint. */
export const pageOf = <S extends string>({ limit, offset, sort }: ListAddress) => ({
  limit,
  offset,
  // Safe: the service refuses an order that it does not know, and the page shows that.
  ...(sort !== undefined && { sort: sort as S }),
});

const noFilters: readonly string[] = [];

/**
 * Reads and writes the state of a list in the address.
 *
 * @param table the table, under whose name its settings are kept
 * @param filterNames names of the list's filters; a constant of the module
 */
export function useListAddress(table: TableName, filterNames = noFilters): ListAddress {
  const settings = useTableSettings(table);
  const { rows } = settings;
  const search = useSearch();
  const [path, navigate] = useLocation();
  const state = useMemo(() => readListState(search, filterNames), [search, filterNames]);
  const go = useCallback(
    (next: ListState, replace = false) => {
      const query = writeListState(next);
      navigate(query === '' ? path : `${path}?${query}`, { replace });
    },
    [navigate, path],
  );
  const address: ListAddress = {
    ...state,
    limit: rows,
    offset: (state.page - 1) * rows,
    search: writeListState({ ...state, page: 1, filters: fromTheFirst(state.filters) }),
    show: (next) => go(readListState(next, filterNames)),
    settings,
    setRows(next) {
      settings.setRows(next);
      go({ ...state, page: 1 }, true);
    },
    setPage: (page) => go({ ...state, page }),
    sortBy: (field) => go({ page: 1, sort: nextSort(state.sort, field), filters: fromTheFirst(state.filters) }),
    goBehind: (after, inPlace = false) => go({ ...state, page: 1, filters: { ...state.filters, after } }, inPlace),
    setFilter(name, value) {
      const { [name]: _, ...others } = fromTheFirst(state.filters);
      // In place: who goes back wants the page before, not the letter before.
      go({ ...state, page: 1, filters: value === undefined ? others : { ...others, [name]: value } }, true);
    },
    clear: () => go({ page: 1, sort: state.sort, filters: {} }),
  };
  // The same while nothing changes: the filters of a list are not drawn anew with every answer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is made of these three, anew with each drawing
  return useMemo(() => address, [state, settings, go]);
}
