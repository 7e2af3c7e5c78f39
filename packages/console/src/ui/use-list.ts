import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { type ListState, nextSort, readListState, writeListState } from './address.ts';

/** The state of a list, kept in the address: a link to the page shows the same. */
export interface ListAddress extends ListState {
  /** For the query of the list's endpoint. */
  readonly limit: number;
  readonly offset: number;
  setPage(page: number): void;
  /** Orders by a field, the other way round when it is ordered by it already. */
  sortBy(field: string): void;
  /** Sets a filter; `undefined` takes it off. The list begins again at its first page. */
  setFilter(name: string, value: string | undefined): void;
  clear(): void;
}

/** Rows of one page of a list. */
const pageRows = 50;

/**
 * Reads and writes the state of a list in the address.
 *
 * @param filterNames names of the list's filters; a constant of the module
 */
export function useListAddress(filterNames: readonly string[], rows = pageRows): ListAddress {
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
  return {
    ...state,
    limit: rows,
    offset: (state.page - 1) * rows,
    setPage: (page) => go({ ...state, page }),
    sortBy: (field) => go({ ...state, page: 1, sort: nextSort(state.sort, field) }),
    setFilter(name, value) {
      const { [name]: _, ...others } = state.filters;
      // In place: who goes back wants the page before, not the letter before.
      go({ ...state, page: 1, filters: value === undefined ? others : { ...others, [name]: value } }, true);
    },
    clear: () => go({ page: 1, sort: state.sort, filters: {} }),
  };
}
